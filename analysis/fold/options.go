package fold

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Select says what a pixel of a row shows of the states of its members. No call is a state, too. Of states with equal time, the region that
// comes first by its id is chosen, no call last.
type Select uint8

const (
	// Max shows the state with most time.
	Max Select = iota
	// Min shows the state with least time, among those that there are.
	Min
	// Diff shows nothing where all members spent the pixel alike: the same time in each state. Elsewhere it shows the state with least time,
	// among those of which members have different time. [Pixel.Apart] says by how much they differ.
	Diff
	// Idle shows no call only if no member has one, else the region with most time.
	Idle
	// Quantiles shows how the time in calls is distributed over the members, and no region. It needs up to six bytes for each member and pixel.
	Quantiles
)

var selectNames = []string{"max", "min", "diff", "idle", "quantiles"}

// Selects returns the names of all ways to choose.
func Selects() []string { return slices.Clone(selectNames) }

// ParseSelect returns the way of a name.
func ParseSelect(name string) (Select, error) {
	if i := slices.Index(selectNames, name); i >= 0 {
		return Select(i), nil
	}
	return 0, fmt.Errorf("%q is none of %s", name, strings.Join(selectNames, ", "))
}

// String returns the name.
func (s Select) String() string { return selectNames[s] }

// Options of [Rows]. The zero value of each field means its default.
type Options struct {
	Select Select
	// Pixels is the number of parts of equal length that the window is divided into (default 1000).
	Pixels int
	// Exact reads all events of the window. Otherwise the time of wide pixels is taken from bins, and is off where these cross the borders
	// of pixels, see [Row.Errors].
	Exact bool
	// Quick leaves the union of busy time open where only calls tell it: [Busy] has bounds there.
	Quick bool
	// Memory is about how many bytes the groups under way may take, and what is read of their locations (default 256 MiB). It is not
	// what the reader's cache takes.
	Memory int64
	// Progress counts locations.
	Progress trace.Progress
}

const defaultPixels = 1000

// ErrEmpty means that a window has no time that could be divided.
var ErrEmpty = errors.New("the window is empty")

func (o *Options) setDefaults() {
	if o.Pixels == 0 {
		o.Pixels = defaultPixels
	}
	if o.Memory == 0 {
		o.Memory = memory.Usual
	}
}

// check finds fault with options.
func (o *Options) check(w *store.Window) error {
	if from, to := w.Bounds(); from >= to {
		return ErrEmpty
	}
	if o.Pixels < 1 || o.Pixels > store.MaxPixels {
		return fmt.Errorf("%d pixels are not between 1 and %d", o.Pixels, store.MaxPixels)
	}
	if o.Memory < 0 {
		return fmt.Errorf("%d bytes of memory are negative", o.Memory)
	}
	return nil
}
