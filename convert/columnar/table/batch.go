package table

import (
	"slices"
	"sync"
)

// Limits of a page. Batches from parts of a window are joined to pages: a page ends with a part if it has PageRows rows or if one column
// has PageText bytes.
const (
	PageRows = 8 << 10
	PageText = 16 << 20
)

// Batch holds consecutive rows of a table, column by column.
type Batch struct {
	Rows    int
	Vectors []Vector
}

var batchRoom = sync.Pool{New: func() any { return new(Batch) }}

// NewBatch returns an empty batch, which may be one that was released.
func NewBatch(columns int) *Batch {
	b := batchRoom.Get().(*Batch)
	b.Vectors = slices.Grow(b.Vectors[:0], columns)[:columns]
	b.Reset()
	return b
}

// Release gives the batch back for reuse. Nothing of it may be used afterwards.
func (b *Batch) Release() { batchRoom.Put(b) }

// Reset empties the batch.
func (b *Batch) Reset() {
	b.Rows = 0
	for i := range b.Vectors {
		b.Vectors[i].reset()
	}
}

// Append appends the rows of another batch.
func (b *Batch) Append(o *Batch) {
	b.Rows += o.Rows
	for i := range b.Vectors {
		b.Vectors[i].append(&o.Vectors[i])
	}
}

// choose leaves some columns, each at most once, in their order. The others stay behind them, for the next use of the batch: no two
// columns may ever share memory.
func (b *Batch) choose(places []int) {
	all := slices.Clone(b.Vectors)
	b.Vectors = b.Vectors[:0]
	for _, place := range places {
		b.Vectors = append(b.Vectors, all[place])
	}
	for place := range all {
		if !slices.Contains(places, place) {
			b.Vectors = append(b.Vectors, all[place])
		}
	}
	b.Vectors = b.Vectors[:len(places)]
}

// Gather appends some rows of another batch.
func (b *Batch) Gather(o *Batch, rows []int32) {
	b.Rows += len(rows)
	for i := range b.Vectors {
		b.Vectors[i].gather(&o.Vectors[i], rows)
	}
}

// TextBytes returns the size of the column with the most text.
func (b *Batch) TextBytes() (n int) {
	for i := range b.Vectors {
		n = max(n, len(b.Vectors[i].Text))
	}
	return n
}

// Cut removes all but the first rows.
func (b *Batch) Cut(rows int) {
	b.Rows = rows
	for i := range b.Vectors {
		b.Vectors[i].cut(rows)
	}
}
