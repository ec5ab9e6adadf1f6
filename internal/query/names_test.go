package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

func TestRegions(t *testing.T) {
	d := trace.NewDefinitions(nil)
	for id, names := range map[uint64][2]string{1: {"MPI_Send", ""}, 2: {"MPI_Recv", "mpi_recv_"}, 30: {"a/[b]*", "x"}} {
		d.Strings[10*id], d.Strings[10*id+1] = names[0], names[1]
		d.Regions[id] = trace.Region{Name: 10 * id, CanonicalName: 10*id + 1}
	}
	for patterns, want := range map[string][]uint64{
		"MPI_*": {1, 2}, "1": {1}, "mpi_recv?": {2}, "a/[b]*": {30}, "*": {1, 2, 30}, "x|1": {1, 30}, "3": nil, "": nil, "[": nil, "1|3": nil,
	} {
		got, err := Regions(d, strings.Split(patterns, "|"))
		if (err == nil) != (want != nil) || err == nil && !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", patterns, got, err, want)
		}
	}
}
