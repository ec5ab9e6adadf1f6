package columnar

import (
	"math"
	"slices"
	"sync"
	"unicode/utf8"
)

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

// batch holds consecutive rows of a table, column by column.
type batch struct {
	rows    int
	vectors []vector
}

var batchRoom = sync.Pool{New: func() any { return new(batch) }}

// newBatch returns an empty batch. Whoever needs it no longer may release it.
func newBatch(columns int) *batch {
	b := batchRoom.Get().(*batch)
	b.vectors = slices.Grow(b.vectors[:0], columns)[:columns]
	b.reset()
	return b
}

func (b *batch) release() { batchRoom.Put(b) }

func (b *batch) reset() {
	b.rows = 0
	for i := range b.vectors {
		b.vectors[i].reset()
	}
}

// append appends the rows of another batch.
func (b *batch) append(o *batch) {
	b.rows += o.rows
	for i := range b.vectors {
		b.vectors[i].append(&o.vectors[i])
	}
}

// gather appends some rows of another batch.
func (b *batch) gather(o *batch, rows []int32) {
	b.rows += len(rows)
	for i := range b.vectors {
		b.vectors[i].gather(&o.vectors[i], rows)
	}
}

// textBytes returns the size of the column with the most text.
func (b *batch) textBytes() (n int) {
	for i := range b.vectors {
		n = max(n, len(b.vectors[i].text))
	}
	return n
}

// names are the strings of a column of names, all different, known before the first row is written: an Arrow file has
// one dictionary per column.
type names struct {
	list  []string
	codes map[string]int32
}

// noName is the code of what has no name.
const noName = -1

// add returns the code of a string, noName if it is empty. Strings of traces need not be UTF-8, those of tables must.
func (n *names) add(s string) int32 {
	if s == "" {
		return noName
	}
	if !utf8.ValidString(s) {
		s = string(appendValid(nil, s))
	}
	if c, ok := n.codes[s]; ok {
		return c
	}
	if n.codes == nil {
		n.codes = map[string]int32{}
	}
	c := int32(len(n.list))
	n.list = append(n.list, s)
	n.codes[s] = c
	return c
}

// code returns the code of a string, noName if it is not among the names.
func (n *names) code(s string) int32 {
	if c, ok := n.codes[s]; ok {
		return c
	}
	return noName
}

// appendValid appends a string; each byte that is not part of UTF-8 becomes U+FFFD.
func appendValid(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return append(dst, s...)
	}
	for _, r := range s {
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
