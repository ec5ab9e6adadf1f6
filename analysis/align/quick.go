package align

import (
	"math"

	"github.com/pandotrace/pando/encode/shape"
)

// quick fills tables of single calls whose costs are proven and small: those are nearly all. A pair of calls that is not proven ends it, and
// the table is filled from the begin in the other way.
type quick struct {
	gapA, gapB []int32
	ownB       []int32 // by column: the number of its call among the distinct ones
	above, row []int32 // by column
	costs      []int32 // by pair of distinct calls: twice the cost, or twice the bound and 1 more; -1 is not asked yet
	memory     []int32
}

// unreached is the cost of a cell that no alignment comes to; mostQuick is the largest cost of a quick table.
const (
	unreached = math.MaxInt32 / 4
	mostQuick = unreached / 2
)

// begin prepares to fill a table; it reports false if the table is none of single calls and small costs.
func (q *quick) begin(t *table) bool {
	if t.byNames || t.own[0]*t.own[1] > mostPairs {
		return false
	}
	q.memory = sized(q.memory, len(t.a)+4*len(t.b)+2+t.own[0]*t.own[1])
	memory := q.memory
	take := func(n int) (part []int32) {
		part, memory = memory[:n:n], memory[n:]
		return part
	}
	q.gapA, q.gapB, q.ownB = take(len(t.a)), take(len(t.b)), take(len(t.b))
	q.above, q.row, q.costs = take(len(t.b)+1), take(len(t.b)+1), memory
	if all := smallGaps(q.gapA, t.a, t.gapA, 0); smallGaps(q.gapB, t.b, t.gapB, all) > mostQuick {
		return false
	}
	for j := range t.b {
		q.ownB[j] = int32(t.b[j].own)
	}
	for i := range q.costs {
		q.costs[i] = -1
	}
	q.above[0] = 0
	for j := 1; j <= t.spans[0].to; j++ {
		q.above[j] = q.above[j-1] + q.gapB[j-1]
		t.step(0, j, onlyB)
	}
	t.i, t.j = 0, t.spans[1].from
	q.clear(t, 0)
	return true
}

// smallGaps copies the costs of elements without a partner, and returns their sum with another one: more than mostQuick if that is not to be quick.
func smallGaps(to []int32, list []element, gaps []uint64, sum uint64) uint64 {
	for i := range list {
		if sum = shape.Plus(sum, gaps[i]); list[i].count != 1 || sum > mostQuick {
			return math.MaxUint64
		}
		to[i] = int32(gaps[i])
	}
	return sum
}

// clear makes the cells beside the span of a row unreached, as far as the next row looks at them.
func (q *quick) clear(t *table, row int) {
	at, next := &t.spans[row], &t.spans[row+1]
	if at.from > 0 {
		q.above[at.from-1] = unreached
	}
	for j := at.to + 1; j <= next.to; j++ {
		q.above[j] = unreached
	}
}

// fill goes on with a table; ok is false if it needs a pair.
func (q *quick) fill(s *Aligner, t *table) (need pair, ok bool) {
	for t.i < len(t.a) {
		if need, ok = q.fillRow(s, t); !ok {
			return need, false
		}
		s.work -= int64(t.spans[t.i+1].width())
		q.above, q.row = q.row, q.above
		if t.i++; t.i < len(t.a) {
			t.j = t.spans[t.i+1].from
			q.clear(t, t.i)
		}
	}
	return pair{}, true
}

// fillRow goes on with a row. Best costs are found without branches on them, which nobody can predict.
func (q *quick) fillRow(s *Aligner, t *table) (need pair, ok bool) {
	r := &t.spans[t.i+1]
	x := int(t.a[t.i].own)
	costs, gap := q.costs[x*t.own[1]:][:t.own[1]], q.gapA[t.i]
	left, j := int32(unreached), t.j
	if j > r.from {
		left = q.row[j-1]
	} else if j == 0 {
		q.row[0] = q.above[0] + gap
		t.step(t.i+1, 0, onlyA)
		left, j = q.row[0], 1
	}
	for j <= r.to {
		if len(t.moves) > 0 {
			j = q.cellsAndMoves(t.moves[r.at-r.from+j:], costs, gap, left, j, r.to)
		} else {
			j = q.cells(costs, gap, left, j, r.to)
		}
		if j <= r.to { // where a pair of calls is needed
			t.j = j
			if need, ok = q.solve(s, t, &costs[q.ownB[j-1]], j); !ok {
				return need, false
			}
			if left = unreached; j > r.from {
				left = q.row[j-1]
			}
		}
	}
	return pair{}, true
}

// cells fills the cells of a row from one on, and returns the one at which the cost of a pair is needed, else the one behind the last.
func (q *quick) cells(costs []int32, gap, left int32, from, to int) int {
	n := to + 1 - from
	above, row, ownB, gapB := q.above[from:][:n], q.row[from:][:n], q.ownB[from-1:][:n], q.gapB[from-1:][:n]
	diagonal := q.above[from-1]
	for j, up := range above {
		k := costs[ownB[j]]
		best, joint := min(up+gap, left+gapB[j]), diagonal+k>>1
		if k&1 != 0 && joint < best {
			return from + j
		}
		left, diagonal = min(best, joint), up
		row[j] = left
	}
	return from + n
}

// cellsAndMoves does the same, and keeps the steps.
func (q *quick) cellsAndMoves(moves []move, costs []int32, gap, left int32, from, to int) int {
	for j := from; j <= to; j++ {
		best, way := q.above[j]+gap, onlyA
		if c := left + q.gapB[j-1]; c < best {
			best, way = c, onlyB
		}
		k := costs[q.ownB[j-1]]
		if c := q.above[j-1] + k>>1; c < best {
			if k&1 != 0 {
				return j
			}
			best, way = c, both
		}
		q.row[j], left, moves[j-from] = best, best, way
	}
	return to + 1
}

// solve finds the cost of a pair, or its bound if that is not known; ok is false if the pair is needed.
func (q *quick) solve(s *Aligner, t *table, cost *int32, j int) (need pair, ok bool) {
	x, y := t.a[t.i].call, t.b[j-1].call
	if *cost < 0 {
		*cost = int32(min(s.bound(x, y), mostQuick))*2 + 1
		return pair{}, true
	}
	c, ok := s.known(x, y, false)
	if !ok {
		return s.inOrder(x, y), false
	}
	if !c.Proven() || c.High > mostQuick {
		t.quick = nil
		t.slow()
		return pair{}, false
	}
	*cost = int32(c.High) * 2
	return pair{}, true
}
