package content

import (
	"encoding/hex"
	"iter"
	"math"
	"slices"
	"strconv"

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
		}, routineColumns())
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

// routineColumns are what a pattern of calls consists of: null for others.
func routineColumns() []table.ColumnOf[annotation.Annotation] {
	type row = annotation.Annotation
	number := func(name, doc string, get func(r *annotation.Routine) uint64) table.ColumnOf[row] {
		return table.NumberOrNull(name, "", doc, func(_ *table.Catalog, r *row) (int64, bool) {
			if r.Routine == nil {
				return 0, false
			}
			return int64(min(get(r.Routine), math.MaxInt64)), true
		})
	}
	return []table.ColumnOf[row]{
		table.String("routine", "of a pattern of calls, those of one repetition, in order, with commas between; a number before one says how many follow each other: `rhs_,2 exchange_`", func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
			if r.Routine == nil {
				return dst, false
			}
			for i, s := range r.Routine.Steps {
				if i > 0 {
					dst = append(dst, ',')
				}
				if s.Count > 1 {
					dst = append(strconv.AppendUint(dst, s.Count, 10), ' ')
				}
				dst = table.AppendValid(dst, s.Region)
			}
			return dst, true
		}),
		number("repetitions_least", "how often it is repeated, on the location where that is least", func(r *annotation.Routine) uint64 { return r.Least }),
		number("repetitions", "and where that is most", func(r *annotation.Routine) uint64 { return r.Most }),
		number("locations", "number of locations that have it", func(r *annotation.Routine) uint64 { return r.Count() }),
		table.Real("share", "", "time of all repetitions, as a share of that of all locations in the window: from 0 to 1", func(_ *table.Catalog, r *row) (float64, bool) {
			if r.Routine == nil {
				return 0, false
			}
			return float64(r.Routine.Share) / annotation.Whole, true
		}),
	}
}
