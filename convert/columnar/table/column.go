package table

// ColumnOf is a column of a table with rows of type R. put appends the values of rows to a vector.
type ColumnOf[R any] struct {
	Column
	put func(x *Catalog, rows []R, v *Vector)
	// names returns all strings of a column of type Name.
	names func(x *Catalog) *Names
}

// Number is a column of integers.
func Number[R any](name, unit, doc string, get func(*Catalog, *R) int64) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Int64, Unit: unit, Doc: doc},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				v.Ints = append(v.Ints, get(x, &rows[i]))
			}
		},
	}
}

// NumberOrNull is a column of integers that are null where ok is false.
func NumberOrNull[R any](name, unit, doc string, get func(*Catalog, *R) (n int64, ok bool)) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Int64, Null: true, Unit: unit, Doc: doc},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				n, ok := get(x, &rows[i])
				v.Ints = append(v.Ints, n)
				v.Null = append(v.Null, !ok)
			}
		},
	}
}

// Real is a column of floating-point numbers that are null where ok is false.
func Real[R any](name, unit, doc string, get func(*Catalog, *R) (n float64, ok bool)) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Double, Null: true, Unit: unit, Doc: doc},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				n, ok := get(x, &rows[i])
				v.Doubles = append(v.Doubles, n)
				v.Null = append(v.Null, !ok)
			}
		},
	}
}

// Truth is a column of true and false.
func Truth[R any](name, doc string, get func(*Catalog, *R) bool) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Bool, Doc: doc},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				v.Bools = append(v.Bools, get(x, &rows[i]))
			}
		},
	}
}

// String is a column of strings that are null where ok is false. get appends the row's string to dst.
func String[R any](name, doc string, get func(x *Catalog, r *R, dst []byte) (s []byte, ok bool)) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Text, Null: true, Doc: doc},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				s, ok := get(x, &rows[i], v.Text)
				v.putText(s, ok)
			}
		},
	}
}

// Named is a column of names that are null where get returns [NoName]; get returns the code of the row's name among the names that `of`
// returns.
func Named[R any](name, doc string, of func(*Catalog) *Names, get func(*Catalog, *R) int32) ColumnOf[R] {
	return ColumnOf[R]{
		Column: Column{Name: name, Type: Name, Null: true, Doc: doc, Habit: Repeats},
		put: func(x *Catalog, rows []R, v *Vector) {
			for i := range rows {
				c := get(x, &rows[i])
				v.Codes = append(v.Codes, max(c, 0))
				v.Null = append(v.Null, c == NoName)
			}
		},
		names: of,
	}
}

// Instant is a pair of columns with one time since the trace's first event, in nanoseconds and in ticks, by which rows are nearly sorted.
// get returns the time in ticks relative to the epoch.
func Instant[R any](prefix, doc string, get func(*R) int64) []ColumnOf[R] {
	return []ColumnOf[R]{
		Number(prefix+"ns", "ns", doc, func(x *Catalog, r *R) int64 { return x.Nanoseconds(x.Ticks(get(r))) }).As(Grows),
		Number(prefix+"ticks", "ticks", "the same", func(x *Catalog, r *R) int64 { return x.Ticks(get(r)) }).As(Grows),
	}
}

// InstantOrNull is like [Instant], with times that are null where ok is false, and in any order.
func InstantOrNull[R any](prefix, doc string, get func(*R) (t int64, ok bool)) []ColumnOf[R] {
	return []ColumnOf[R]{
		NumberOrNull(prefix+"ns", "ns", doc, func(x *Catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.Nanoseconds(x.Ticks(t)), ok
		}),
		NumberOrNull(prefix+"ticks", "ticks", "the same", func(x *Catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.Ticks(t), ok
		}),
	}
}

// Duration is a pair of columns with one length of time, in nanoseconds and in ticks. get returns it in ticks.
func Duration[R any](prefix, doc string, get func(*R) int64) []ColumnOf[R] {
	return []ColumnOf[R]{
		Number(prefix+"ns", "ns", doc, func(x *Catalog, r *R) int64 { return x.Nanoseconds(get(r)) }),
		Number(prefix+"ticks", "ticks", "the same", func(_ *Catalog, r *R) int64 { return get(r) }),
	}
}

// DurationOrNull is like [Duration], with lengths that are null where ok is false.
func DurationOrNull[R any](prefix, doc string, get func(*R) (ticks int64, ok bool)) []ColumnOf[R] {
	return []ColumnOf[R]{
		NumberOrNull(prefix+"ns", "ns", doc, func(x *Catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.Nanoseconds(t), ok
		}),
		NumberOrNull(prefix+"ticks", "ticks", "the same", func(_ *Catalog, r *R) (int64, bool) { return get(r) }),
	}
}

// As sets the column's habit, which helps encoders.
func (c ColumnOf[R]) As(h Habit) ColumnOf[R] {
	c.Habit = h
	return c
}
