package store_test

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Real traces come back whole, and every query has the naive answer.
func TestPropertyBundled(t *testing.T) { realTraces(t, tracetest.Bundled(t)) }

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
	windows := 2 // random ones, of each of two files
	if os.Getenv("PANDO_SOAK") != "" {
		windows = 4
	}
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
			if n := read(t, file).Info().Events; n > maxModelEvents {
				t.Skipf("%d events are more than the model can hold", n)
			}
			s := newSubject(t, open)
			newChecker(t, s, file, store.Options{}).everything(windows)
			opt := store.Options{SliceEvents: max(1024, len(s.events)/200), Fanout: 3, EpochSlices: 5, LaneLocations: 3}
			newChecker(t, s, write(t, open(), opt), opt).everything(windows)
		})
	}
}
