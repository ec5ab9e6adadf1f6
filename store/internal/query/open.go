package query

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// OpenCalls returns the calls of the window's locations that begin before the window and end at its begin or later: the stacks with which
// its first events are met. They are ordered by location, the outermost first. Filters other than locations do not apply.
func (w *Window) OpenCalls() ([]trace.Call, error) {
	if w.From <= w.Reader.Info().First {
		return nil, nil
	}
	before := NewWindow(w.Reader, w.From-1, w.From)
	before.Locations, before.lanes, before.err = w.Locations, w.lanes, w.err
	var open []trace.Call
	for c, err := range before.Calls() {
		if err != nil {
			return nil, err
		}
		if c.Start < w.From && c.End >= w.From {
			open = append(open, c)
		}
	}
	slices.SortFunc(open, func(a, b trace.Call) int {
		return cmp.Or(cmp.Compare(w.Reader.KnownIndex(a.Location), w.Reader.KnownIndex(b.Location)), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return open, nil
}
