package columnar

import (
	"slices"
	"sync"
)

// A batch holds at most pageRows rows, and less if one column has more than pageText bytes.
const (
	pageRows = 8 << 10
	pageText = 16 << 20
)

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
