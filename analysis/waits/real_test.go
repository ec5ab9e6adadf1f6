package waits_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// endings are those of files of each format.
var endings = map[string]string{"otf2": ".otf2", "otf1": ".otf", "clog2": ".clog2"}

// Real traces: those that are bundled, and windows of them that cut calls at both ends.
func TestBundledTraces(t *testing.T) {
	for format, ending := range endings {
		for _, name := range tracetest.DistinctOf(t, format) {
			t.Run(name, func(t *testing.T) { compare(t, stored.Trace(t, tracetest.Files(t, name, ending)[0]), 2) })
		}
	}
}

// compare compares a file with the naive model, whole and in windows.
func compare(t *testing.T, r *store.Reader, windows int64) {
	t.Helper()
	m, err := model.Load(r.Source())
	if err != nil {
		t.Fatal(err)
	}
	a := check(t, r, m, math.MinInt64, math.MaxInt64, waits.Options{})
	first, last, _ := m.Span()
	if a.result.Counts.Clamped > 0 || r.Info().Events > 100_000 {
		windows = 0 // what a call in a window waited for may lie far from it; or the naive answer takes long
	}
	for i := range windows {
		from := first + (last-first)/(windows+1)*i
		check(t, r, m, from, from+(last-first)/5, waits.Options{})
	}
	t.Logf("%d waits, %d stretches, %+v", len(a.waits), len(a.stretches), a.result.Counts)
}

// Larger traces, with PANDO_SOAK also those for which the naive answer takes minutes.
func TestLargerTraces(t *testing.T) {
	for name, path := range tracetest.LargerFiles(t) {
		t.Run(name, func(t *testing.T) {
			r := stored.Trace(t, path)
			n := r.Info().Events
			if n >= 400_000 && !tracetest.Soaking() {
				t.Skipf("the naive answer would take too long for %d events", n)
			}
			if n >= 4_000_000 {
				t.Skipf("the naive answer would take tens of gigabytes for %d events", n)
			}
			compare(t, r, 2)
		})
	}
}

// Traces that are as bad as can be, in which all regions are functions of MPI.
func TestAdversarialTraces(t *testing.T) {
	for seed := range uint64(30) {
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			check(t, stored.Source(t, src, store.Options{SliceEvents: 100, LaneLocations: 2}), m, math.MinInt64, math.MaxInt64, waits.Options{})
		})
	}
}
