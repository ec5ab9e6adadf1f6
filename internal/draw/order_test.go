package draw

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// TestOrder: on a grid of 2 x 2 that is numbered column by column, the rows are ranks 0, 2, 1, 3, and have the cells that they have in order of
// definition; rank 3 has no coordinates and is last.
func TestOrder(t *testing.T) {
	src := tracegen.Program(4, 4, 1)
	src.Define(trace.KindCartDimension, 2, src.String("x"), 2, 0)
	src.Define(trace.KindCartDimension, 3, src.String("y"), 2, 0)
	src.Define(trace.KindCartTopology, 1, src.String("plane"), 0, 2, 2, 3)
	for rank := range uint64(3) {
		src.Define(trace.KindCartCoordinate, 1, rank, 2, rank%2, rank/2)
	}
	r := stored.Source(t, src, store.Options{})
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	plane, err := topology.Choose(defs, "plane")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := New(r, r.All(), 50, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := New(r, r.All(), 50, plane.Places(defs))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, rank := range []int{0, 2, 1, 3} {
		names = append(names, got.Rows[i].Name)
		if want := plain.Rows[rank]; got.Rows[i].Location != want.Location || !slices.Equal(got.Rows[i].Cells(), want.Cells()) {
			t.Errorf("row %d is location %d, want %d", i, got.Rows[i].Location, want.Location)
		}
	}
	if s := strings.Join(names, "; "); s != "rank 0 (0,0); rank 2 (0,1); rank 1 (1,0); rank 3" {
		t.Errorf("names %q", s)
	}
}
