package store_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// checkWhole writes a trace and compares all that comes back.
func checkWhole(t *testing.T, src *tracegen.Trace, opt store.Options) {
	t.Helper()
	s := newSubject(t, func() trace.Source { return src })
	file := write(t, src, opt)
	c := newChecker(t, s, file, opt)
	c.wholeTrace()
	c.info()
	c.verified()
	checkByteReport(t, file)
}

// More regions than there are columns for: they share some.
func TestMoreRegionsThanColumns(t *testing.T) {
	t.Parallel()
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	for i := range 11_000 { // seven columns each
		region := uint64(i)
		if i > 100 {
			region <<= 20
		}
		b.Append(trace.KindEnter, int64(10*i+i%7), region)
		b.Append(trace.KindParameterInt, int64(10*i+8), region, uint64(i*i))
		b.Append(trace.KindLeave, int64(10*i+9), region)
	}
	checkWhole(t, src, store.Options{})
}

// The longest interval there may be, and both ends of it.
func TestLongestTrace(t *testing.T) {
	for _, opt := range []store.Options{{}, {SliceEvents: 1}} {
		src := tracegen.New(trace.Meta{})
		b := src.Location(0, src.Process("process"))
		b.Append(trace.KindEnter, -store.MaxTime, 1)
		b.Append(trace.KindLeave, store.MaxTime, 1)
		checkWhole(t, src, opt)
	}
}

// Traces of extreme kinds, made small: every query has the naive answer, that for one location among many too.
func TestExtremes(t *testing.T) {
	t.Parallel()
	for _, e := range tracegen.Extremes() {
		t.Run(e.Name, func(t *testing.T) {
			s := newSubject(t, func() trace.Source { return e.Trace(30, min(e.Depth, 12), 4000, 1) })
			opt := store.Options{SliceEvents: 300, Fanout: 3, LaneLocations: 8}
			c := newChecker(t, s, write(t, s.open(), opt), opt)
			c.window(c.allTime())
			for range 4 {
				w := c.randomWindow()
				c.window(w)
				w.Locations = []uint64{c.everyLocation()[c.rand.IntN(len(c.model.Locations))]}
				c.window(w)
			}
			c.verified()
		})
	}
}
