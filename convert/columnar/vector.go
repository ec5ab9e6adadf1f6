package columnar

import "math"

// vector holds one column's values of a batch. Which of the slices is in use follows from the column's type; null has an
// entry per row if the column may be null, and the value of such a row is anything.
type vector struct {
	ints    []int64
	doubles []float64
	bools   []bool
	codes   []int32 // of names
	text    []byte  // of all rows
	ends    []int32 // where each row's text ends
	null    []bool
}

func (v *vector) reset() {
	v.ints, v.doubles, v.bools, v.codes = v.ints[:0], v.doubles[:0], v.bools[:0], v.codes[:0]
	v.text, v.ends, v.null = v.text[:0], v.ends[:0], v.null[:0]
}

// textOf returns the text of a row.
func (v *vector) textOf(row int) []byte {
	from := int32(0)
	if row > 0 {
		from = v.ends[row-1]
	}
	return v.text[from:v.ends[row]]
}

// isNull reports whether a row has no value.
func (v *vector) isNull(row int) bool { return len(v.null) > 0 && v.null[row] }

// putText ends a row's text: s is the text of all rows, its own at the end.
func (v *vector) putText(s []byte, ok bool) {
	v.text = s
	v.ends = append(v.ends, int32(min(len(s), math.MaxInt32)))
	v.null = append(v.null, !ok)
}

// append appends the values of another vector.
func (v *vector) append(o *vector) {
	base := int32(len(v.text))
	v.ints, v.doubles, v.bools = append(v.ints, o.ints...), append(v.doubles, o.doubles...), append(v.bools, o.bools...)
	v.codes, v.text, v.null = append(v.codes, o.codes...), append(v.text, o.text...), append(v.null, o.null...)
	for _, end := range o.ends {
		v.ends = append(v.ends, base+end)
	}
}

// gather appends the values of some rows of another vector.
func (v *vector) gather(o *vector, rows []int32) {
	v.ints, v.doubles = pick(v.ints, o.ints, rows), pick(v.doubles, o.doubles, rows)
	v.bools, v.codes, v.null = pick(v.bools, o.bools, rows), pick(v.codes, o.codes, rows), pick(v.null, o.null, rows)
	if len(o.ends) == 0 {
		return
	}
	for _, row := range rows {
		v.text = append(v.text, o.textOf(int(row))...)
		v.ends = append(v.ends, int32(min(len(v.text), math.MaxInt32)))
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
