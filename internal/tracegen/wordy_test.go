package tracegen_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// Each kind has as much as it promises, of what it promises, and the same twice.
func TestWordies(t *testing.T) {
	const n = 500
	counted := map[string]func(*trace.Record) int{
		"attribute-texts": func(r *trace.Record) int {
			if r.Kind == trace.KindString && len(r.Text) >= 500 {
				return (len(r.Text) + 999) / 1000
			}
			return 0
		},
		"metrics":       ofKind(trace.KindMetricMember),
		"similar-names": ofKind(trace.KindRegion),
	}
	for _, w := range tracegen.Wordies() {
		src := w.Trace(n, 1)
		if err := src.Check(); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		log, err := src.Definitions(0)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i := range log {
			if _, ok := trace.Standard.Spec(log[i].Kind).Count(log[i].Words); !ok {
				t.Fatalf("%s: definition %d does not fit its kind", w.Name, i)
			}
			found += counted[w.Name](&log[i])
		}
		if found != n {
			t.Errorf("%s: %d of what there are %d", w.Name, found, n)
		}
		again, err := w.Trace(n, 1).Definitions(0)
		if err != nil || len(again) != len(log) || string(again[len(again)-1].Text) != string(log[len(log)-1].Text) {
			t.Errorf("%s: %d definitions, then %d, %v", w.Name, len(log), len(again), err)
		}
	}
}

func ofKind(kind trace.Kind) func(*trace.Record) int {
	return func(r *trace.Record) int {
		if r.Kind == kind {
			return 1
		}
		return 0
	}
}
