package content

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// communicator is a communicator with the field of its definition that the typed table leaves out.
type communicator struct {
	trace.Comm
	flags uint64
}

var _ = table.Declare(110, func() *table.Table {
	return table.FromList(table.Schema{
		Name: "communicators",
		Doc:  "One row for each communicator: definitions Comm and InterComm, which share their ids. The table of groups has the members.",
	}, slices.Concat(
		[]table.ColumnOf[communicator]{
			table.Number("id", "", "id of the communicator", func(_ *table.Catalog, c *communicator) int64 { return int64(c.ID) }),
			table.String("name", "its name", func(x *table.Catalog, c *communicator, dst []byte) ([]byte, bool) {
				s := x.Definitions.Strings[c.Name]
				return table.AppendValid(dst, s), s != ""
			}),
			table.Truth("inter", "an inter-communicator: a rank is one of the other group", func(_ *table.Catalog, c *communicator) bool { return c.Inter }),
		},
		groupColumns("group", "group of ranks; the first one of an inter-communicator", func(c *communicator) uint64 { return c.Group }),
		groupColumns("group2", "second group of an inter-communicator", func(c *communicator) uint64 {
			if !c.Inter {
				return trace.Undefined
			}
			return c.Group2
		}),
		[]table.ColumnOf[communicator]{
			table.NumberOrNull("parent", "", "id of the communicator that this one was made of; of an inter-communicator, the one both sides share",
				func(_ *table.Catalog, c *communicator) (int64, bool) { return table.Reference(c.Parent) }),
			table.String("flags", "names of the bits set, `A|B`", func(_ *table.Catalog, c *communicator, dst []byte) ([]byte, bool) {
				return append(dst, trace.EnumCommFlag.FormatFlags(c.flags)...), true
			}),
		},
	), communicatorRows)
})

func groupColumns(name, doc string, get func(*communicator) uint64) []table.ColumnOf[communicator] {
	return []table.ColumnOf[communicator]{
		table.NumberOrNull(name, "", "id of the "+doc, func(_ *table.Catalog, c *communicator) (int64, bool) { return table.Reference(get(c)) }),
		table.String(name+"_name", "its name", func(x *table.Catalog, c *communicator, dst []byte) ([]byte, bool) {
			s := x.Definitions.Name(trace.SpaceGroup, get(c))
			return table.AppendValid(dst, s), s != ""
		}),
	}
}

func communicatorRows(x *table.Catalog) iter.Seq[communicator] {
	return func(yield func(communicator) bool) {
		seen := map[uint64]bool{}
		for i := range x.Definitions.Log {
			r := &x.Definitions.Log[i]
			if r.Kind != trace.KindComm && r.Kind != trace.KindInterComm || len(r.Words) == 0 || seen[r.Words[0]] {
				continue
			}
			seen[r.Words[0]] = true
			c := communicator{Comm: x.Definitions.Comms[r.Words[0]], flags: r.Words[len(r.Words)-1]}
			if !yield(c) {
				return
			}
		}
	}
}
