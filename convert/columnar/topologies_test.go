package columnar

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// TestTopologies: each rank of a grid of two columns has the coordinates that the generator's law gives it, and each rank its own location.
func TestTopologies(t *testing.T) {
	const ranks = 6
	c := exported(t, stored(t, tracegen.Program(ranks, 1, 1)), "topologies", Options{Format: CSV})
	if len(c.rows) != ranks {
		t.Fatalf("%d rows of %d ranks", len(c.rows), ranks)
	}
	for rank := range ranks {
		for name, want := range map[string]string{
			"topology": "0", "topology_name": "grid", "inferred": "false", "sizes": fmt.Sprintf("%d x 2", ranks/2), "communicator_rank": fmt.Sprint(rank),
			"rank": fmt.Sprint(rank), "coordinates": fmt.Sprintf("%d,%d", rank/2, rank%2), "coordinate_0": fmt.Sprint(rank / 2),
			"coordinate_1": fmt.Sprint(rank % 2), "coordinate_2": null, "coordinate_3": null,
		} {
			if got := c.column(t, name)[rank]; got != want {
				t.Errorf("rank %d: %s is %q, want %q", rank, name, got, want)
			}
		}
	}
	if l := c.column(t, "location"); len(slices.Compact(slices.Sorted(slices.Values(l)))) != ranks {
		t.Errorf("locations %v", l)
	}
}

// TestOddTopologies: a member without a location has none, coordinates that do not fit are left out, and a second definition counts for nothing.
func TestOddTopologies(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1, Properties: []trace.Property{{Name: topology.InferredName, Value: "4,7"}}})
	src.Location(50, src.Process("p"))
	world := src.Comm(src.CommLocations(50))
	src.Events(50).Append(trace.KindEnter, 1, src.Region("main"))
	src.Define(trace.KindCartDimension, 1, src.String("x"), 9, 0)
	src.Define(trace.KindCartTopology, 7, src.String("line"), world, 1, 1)
	src.Define(trace.KindCartTopology, 7, src.String("again"), world, 2, 1, 1)
	src.Define(trace.KindCartTopology, 8, src.String("bare"), world, 1, 1)
	src.Define(trace.KindCartCoordinate, 7, 0, 1, 8)
	src.Define(trace.KindCartCoordinate, 7, 1, 1, 5)
	src.Define(trace.KindCartCoordinate, 7, 0, 2, 3, 4)
	src.Define(trace.KindCartCoordinate, 6, 0, 1, 3)
	got := shown(exported(t, stored(t, src), "topologies", Options{Format: Arrow}))
	want := `topology topology_name inferred sizes communicator communicator_name communicator_rank location location_name rank coordinates coordinate_0 coordinate_1 coordinate_2 coordinate_3
7 line true 9 0 communicator 0 50 location 0 8 8 - - -
7 line true 9 0 communicator 1 - - - 5 5 - - -
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
