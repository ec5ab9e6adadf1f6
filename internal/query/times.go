// Package query reads what people write to say which part of a trace they mean: times, and patterns of names.
package query

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"

	"github.com/pandotrace/pando/store"
)

// Clock reads times of one trace. Its zero is the trace's first event.
type Clock struct {
	First      int64  // time of the first event, in ticks relative to the epoch
	Span       int64  // ticks from the first event to just after the last
	Resolution uint64 // ticks per second, not 0
}

// NewClock returns the clock of a file.
func NewClock(r *store.Reader) Clock {
	info := r.Info()
	return Clock{First: info.First, Span: info.Last - info.First + 1, Resolution: max(r.Meta().Resolution, 1)}
}

// timePattern is a number with a unit, or with + before it.
var timePattern = regexp.MustCompile(`^(\+?)(\d{1,19}(?:\.\d{0,30})?)(ns|us|µs|μs|ms|s|min|h|%|)$`)

// units in seconds.
var units = map[string]*big.Rat{
	"ns": big.NewRat(1, 1e9), "us": big.NewRat(1, 1e6), "µs": big.NewRat(1, 1e6), "μs": big.NewRat(1, 1e6),
	"ms": big.NewRat(1, 1e3), "s": big.NewRat(1, 1), "min": big.NewRat(60, 1), "h": big.NewRat(3600, 1),
}

// Duration reads a duration, in ticks: "1.5s", "20ms", "40%" of the trace, or a number of ticks. plus says that it had a + before it.
func (c *Clock) Duration(text string) (ticks int64, plus bool, err error) {
	m := timePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false, fmt.Errorf("%q is no time: write 1.5s, 20ms, 40%% or a number of ticks", text)
	}
	v, ok := new(big.Rat).SetString(m[2])
	if !ok {
		return 0, false, fmt.Errorf("%q is no time", text)
	}
	switch unit := m[3]; unit {
	case "":
		if !v.IsInt() {
			return 0, false, fmt.Errorf("%q: ticks are whole numbers; is the unit missing?", text)
		}
	case "%":
		v.Mul(v, big.NewRat(c.Span, 100))
	default:
		v.Mul(v, units[unit]).Mul(v, new(big.Rat).SetInt(new(big.Int).SetUint64(c.Resolution)))
	}
	n, _ := new(big.Int).SetString(v.FloatString(0), 10) // rounded, halves up
	if !n.IsInt64() || n.Int64() > store.MaxTime {
		return 0, false, fmt.Errorf("%q is too long a time", text)
	}
	return n.Int64(), m[1] != "", nil
}

// Instant reads a time, in ticks relative to the epoch.
func (c *Clock) Instant(text string) (int64, error) {
	t, plus, err := c.Duration(text)
	if err == nil && plus {
		err = fmt.Errorf("%q: only the end of a window can be relative to its begin", text)
	}
	return c.First + t, err
}

// Window reads begin and end of a window, in ticks relative to the epoch; "" stands for the trace's own. The end may be relative to
// the begin: "+20ms".
func (c *Clock) Window(from, to string) (begin, end int64, err error) {
	begin, end = c.First, c.First+c.Span
	if from != "" {
		if begin, err = c.Instant(from); err != nil {
			return 0, 0, err
		}
	}
	if to != "" {
		t, plus, err := c.Duration(to)
		if err != nil {
			return 0, 0, err
		}
		if end = c.First + t; plus {
			end = begin + t
		}
	}
	if end < begin {
		return 0, 0, errors.New("the window ends before it begins")
	}
	return begin, end, nil
}
