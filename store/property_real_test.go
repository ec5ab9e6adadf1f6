package store_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Real traces come back whole, and every query has the naive answer. Of the two largest, one is for PANDO_SOAK: it is of the same program as smaller
// ones.
func TestPropertyBundled(t *testing.T) {
	names := tracetest.Distinct(t)
	if thrift.Of(0, 1) == 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "otf2.mg.S.16.skew" })
	}
	realTraces(t, names)
}

// TestPropertyLarger does the same with the larger traces, as far as the model has room for them.
func TestPropertyLarger(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	realTraces(t, tracetest.Larger(t))
}

// maxModelEvents is the number of events up to which the model takes a trace into memory.
const maxModelEvents = 2_000_000

func realTraces(t *testing.T, names []string) {
	windows := thrift.Of(1, 4)           // random ones, of each of two files
	most := uint64(thrift.Of(2e4, 1e12)) // events up to which both files are checked; beyond, the one of more slices
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			anchor := tracetest.Anchor(t, name)
			open := func() trace.Source {
				src, err := otf2.Open(anchor, otf2.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return src
			}
			file := write(t, open(), store.Options{})
			n := read(t, file).Info().Events
			if n > maxModelEvents {
				t.Skipf("%d events are more than the model can hold", n)
			}
			s := newSubject(t, open)
			if n <= most {
				newChecker(t, s, file, store.Options{}).everything(windows)
			}
			opt := store.Options{SliceEvents: max(1024, len(s.events)/200), Fanout: 3, EpochSlices: 5, LaneLocations: 3, PageEntries: 100, PageLocations: 5}
			newChecker(t, s, write(t, open(), opt), opt).everything(windows)
		})
	}
}
