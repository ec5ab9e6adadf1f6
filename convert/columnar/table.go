package columnar

// Type is the type of a column's values.
type Type string

// Types of columns.
const (
	// Int64 is a signed integer.
	Int64 Type = "int64"
	// Double is an IEEE-754 number of 64 bits.
	Double Type = "double"
	// Bool is true or false.
	Bool Type = "bool"
	// Text is a string in UTF-8.
	Text Type = "text"
	// Name is a string in UTF-8 of which a table has few different ones: it is dictionary-encoded.
	Name Type = "name"
)

// Table describes one table.
type Table struct {
	// Name is the name of the table, and of its file.
	Name string
	// Doc says what a row is.
	Doc     string
	Columns []Column
	// Definitions says that rows do not lie in time: the table is the same in every window.
	Definitions bool

	sorted    string // the column that rows are ordered by, empty if by none
	partition partitioned
}

// Column describes one column of a table.
type Column struct {
	Name string
	Type Type
	// Null says that rows may have no value.
	Null bool
	// Unit is what numbers count ("ns", "ticks", "bytes"), empty where that says nothing.
	Unit string
	// Doc says what the value means.
	Doc string

	habit habit
}

// habit is what the values of a column tend to do, for encodings to make use of.
type habit uint8

const (
	varies  habit = iota
	repeats       // few different values
	grows         // values are mostly a little larger than the one before
)

// column is a column with the way to its values: put appends the values of rows to a vector.
type column[R any] struct {
	Column
	put func(x *catalog, rows []R, v *vector)
	// names has all strings of a column of type Name.
	names func(x *catalog) *names
}

func number[R any](name, unit, doc string, get func(*catalog, *R) int64) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Int64, Unit: unit, Doc: doc},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				v.ints = append(v.ints, get(x, &rows[i]))
			}
		},
	}
}

// numberOrNull is a column of numbers whose rows have none where ok is false.
func numberOrNull[R any](name, unit, doc string, get func(*catalog, *R) (n int64, ok bool)) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Int64, Null: true, Unit: unit, Doc: doc},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				n, ok := get(x, &rows[i])
				v.ints = append(v.ints, n)
				v.null = append(v.null, !ok)
			}
		},
	}
}

func real[R any](name, unit, doc string, get func(*catalog, *R) (n float64, ok bool)) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Double, Null: true, Unit: unit, Doc: doc},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				n, ok := get(x, &rows[i])
				v.doubles = append(v.doubles, n)
				v.null = append(v.null, !ok)
			}
		},
	}
}

func truth[R any](name, doc string, get func(*catalog, *R) bool) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Bool, Doc: doc},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				v.bools = append(v.bools, get(x, &rows[i]))
			}
		},
	}
}

// text is a column of strings: get appends the row's string to dst; ok is false where there is none.
func text[R any](name, doc string, get func(x *catalog, r *R, dst []byte) (s []byte, ok bool)) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Text, Null: true, Doc: doc},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				s, ok := get(x, &rows[i], v.text)
				v.putText(s, ok)
			}
		},
	}
}

// named is a column of names: get returns the code of the row's name, noName where there is none.
func named[R any](name, doc string, of func(*catalog) *names, get func(*catalog, *R) int32) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: Name, Null: true, Doc: doc, habit: repeats},
		put: func(x *catalog, rows []R, v *vector) {
			for i := range rows {
				c := get(x, &rows[i])
				v.codes = append(v.codes, max(c, 0))
				v.null = append(v.null, c == noName)
			}
		},
		names: of,
	}
}

// instant is a pair of columns with the same time since the trace's first event, in nanoseconds and in ticks. Rows are
// more or less in its order. get returns it relative to the epoch.
func instant[R any](prefix, doc string, get func(*R) int64) []column[R] {
	return []column[R]{
		number(prefix+"ns", "ns", doc, func(x *catalog, r *R) int64 { return x.nanoseconds(x.ticks(get(r))) }).like(grows),
		number(prefix+"ticks", "ticks", "the same", func(x *catalog, r *R) int64 { return x.ticks(get(r)) }).like(grows),
	}
}

// instantOrNull is the same of something that need not have happened.
func instantOrNull[R any](prefix, doc string, get func(*R) (t int64, ok bool)) []column[R] {
	return []column[R]{
		numberOrNull(prefix+"ns", "ns", doc, func(x *catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.nanoseconds(x.ticks(t)), ok
		}),
		numberOrNull(prefix+"ticks", "ticks", "the same", func(x *catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.ticks(t), ok
		}),
	}
}

// duration is a pair of columns with the same length of time.
func duration[R any](prefix, doc string, get func(*R) int64) []column[R] {
	return []column[R]{
		number(prefix+"ns", "ns", doc, func(x *catalog, r *R) int64 { return x.nanoseconds(get(r)) }),
		number(prefix+"ticks", "ticks", "the same", func(_ *catalog, r *R) int64 { return get(r) }),
	}
}

// durationOrNull is the same of what need not have a length.
func durationOrNull[R any](prefix, doc string, get func(*R) (ticks int64, ok bool)) []column[R] {
	return []column[R]{
		numberOrNull(prefix+"ns", "ns", doc, func(x *catalog, r *R) (int64, bool) {
			t, ok := get(r)
			return x.nanoseconds(t), ok
		}),
		numberOrNull(prefix+"ticks", "ticks", "the same", func(_ *catalog, r *R) (int64, bool) { return get(r) }),
	}
}

// like says what the values of a column tend to do.
func (c column[R]) like(h habit) column[R] {
	c.habit = h
	return c
}
