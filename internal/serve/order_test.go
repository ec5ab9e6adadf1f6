package serve

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// TestOrder: on a plane that is numbered column by column, the rows of a timeline are in the order of rows if that is wanted.
func TestOrder(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	src := tracegen.Program(4, 4, 1)
	src.Define(trace.KindCartDimension, 2, src.String("x"), 2, 0)
	src.Define(trace.KindCartTopology, 1, src.String("plane"), 0, 2, 2, 2)
	for rank := range uint64(4) {
		src.Define(trace.KindCartCoordinate, 1, rank, 2, rank%2, rank/2)
	}
	written(t, dir, "plane", src)
	for query, want := range map[string][]int64{"": {0, 1, 2, 3}, "?order=topology=plane": {0, 2, 1, 3}, "?order=topology": {0, 1, 2, 3}} {
		var answer struct{ Rows []struct{ Rank int64 } }
		getJSON(t, base+"/v1/traces/plane/timeline.json"+query, &answer)
		var ranks []int64
		for _, r := range answer.Rows {
			ranks = append(ranks, r.Rank)
		}
		if !slices.Equal(ranks, want) {
			t.Errorf("%q: ranks %v, want %v", query, ranks, want)
		}
	}
	if _, _, svg := get(t, base+"/v1/traces/plane/timeline.svg?order=topology=plane"); !bytes.Contains(svg, []byte("rank 2 (0,1)")) {
		t.Errorf("the picture does not tell coordinates: %.300s", svg)
	}
	for _, order := range []string{"rank", "topology=mesh"} {
		if status, _, text := get(t, base+"/v1/traces/plane/timeline.png?order="+order); status != http.StatusBadRequest || !strings.Contains(string(text), "order="+order) {
			t.Errorf("%s: status %d, %s", order, status, text)
		}
	}
}
