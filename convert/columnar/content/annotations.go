package content

import (
	"encoding/hex"
	"iter"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace/annotation"
)

var _ = table.Declare(116, func() *table.Table {
	type row = annotation.Annotation
	text := func(name, doc string, get func(r *row) string) table.ColumnOf[row] {
		return table.String(name, doc, func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
			s := get(r)
			return table.AppendValid(dst, s), s != ""
		})
	}
	columns := slices.Concat([]table.ColumnOf[row]{
		text("name", "what it is called", func(r *row) string { return r.Name }),
		text("kind", "what it is of: `note`, `messages` or `calls`", func(r *row) string { return r.Kind.String() }),
		text("class", "in words: `4 x 4 grid`", func(r *row) string { return r.Class }),
	},
		table.Duration("from_", "when the window begins that it is of, since the trace's first event", func(r *row) int64 { return r.From }),
		table.Duration("to_", "when it ends", func(r *row) int64 { return r.To }),
		[]table.ColumnOf[row]{
			table.NumberOrNull("communicator", "", "id of the communicator that it is of", func(_ *table.Catalog, r *row) (int64, bool) {
				return int64(r.Communicator), r.Communicator != annotation.NoCommunicator
			}),
			text("fingerprint", "in hexadecimal digits: equal for patterns of equal structure, in any trace", func(r *row) string { return hex.EncodeToString(r.Fingerprint) }),
			text("text", "what is said of it", func(r *row) string { return r.Text }),
		})
	t := table.FromList(table.Schema{Name: "annotations", Doc: "One row for each annotation: what somebody said of the trace afterwards."}, columns,
		func(x *table.Catalog) iter.Seq[row] {
			return func(yield func(row) bool) {
				for _, a := range x.Annotations {
					if a.From, a.To = x.Ticks(a.From), x.Ticks(a.To); !yield(a) {
						return
					}
				}
			}
		})
	t.Occurs = func(x *table.Catalog) bool { return len(x.Annotations) > 0 }
	return t
})
