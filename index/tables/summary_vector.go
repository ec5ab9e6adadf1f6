package tables

import (
	"math/bits"
	"slices"
)

// Row is what a vector says of one key.
type Row struct {
	Key  Key
	Sums [4]uint64
}

// The sums of a row. The first one is the number in all parts; the others depend on the part.
const (
	SumCount  = 0
	SumTime   = 1 // of [Calls]
	SumNested = 2
	SumBelow  = 3

	SumBytes    = 1 // of [Messages]
	SumSent     = 1 // of [Collectives]
	SumReceived = 2
)

// maxSum is above all sums of a table: so the sums of all its vectors fit into 64 bits, and differences need no thought.
const maxSum = 1 << 63

// Vector is what the contents of a run of children add up to: rows with any sum but 0, ordered by key.
type Vector []Row

// SortVector makes a vector of rows in any order, several of which may have the same key. ok is false if a sum is too large.
func SortVector(rows []Row) (v Vector, ok bool) {
	sortRows(rows)
	v, ok = rows[:0], true
	for i := range rows {
		switch n := len(v); {
		case n > 0 && v[n-1].Key == rows[i].Key:
			ok = v[n-1].add(&rows[i]) && ok
		case rows[i].Sums != [4]uint64{}:
			v = append(v, rows[i])
		}
	}
	return v, ok
}

// sortRows orders rows by their keys. They come location by location, mostly, so that few have far to go.
func sortRows(rows []Row) {
	const far = 8 // places, on the average
	for i, moves := 1, 0; i < len(rows); i++ {
		for j := i; j > 0 && rows[j].Key.Compare(&rows[j-1].Key) < 0; j-- {
			rows[j], rows[j-1] = rows[j-1], rows[j]
			moves++
		}
		if moves > far*len(rows) {
			slices.SortFunc(rows, func(a, b Row) int { return a.Key.Compare(&b.Key) })
			return
		}
	}
}

// add adds the sums of a row of the same key. It reports false if one gets too large.
func (r *Row) add(o *Row) bool {
	over := uint64(0)
	for i := range r.Sums {
		sum, carry := bits.Add64(r.Sums[i], o.Sums[i], 0)
		r.Sums[i] = sum
		over |= sum>>63 | carry
	}
	return over == 0
}

// AddVectors appends the sum of two vectors to dst, which shares no memory with them. ok is false if a sum is too large.
func AddVectors(dst, a, b Vector) (sum Vector, ok bool) {
	sum, ok = dst, true
	for len(a) > 0 && len(b) > 0 {
		switch c := a[0].Key.Compare(&b[0].Key); {
		case c < 0:
			sum, a = append(sum, a[0]), a[1:]
		case c > 0:
			sum, b = append(sum, b[0]), b[1:]
		default:
			row := a[0]
			ok = row.add(&b[0]) && ok
			sum, a, b = append(sum, row), a[1:], b[1:]
		}
	}
	return append(append(sum, a...), b...), ok
}
