package table

import "math"

// Vector holds the values of one column of a batch. The column's type decides which of the slices is used. Null has an entry for each row
// if the column may be null; the value of a row that is null has no meaning.
type Vector struct {
	Ints    []int64
	Doubles []float64
	Bools   []bool
	Codes   []int32 // of names
	Text    []byte  // of all rows
	Ends    []int32 // end of each row's text
	Null    []bool
}

func (v *Vector) reset() {
	v.Ints, v.Doubles, v.Bools, v.Codes = v.Ints[:0], v.Doubles[:0], v.Bools[:0], v.Codes[:0]
	v.Text, v.Ends, v.Null = v.Text[:0], v.Ends[:0], v.Null[:0]
}

// TextOf returns the text of a row.
func (v *Vector) TextOf(row int) []byte {
	from := int32(0)
	if row > 0 {
		from = v.Ends[row-1]
	}
	return v.Text[from:v.Ends[row]]
}

// IsNull reports whether a row has no value.
func (v *Vector) IsNull(row int) bool { return len(v.Null) > 0 && v.Null[row] }

// putText ends a row's text: s is the text of all rows, its own at the end.
func (v *Vector) putText(s []byte, ok bool) {
	v.Text = s
	v.Ends = append(v.Ends, int32(min(len(s), math.MaxInt32)))
	v.Null = append(v.Null, !ok)
}

// append appends the values of another vector.
func (v *Vector) append(o *Vector) {
	base := int32(len(v.Text))
	v.Ints, v.Doubles, v.Bools = append(v.Ints, o.Ints...), append(v.Doubles, o.Doubles...), append(v.Bools, o.Bools...)
	v.Codes, v.Text, v.Null = append(v.Codes, o.Codes...), append(v.Text, o.Text...), append(v.Null, o.Null...)
	for _, end := range o.Ends {
		v.Ends = append(v.Ends, base+end)
	}
}

// gather appends the values of some rows of another vector.
func (v *Vector) gather(o *Vector, rows []int32) {
	v.Ints, v.Doubles = pick(v.Ints, o.Ints, rows), pick(v.Doubles, o.Doubles, rows)
	v.Bools, v.Codes, v.Null = pick(v.Bools, o.Bools, rows), pick(v.Codes, o.Codes, rows), pick(v.Null, o.Null, rows)
	if len(o.Ends) == 0 {
		return
	}
	for _, row := range rows {
		v.Text = append(v.Text, o.TextOf(int(row))...)
		v.Ends = append(v.Ends, int32(min(len(v.Text), math.MaxInt32)))
	}
}

// pick appends some of the values of another slice, if that has any.
func pick[T any](dst, src []T, rows []int32) []T {
	if len(src) == 0 {
		return dst
	}
	for _, row := range rows {
		dst = append(dst, src[row])
	}
	return dst
}

// cut removes all but the first rows.
func (v *Vector) cut(rows int) {
	v.Ints, v.Doubles, v.Bools = first(v.Ints, rows), first(v.Doubles, rows), first(v.Bools, rows)
	v.Codes, v.Ends, v.Null = first(v.Codes, rows), first(v.Ends, rows), first(v.Null, rows)
	text := int32(0)
	if n := len(v.Ends); n > 0 {
		text = v.Ends[n-1]
	}
	v.Text = v.Text[:text]
}

// first returns the first values of a column; one of another type has none.
func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }
