package topologies

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// TestList: the grid that the generator defines is listed with its dimensions, and nobody inferred it.
func TestList(t *testing.T) {
	f, err := report.NewTrace(stored.Source(t, tracegen.Program(6, 1, 1), store.Options{}), "run.pando")
	if err != nil {
		t.Fatal(err)
	}
	r, err := List(f)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.Write(&text, report.Text); err != nil {
		t.Fatal(err)
	}
	if one := r.Topologies; len(one) != 1 || one[0].Inferred || one[0].Ranks != 6 || len(one[0].Dimensions) != 2 || one[0].Dimensions[0].Size != 3 || !strings.Contains(text.String(), "3 x 2 grid grid  program") {
		t.Errorf("%+v\n%s", one, text.String())
	}
}
