package content

import (
	"iter"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// topologyRow is a member of a topology.
type topologyRow struct {
	*topology.Topology
	*topology.Member
	inferred bool
	place    *table.Place // of the location, if it is known
}

// shownCoordinates is the number of coordinates that have columns of their own.
const shownCoordinates = 4

var _ = table.Declare(115, func() *table.Table {
	text := func(name, doc string, get func(x *table.Catalog, r *topologyRow) string) table.ColumnOf[topologyRow] {
		return table.String(name, doc, func(x *table.Catalog, r *topologyRow, dst []byte) ([]byte, bool) {
			s := get(x, r)
			return table.AppendValid(dst, s), s != ""
		})
	}
	columns := []table.ColumnOf[topologyRow]{
		table.Number("topology", "", "id in `cart_topologies`", func(_ *table.Catalog, r *topologyRow) int64 { return int64(r.ID) }),
		text("topology_name", "its name", func(_ *table.Catalog, r *topologyRow) string { return r.Name }),
		table.Truth("inferred", "the program has not defined it: it was found from messages", func(_ *table.Catalog, r *topologyRow) bool { return r.inferred }),
		text("sizes", "sizes of the dimensions: `4 x 2`", func(_ *table.Catalog, r *topologyRow) string { return r.Sizes() }),
		table.NumberOrNull("communicator", "", "id of the communicator whose ranks have coordinates",
			func(_ *table.Catalog, r *topologyRow) (int64, bool) { return table.Reference(r.Communicator) }),
		text("communicator_name", "its name", func(x *table.Catalog, r *topologyRow) string {
			return x.Definitions.Name(trace.SpaceComm, r.Communicator)
		}),
		table.Number("communicator_rank", "", "rank in this communicator", func(_ *table.Catalog, r *topologyRow) int64 { return int64(r.Member.Rank) }),
		table.NumberOrNull("location", "", "id of the location that has the rank; null if there is none",
			func(_ *table.Catalog, r *topologyRow) (int64, bool) { return int64(r.Location), r.Known }),
		text("location_name", "its name", func(x *table.Catalog, r *topologyRow) string {
			if !r.Known {
				return ""
			}
			return x.Definitions.Name(trace.SpaceLocation, r.Location)
		}),
		table.NumberOrNull("rank", "", "MPI rank of its process in the group of all MPI locations (COMM_WORLD, as a rule)",
			func(_ *table.Catalog, r *topologyRow) (int64, bool) {
				return r.place.Rank, r.Known && r.place.Rank >= 0
			}),
		text("coordinates", "all coordinates: `1,0`", func(_ *table.Catalog, r *topologyRow) string { return topology.Text(r.At) }),
	}
	for d := range shownCoordinates {
		columns = append(columns, table.NumberOrNull("coordinate_"+strconv.Itoa(d), "", "coordinate of dimension "+strconv.Itoa(d)+"; null if there are fewer dimensions",
			func(_ *table.Catalog, r *topologyRow) (int64, bool) {
				if d >= len(r.At) {
					return 0, false
				}
				return r.At[d], true
			}))
	}
	t := table.FromList(table.Schema{
		Name: "topologies",
		Doc: "One row for each member of each Cartesian topology: a rank with its location and its coordinates. Coordinates that do not fit their topology are in " +
			"`cart_coordinates` only.",
	}, columns, topologyRows)
	t.Occurs = func(x *table.Catalog) bool {
		for range topologyRows(x) {
			return true
		}
		return false
	}
	return t
})

func topologyRows(x *table.Catalog) iter.Seq[topologyRow] {
	return func(yield func(topologyRow) bool) {
		inferred, list := topology.Inferred(x.Properties), topology.Of(x.Definitions)
		for i := range list {
			t := &list[i]
			for m := range t.Members {
				r := topologyRow{Topology: t, Member: &t.Members[m], inferred: inferred[t.ID]}
				r.place = x.Place(r.Location)
				if !yield(r) {
					return
				}
			}
		}
	}
}
