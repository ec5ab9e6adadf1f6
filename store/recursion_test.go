package store_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// A recursion that is much deeper than a slice is long comes back, and its structure takes next to nothing.
func TestDeepRecursion(t *testing.T) {
	t.Parallel()
	depth := thrift.Of(40_000, 100_000)
	s := newSubject(t, func() trace.Source { return tracegen.Recursion(depth, 1) })
	file := write(t, s.open(), store.Options{})
	c := newChecker(t, s, file, store.Options{})
	c.wholeTrace()
	c.info()
	c.stacks()
	middle := s.events[len(s.events)/4].Time
	for _, w := range []model.Window{{From: 0, To: 5000}, {From: middle, To: middle + 1}, {From: middle, To: middle + 2_000_000}} {
		c.window(w)
	}
	c.verified()
	report, err := c.reader.SpaceUsage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	structure := int64(0)
	for _, l := range report.Lines {
		if l.Part == store.SpaceStructure {
			structure += l.Bytes
		}
	}
	if slices := int64(len(s.events)/16384 + 1); structure > 500+50*slices {
		t.Errorf("%d bytes of structure in %d slices", structure, slices)
	}
}
