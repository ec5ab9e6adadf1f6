package stacks

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store/internal/read"
)

// Order puts rows in order. It is ready for use, and keeps its memory.
type Order struct {
	merge read.Merge
	rows  []uint32
}

// Sorted returns some rows in order of start, and those that start together as they are given. They are good until the next time.
func (o *Order) Sorted(rows *Rows, some []uint32) []uint32 {
	calls := rows.Calls()
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, run := range rows.Runs { // the calls of a location are in order of start
		first, last = min(first, calls[run.From].Start), max(last, calls[run.To-1].Start)
	}
	o.merge.Reset(len(some), first, last)
	for _, row := range some {
		o.merge.Add(calls[row].Start)
	}
	o.rows = slices.Grow(o.rows[:0], len(some))[:len(some)]
	for i, key := range o.merge.Sorted() {
		o.rows[i] = some[o.merge.Number(key)]
	}
	return o.rows
}
