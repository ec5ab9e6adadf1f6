package record

import (
	"fmt"
	"strconv"
	"strings"
)

// Reduction says which calls are given up first when the budget is used up in mode Keep. Calls with events inside, but values of metrics, go last with any.
type Reduction string

// Reductions, besides those that Classes returns.
const (
	// Duration gives up the shortest calls, in steps of powers of two ticks.
	Duration Reduction = "duration"
	// Level gives up the deepest calls: first those inside 63 others or more, then level by level.
	Level Reduction = "level"
	// Occurrence gives up the latest calls of each region at each location, counted in the order in which they end: first those behind 2^62 others, then those behind 2^61, and so on.
	Occurrence Reduction = "occurrence"
)

const classesPrefix = "class:"

// Classes returns the reduction by classes of regions: the calls of the first class go first, however long they took, and so on; then the shortest of all other regions. A class is a
// pattern for names, in which * stands for any text and ? for one byte, or "paradigm:" and user, compiler, openmp, mpi, or a number of OTF2. A region is in the first class that it fits.
func Classes(patterns ...string) Reduction {
	return Reduction(classesPrefix + strings.Join(patterns, ";"))
}

// Limits of classes.
const (
	maxReduceClasses = 16
	maxClassText     = 512 // of the patterns, in bytes, with a zero behind them
)

// The numbers of reductions in the layout.
const (
	byDuration   = 0
	byLevel      = 1
	byClass      = 2
	byOccurrence = 3
)

// order is a reduction as the recorder follows it.
type order struct {
	by    uint32
	names string // of classes: their patterns
	n     uint32 // of classes
}

// Check returns an error if the reduction is none.
func (r Reduction) Check() error {
	_, err := r.order()
	return err
}

func (r Reduction) order() (o order, err error) {
	switch r {
	case "", Duration:
		return o, nil
	case Level:
		return order{by: byLevel}, nil
	case Occurrence:
		return order{by: byOccurrence}, nil
	}
	names, ok := strings.CutPrefix(string(r), classesPrefix)
	if !ok {
		return o, fmt.Errorf("record: a reduction %q, not duration, level, occurrence or class:PATTERNS", string(r))
	}
	o = order{by: byClass, names: strings.TrimLeft(names, blanks)}
	for pattern := range patterns(o.names) {
		o.n++
		if name, ok := strings.CutPrefix(pattern, paradigmPrefix); ok && paradigmNumber(name) < 0 {
			return o, fmt.Errorf("record: no paradigm is called %q; there are user, compiler, openmp, mpi, and the numbers of OTF2", name)
		}
	}
	switch {
	case o.n == 0 || o.n > maxReduceClasses:
		return o, fmt.Errorf("record: %d classes of regions; there may be 1 to %d", o.n, maxReduceClasses)
	case len(o.names) >= maxClassText || strings.ContainsRune(o.names, 0):
		return o, fmt.Errorf("record: classes of regions of %d bytes; they may be %d bytes of text", len(o.names), maxClassText-1)
	}
	return o, nil
}

const paradigmPrefix = "paradigm:"

// paradigmNumber returns the number of a paradigm in OTF2, -1 for none.
func paradigmNumber(name string) int {
	switch name {
	case "user":
		return 1
	case "compiler":
		return 2
	case "openmp":
		return 3
	case "mpi":
		return 4
	}
	const all = 8 // bits
	if n, err := strconv.ParseUint(name, 10, all); err == nil {
		return int(n)
	}
	return -1
}

// classOf returns the number of the first class that a region fits, from 1; 0 if it fits none.
func (o *order) classOf(s *regionSpec) (class uint32) {
	n := uint32(0)
	for pattern := range patterns(o.names) {
		n++
		paradigm, ok := strings.CutPrefix(pattern, paradigmPrefix)
		if ok && paradigmNumber(paradigm) == int(s.paradigm) || !ok && matches(pattern, s.name) {
			return n
		}
	}
	return 0
}

// A Region, as programs have it, is a number in its lower bits; above are whether a filter leaves it out, and the number of its class, from 1. An open call has these
// in its flags, moved to the right of where they were by handleShift.
const (
	regionBits  = 22
	regionMask  = 1<<regionBits - 1
	filteredOut = 1 << regionBits
	classAt     = regionBits + 1
	handleShift = regionBits - 1
	flagClassAt = classAt - handleShift
	classMask   = 31
)

// maxRegions is how many regions there may be. Calls of others are lost.
const maxRegions = regionMask

// item returns the class of a call without events inside, but values of metrics, of a recorder that does not go by duration. Lower ones go first.
// The octave is that of its duration; it is the count-th of its region.
//
//go:noinline
func (o *order) item(depth uint32, f *frame, octave uint32, count uint64) uint32 {
	const last = protected - 1
	switch o.by {
	case byLevel:
		return last - min(depth, last)
	case byOccurrence:
		return last - uint32(log2(count))
	}
	if class := f.flags >> flagClassAt & classMask; class > 0 {
		return class - 1
	}
	return min(o.n+octave, last)
}

// GivenUp says what a recording does not hold.
type GivenUp struct {
	// Below is the duration, in ticks, of the shortest calls that are kept, apart from those with events inside; 0 if none were given up for their durations, and 2^64-1 if all of them were. With classes of regions
	// it is about those that are in none.
	Below uint64
	// Level is how many others the calls that were given up lie in, at least; 0 if none were given up for that.
	Level int
	// Classes is how many classes of regions were given up.
	Classes int
	// Later is which call of a region at a location was given up first, counted from 1; 0 if none were given up for that.
	Later uint64
	// Reductions is how often calls were given up for want of memory.
	Reductions int
	// Before and After are the times, in ticks, of the first and last event that the recording can hold; 0 if there is none.
	Before, After uint64
	// Metrics reports whether values of metrics were given up.
	Metrics bool
}

// GivenUp returns what was given up so far.
func (r *Recorder) GivenUp() GivenUp {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pool.givenUp(&r.order)
}

func (p *pool) givenUp(o *order) GivenUp {
	g := GivenUp{Reductions: p.reductions, Before: p.horizon, After: p.stopped, Metrics: p.noMetrics}
	switch floor := p.floor; {
	case floor >= protected:
		g.Below = ^uint64(0)
	case floor == 0:
	case o.by == byLevel:
		g.Level = int(protected - floor)
	case o.by == byOccurrence:
		g.Later = 1 << (protected - floor)
	case floor > o.n:
		g.Below = 1 << (floor - o.n)
		fallthrough
	default:
		g.Classes = int(min(floor, o.n))
	}
	return g
}
