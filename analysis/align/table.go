package align

import "github.com/pandotrace/pando/analysis/calltree"

// element is one entry of a list that is aligned: some equal calls in a row.
type element struct {
	call  calltree.Node
	count uint64
	unit  uint64 // cost of one of the calls without a partner
	own   uint32 // number of the call among the distinct ones of its list
}

// Steps of an alignment of two lists.
type move uint8

const (
	both  move = iota // the next elements belong together
	onlyA             // the next element of the first list has no partner
	onlyB
)

// table aligns two lists of elements exactly: rows are elements of the first list, columns those of the second. It is filled cell by
// cell, and stops where it needs the cost of a pair of calls that is not known yet.
type table struct {
	a, b    []element
	ownA    int      // distinct calls of a
	ownB    int      // of b
	pairs   []pairOf // ownA × ownB
	gapA    []uint64 // cost of an element of a without a partner
	gapB    []uint64
	above   []Cost // the row before, and the one that is filled: one more than b has
	row     []Cost
	i, j    int    // the next cell
	moves   []move // of all cells; nil where nobody asks for the way
	byNames bool   // pairs cost what their names do: see Names
}

// pairOf is what a table knows of a pair of distinct calls.
type pairOf struct {
	cost   Cost
	bound  uint64
	asked  bool // bound is known
	solved bool // cost is known
}

// newTable returns a table for two lists that are not empty.
func newTable(f *calltree.Forest, a, b []element, way bool) *table {
	t := &table{a: a, b: b}
	t.ownA, t.gapA = numberOwn(f, a)
	t.ownB, t.gapB = numberOwn(f, b)
	t.pairs = make([]pairOf, t.ownA*t.ownB)
	t.above, t.row = make([]Cost, len(b)+1), make([]Cost, len(b)+1)
	for j := range b {
		t.above[j+1] = t.above[j].add(t.gapB[j])
	}
	t.row[0] = exactly(t.gapA[0])
	if way {
		t.moves = make([]move, len(a)*len(b))
	}
	return t
}

// numberOwn numbers the distinct calls of a list, and returns what each element costs without a partner.
func numberOwn(f *calltree.Forest, list []element) (own int, gaps []uint64) {
	numbers := map[calltree.Node]uint32{}
	gaps = make([]uint64, len(list))
	for i := range list {
		e := &list[i]
		n, ok := numbers[e.call]
		if !ok {
			n = uint32(len(numbers))
			numbers[e.call] = n
		}
		e.own, e.unit = n, times(lacking, f.Size(e.call))
		gaps[i] = times(e.unit, e.count)
	}
	return len(numbers), gaps
}

// fill fills the table, up to a pair of calls that it needs; ok is false if there is one.
func (t *table) fill(s *Aligner) (need pair, ok bool) {
	for ; t.i < len(t.a); t.i++ {
		for ; t.j < len(t.b); t.j++ {
			if need, ok = t.cell(s); !ok {
				return need, false
			}
		}
		t.above, t.row = t.row, t.above
		t.j = 0
		if t.i+1 < len(t.a) {
			t.row[0] = t.above[0].add(t.gapA[t.i+1])
		}
	}
	return pair{}, true
}

// cell fills the next cell, unless it needs a pair that is not known.
func (t *table) cell(s *Aligner) (need pair, ok bool) {
	up, left := t.above[t.j+1].add(t.gapA[t.i]), t.row[t.j].add(t.gapB[t.j])
	best, way := up.or(left), onlyA
	if left.High < up.High {
		way = onlyB
	}
	diagonal := t.above[t.j]
	x, y := &t.a[t.i], &t.b[t.j]
	p := &t.pairs[int(x.own)*t.ownB+int(y.own)]
	if !p.asked {
		p.asked, p.bound = true, s.bound(x.call, y.call)
	}
	count, rest := rests(x, y)
	least := plus(times(p.bound, count), rest)
	if plus(diagonal.Low, least) < best.Low || plus(diagonal.High, least) <= best.High {
		if !p.solved {
			if p.cost, p.solved = s.known(x.call, y.call, t.byNames); !p.solved {
				return inOrder(x.call, y.call), false
			}
		}
		joint := diagonal.plus(p.cost.times(count).add(rest))
		if joint.High <= best.High {
			way = both
		}
		best = best.or(joint)
	}
	t.row[t.j+1] = best
	if t.moves != nil {
		t.moves[t.i*len(t.b)+t.j] = way
	}
	return pair{}, true
}

// rests returns how many calls of two elements belong together, and what the others cost.
func rests(x, y *element) (count, rest uint64) {
	if x.count < y.count {
		return x.count, times(y.unit, y.count-x.count)
	}
	return y.count, times(x.unit, x.count-y.count)
}

// cost returns the cost of the whole, once the table is full.
func (t *table) cost() Cost { return t.above[len(t.b)] }

// way returns the steps of the alignment from its begin, once the table is full.
func (t *table) way() []move {
	var back []move
	i, j := len(t.a), len(t.b)
	for i > 0 && j > 0 {
		m := t.moves[(i-1)*len(t.b)+j-1]
		back = append(back, m)
		if m != onlyB {
			i--
		}
		if m != onlyA {
			j--
		}
	}
	for ; i > 0; i-- {
		back = append(back, onlyA)
	}
	for ; j > 0; j-- {
		back = append(back, onlyB)
	}
	for l, r := 0, len(back)-1; l < r; l, r = l+1, r-1 {
		back[l], back[r] = back[r], back[l]
	}
	return back
}
