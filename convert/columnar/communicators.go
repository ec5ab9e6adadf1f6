package columnar

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// communicator is a communicator with the field of its definition that the typed table leaves out.
type communicator struct {
	trace.Comm
	flags uint64
}

var _ = declare(110, func() *source {
	return listTable(Table{
		Name: "communicators",
		Doc:  "One row for each communicator: definitions Comm and InterComm, which share their ids. The table of groups has the members.",
	}, slices.Concat(
		[]column[communicator]{
			number("id", "", "id of the communicator", func(_ *catalog, c *communicator) int64 { return int64(c.ID) }),
			text("name", "its name", func(x *catalog, c *communicator, dst []byte) ([]byte, bool) {
				s := x.definitions.Strings[c.Name]
				return appendValid(dst, s), s != ""
			}),
			truth("inter", "an inter-communicator: a rank is one of the other group", func(_ *catalog, c *communicator) bool { return c.Inter }),
		},
		groupColumns("group", "group of ranks; the first one of an inter-communicator", func(c *communicator) uint64 { return c.Group }),
		groupColumns("group2", "second group of an inter-communicator", func(c *communicator) uint64 {
			if !c.Inter {
				return trace.Undefined
			}
			return c.Group2
		}),
		[]column[communicator]{
			numberOrNull("parent", "", "id of the communicator that this one was made of; of an inter-communicator, the one both sides share",
				func(_ *catalog, c *communicator) (int64, bool) { return reference(c.Parent) }),
			text("flags", "names of the bits set, `A|B`", func(_ *catalog, c *communicator, dst []byte) ([]byte, bool) {
				return append(dst, trace.EnumCommFlag.FormatFlags(c.flags)...), true
			}),
		},
	), communicatorRows)
})

func groupColumns(name, doc string, get func(*communicator) uint64) []column[communicator] {
	return []column[communicator]{
		numberOrNull(name, "", "id of the "+doc, func(_ *catalog, c *communicator) (int64, bool) { return reference(get(c)) }),
		text(name+"_name", "its name", func(x *catalog, c *communicator, dst []byte) ([]byte, bool) {
			s := x.definitions.Name(trace.SpaceGroup, get(c))
			return appendValid(dst, s), s != ""
		}),
	}
}

func communicatorRows(x *catalog) iter.Seq[communicator] {
	return func(yield func(communicator) bool) {
		seen := map[uint64]bool{}
		for i := range x.definitions.Log {
			r := &x.definitions.Log[i]
			if r.Kind != trace.KindComm && r.Kind != trace.KindInterComm || len(r.Words) == 0 || seen[r.Words[0]] {
				continue
			}
			seen[r.Words[0]] = true
			c := communicator{Comm: x.definitions.Comms[r.Words[0]], flags: r.Words[len(r.Words)-1]}
			if !yield(c) {
				return
			}
		}
	}
}
