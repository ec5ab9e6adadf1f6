package waits_test

import (
	"math"
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// Real traces: those that are bundled, and windows of them that cut calls at both ends.
func TestBundledTraces(t *testing.T) {
	for format, ending := range map[string]string{"otf2": ".otf2", "otf1": ".otf", "clog2": ".clog2"} {
		for _, name := range tracetest.BundledOf(t, format) {
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
	if c := &a.result.Counts; c.Clamped > 0 {
		windows = 0 // what a call in a window waited for may lie far from it
	}
	for i := range windows {
		from := first + (last-first)/(windows+1)*i
		check(t, r, m, from, from+(last-first)/5, waits.Options{})
	}
	t.Logf("%d waits, %d stretches, %+v", len(a.waits), len(a.stretches), a.result.Counts)
}
