package queries_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/report/queries"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// answer asks a query, and returns the answer as CSV.
func answer(t *testing.T, of *report.Trace, q queries.Question) (string, error) {
	t.Helper()
	p, err := q.Plan(t.Context(), of, of.All())
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = queries.WriteTable(t.Context(), &out, p, of.Meta(), columnar.CSV, 0)
	return out.String(), err
}

func traceOf(t *testing.T) *report.Trace {
	t.Helper()
	of, err := report.NewTrace(stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark")), "run")
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// Each table of an analysis can be asked, and has the rows that its verb writes.
func TestAnalyses(t *testing.T) {
	of, filled := traceOf(t), 0
	for _, a := range catalogue.Analyses {
		for _, name := range a.Names {
			set, err := a.Make(t.Context(), tables.Question{Trace: of, Window: of.All()}, []string{name})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var want bytes.Buffer
			if _, err := set.Write(t.Context(), &want, set.Tables[0], columnar.Options{Format: columnar.CSV}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := answer(t, of, queries.Question{Table: name})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got != want.String() {
				t.Errorf("%s: %.500s\nis not\n%.500s", name, got, want.String())
			}
			if strings.Count(got, "\n") > 1 {
				filled++
			}
		}
	}
	if filled < 8 {
		t.Errorf("%d tables have rows: the test tells little", filled)
	}
}

// Conditions, groups and orders are those of other tables.
func TestAnalysisConditions(t *testing.T) {
	of := traceOf(t)
	all, err := answer(t, of, queries.Question{Table: "shapes", Show: "region,calls"})
	if err != nil {
		t.Fatal(err)
	}
	some, err := answer(t, of, queries.Question{Table: "shapes", Show: "region,calls", Where: `region startsWith "MPI_"`})
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for i, line := range strings.SplitAfter(all, "\n") {
		if i == 0 || strings.HasPrefix(line, "MPI_") {
			want.WriteString(line)
		}
	}
	if some != want.String() || strings.Count(some, "\n") < 3 {
		t.Errorf("%s\nis not\n%s", some, want.String())
	}
	if _, err := answer(t, of, queries.Question{Table: "shape"}); !queries.IsUsage(err) || !strings.Contains(err.Error(), `"shapes"`) {
		t.Errorf("a table that there is not: %v", err)
	}
	if _, err := answer(t, of, queries.Question{Table: "shapes", Memory: 64}); !errors.Is(err, memory.ErrExceeded) || !queries.IsTooLarge(err) {
		t.Errorf("with too little memory: %v", err)
	}
}
