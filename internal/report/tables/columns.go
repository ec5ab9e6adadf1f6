package tables

import (
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// Count is a column of a count.
func Count[R any](name, doc string, get func(r *R) int64) table.ColumnOf[R] {
	return table.Number(name, "", doc, func(_ *table.Catalog, r *R) int64 { return get(r) })
}

// Text is a column of texts.
func Text[R any](name, doc string, get func(r *R) string) table.ColumnOf[R] {
	return table.String(name, doc, func(_ *table.Catalog, r *R, dst []byte) ([]byte, bool) { return table.AppendValid(dst, get(r)), true })
}

// TextOrNull is a column of texts, null where they are empty.
func TextOrNull[R any](name, doc string, get func(r *R) string) table.ColumnOf[R] {
	return table.String(name, doc, func(_ *table.Catalog, r *R, dst []byte) ([]byte, bool) {
		v := get(r)
		return table.AppendValid(dst, v), v != ""
	})
}

// Length is a pair of columns with a length of time, in nanoseconds and in ticks, of which a second has perSecond.
func Length[R any](perSecond uint64, prefix, doc string, get func(r *R) int64) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		table.Number(prefix+"ns", "ns", doc, func(_ *table.Catalog, r *R) int64 { return trace.Nanoseconds(get(r), perSecond) }),
		table.Number(prefix+"ticks", "ticks", "the same", func(_ *table.Catalog, r *R) int64 { return get(r) }),
	}
}

// LengthOrNull is like Length, with nulls where ok is false.
func LengthOrNull[R any](perSecond uint64, prefix, doc string, get func(r *R) (ticks int64, ok bool)) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		table.NumberOrNull(prefix+"ns", "ns", doc, func(_ *table.Catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return trace.Nanoseconds(t, perSecond), ok
		}),
		table.NumberOrNull(prefix+"ticks", "ticks", "the same", func(_ *table.Catalog, r *R) (int64, bool) { return get(r) }),
	}
}
