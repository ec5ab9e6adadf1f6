package align

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// element is one entry of a list that is aligned: some equal calls in a row.
type element struct {
	call  calltree.Node
	count uint64
	unit  uint64 // cost of one of the calls without a partner
	own   uint32 // number of the call among the distinct ones of its list
}

func (e *element) run() calltree.Run { return calltree.Run{Node: e.call, Count: e.count} }

// Steps of an alignment of two lists.
type move uint8

const (
	both  move = iota // the next elements belong together
	onlyA             // the next element of the first list has no partner
	onlyB
)

// table aligns two lists of elements exactly: rows are elements of the first list, columns those of the second. It is filled cell by
// cell, and stops where it needs the cost of a pair of calls that is not known yet. Rows have only the columns of their span: through others,
// no alignment costs as little as one that is known.
type table struct {
	a, b    []element
	gapA    []uint64 // cost of an element of a without a partner
	gapB    []uint64
	own     [2]int // numbers of distinct calls
	spans   []span // of row i-1 and all below; the first one is that before the first element
	above   []Cost // the row before, and the one that is filled
	row     []Cost
	i, j    int    // the next cell
	moves   []move // of all cells, row by row; none where nobody asks for the way
	pairs   pairTable
	quick   *quick // nil if the table is filled in the other way
	room    quick
	byNames bool // pairs cost what their names do: see Names
	begun   bool
	named   *named // Names: the pairs that the names made
}

// span is the columns of a row, from the one before the first element (0) to the last one; at is the place of the first in moves.
type span struct{ from, to, at int }

func (s *span) width() int { return s.to - s.from + 1 }

func (s *span) has(j int) bool { return s.from <= j && j <= s.to }

// never is the cost of an alignment that is not considered.
var never = exactly(math.MaxUint64)

// pairOf is what a table knows of a pair of distinct calls.
type pairOf struct {
	cost   Cost
	bound  uint64
	asked  bool // bound is known
	solved bool // cost is known
}

// takeTable returns a table without elements, with the memory of one that is not used any more.
func (s *Aligner) takeTable() *table {
	n := len(s.tables)
	if n == 0 {
		return &table{}
	}
	t := s.tables[n-1]
	s.tables = s.tables[:n-1]
	*t = table{
		a: t.a[:0], b: t.b[:0], gapA: t.gapA[:0], gapB: t.gapB[:0], spans: t.spans[:0], above: t.above[:0], row: t.row[:0], moves: t.moves[:0],
		pairs: pairTable{few: t.pairs.few[:0]}, room: quick{memory: t.room.memory},
	}
	return t
}

// mostKept is the largest number of elements and cells of a table whose memory is kept.
const mostKept = 1 << 18

// release gives back the table of a part.
func (s *Aligner) release(p *part) {
	if t := p.table; t != nil && len(t.a)+len(t.b)+t.cells() <= mostKept {
		s.tables = append(s.tables, t)
	}
	p.table = nil
}

// prepared returns a table of two lists that are not empty; it has to begin. An alignment of the lists is known to cost at most a limit.
func (s *Aligner) prepared(t *table, limit uint64) *table {
	t.byNames = s.opt.Level == Names
	t.own[0], t.gapA = s.numberOwn(t.a, t.gapA)
	t.own[1], t.gapB = s.numberOwn(t.b, t.gapB)
	t.spans = s.spansOf(t, limit)
	return t
}

// cells returns the number of cells of all rows.
func (t *table) cells() int {
	last := &t.spans[len(t.spans)-1]
	return last.at + last.width()
}

// begin takes the memory of a table. With way, it keeps its steps.
func (t *table) begin(way bool) {
	t.begun = true
	if way || t.byNames {
		t.moves = sized(t.moves, t.cells())
	}
	if t.room.begin(t) {
		t.quick = &t.room
	} else {
		t.slow()
	}
}

// work fills the table, and returns the cost of the whole; ok is false if it needs a pair of calls.
func (t *table) work(s *Aligner, way bool) (cost Cost, need pair, ok bool) {
	if !t.begun {
		t.begin(way)
	}
	if t.named == nil {
		if need, ok = t.fill(s); !ok {
			return Cost{}, need, false
		}
		if !t.byNames {
			return t.cost(), pair{}, true
		}
		t.named = &named{pairs: t.way()}
	}
	need, ok = t.named.work(s, t)
	return t.named.cost, need, ok
}

// slow begins with the first row.
func (t *table) slow() {
	t.pairs.init(t.own)
	n := widest(t.spans)
	t.above, t.row = sized(t.above, n), sized(t.row, n)
	t.above[0] = Cost{}
	first := &t.spans[0]
	for j := 1; j <= first.to; j++ {
		t.above[j] = t.above[j-1].add(t.gapB[j-1])
		t.step(0, j, onlyB)
	}
	t.i, t.j = 0, t.spans[1].from
}

// spansOf returns the columns that each row needs, where an alignment costs at most a limit: sizes that differ up to a cell cost as much as
// that, and so do those behind it.
func (s *Aligner) spansOf(t *table, limit uint64) []span {
	gapA, gapB, spans := t.gapA, t.gapB, sized(t.spans, len(t.gapA)+1)
	if limit == math.MaxUint64 {
		width := len(gapB) + 1
		for i := range spans {
			spans[i] = span{0, width - 1, i * width}
		}
		return spans
	}
	s.sums[0], s.sums[1] = sums(s.sums[0], gapA), sums(s.sums[1], gapB)
	sumA, sumB := s.sums[0], s.sums[1]
	allA, allB := sumA[len(gapA)], sumB[len(gapB)]
	from, to, at := 0, 0, 0
	for i, x := range sumA {
		least := func(j int) uint64 {
			return shape.Plus(apart(x, sumB[j]), apart(without(allA, x), without(allB, sumB[j])))
		}
		for from < len(gapB) && sumB[from] < x && least(from) > limit {
			from++
		}
		to = max(to, from)
		for to < len(gapB) && (sumB[to+1] <= x || least(to+1) <= limit) {
			to++
		}
		spans[i] = span{from, to, at}
		at += spans[i].width()
	}
	return spans
}

// widest returns the largest number of columns of a row.
func widest(spans []span) (n int) {
	for i := range spans {
		n = max(n, spans[i].width())
	}
	return n
}

// sized returns a list of a length, in the memory of another one if that is enough. Its elements may be anything.
func sized[T any](memory []T, n int) []T { return slices.Grow(memory[:0], n)[:n] }

// sums returns the sums of the first numbers of a list, from none to all.
func sums(memory, list []uint64) []uint64 {
	out := sized(memory, len(list)+1)
	out[0] = 0
	for i, n := range list {
		out[i+1] = shape.Plus(out[i], n)
	}
	return out
}

func apart(x, y uint64) uint64 { return max(x, y) - min(x, y) }

// numberOwn numbers the distinct calls of a list, and returns what each element costs without a partner.
func (s *Aligner) numberOwn(list []element, memory []uint64) (own int, gaps []uint64) {
	if s.numbers == nil {
		s.numbers = make([]numbered, s.forest.Len())
	}
	s.list++
	gaps = sized(memory, len(list))
	for i := range list {
		e, n := &list[i], &s.numbers[list[i].call]
		if n.list != s.list {
			*n = numbered{s.list, uint32(own)}
			own++
		}
		e.own, e.unit = n.number, shape.Times(lacking, s.forest.Size(e.call))
		gaps[i] = shape.Times(e.unit, e.count)
	}
	return own, gaps
}

// numbered is the number of a call among the distinct ones of a list.
type numbered struct{ list, number uint32 }

// fill fills the table, up to a pair of calls that it needs; ok is false if there is one.
func (t *table) fill(s *Aligner) (need pair, ok bool) {
	if t.quick != nil {
		if need, ok = t.quick.fill(s, t); t.quick != nil {
			return need, ok
		}
	}
	for ; t.i < len(t.a); t.i++ {
		above, row := &t.spans[t.i], &t.spans[t.i+1]
		for ; t.j <= row.to; t.j++ {
			if need, ok = t.cell(s, above, row); !ok {
				return need, false
			}
		}
		s.work -= int64(row.width())
		t.above, t.row = t.row, t.above
		if t.i+1 < len(t.a) {
			t.j = t.spans[t.i+2].from
		}
	}
	return pair{}, true
}

// cell fills the next cell, unless it needs a pair that is not known.
func (t *table) cell(s *Aligner, above, row *span) (need pair, ok bool) {
	j := t.j
	best, way := never, onlyA
	if above.has(j) {
		best = t.above[j-above.from].add(t.gapA[t.i])
	}
	if j > row.from {
		left := t.row[j-1-row.from].add(t.gapB[j-1])
		if left.High < best.High {
			way = onlyB
		}
		best = best.or(left)
	}
	if j > 0 && above.has(j-1) {
		joint, paired, need, ok := t.joint(s, t.above[j-1-above.from], best)
		if !ok {
			return need, false
		}
		if paired {
			if joint.High < best.High {
				way = both
			}
			best = best.or(joint)
		}
	}
	t.row[j-row.from] = best
	t.step(t.i+1, j, way)
	return pair{}, true
}

// joint returns the cost of an alignment that ends with the next elements as a pair; paired is false if the best one so far is better anyway,
// ok if the pair is needed and not known.
func (t *table) joint(s *Aligner, diagonal, best Cost) (joint Cost, paired bool, need pair, ok bool) {
	x, y := &t.a[t.i], &t.b[t.j-1]
	p := t.pairs.of(x.own, y.own)
	if !p.asked {
		p.asked, p.bound = true, s.bound(x.call, y.call)
	}
	count, rest := rests(x, y)
	least := shape.Plus(shape.Times(p.bound, count), rest)
	if shape.Plus(diagonal.Low, least) >= best.Low && shape.Plus(diagonal.High, least) >= best.High {
		return Cost{}, false, pair{}, true
	}
	if !p.solved {
		if p.cost, p.solved = s.known(x.call, y.call, t.byNames); !p.solved {
			return Cost{}, false, s.inOrder(x.call, y.call), false
		}
	}
	return diagonal.plus(p.cost.times(count).add(rest)), true, pair{}, true
}

// step keeps the step into a cell.
func (t *table) step(i, j int, m move) {
	if len(t.moves) > 0 {
		r := &t.spans[i]
		t.moves[r.at+j-r.from] = m
	}
}

// rests returns how many calls of two elements belong together, and what the others cost.
func rests(x, y *element) (count, rest uint64) {
	if x.count < y.count {
		return x.count, shape.Times(y.unit, y.count-x.count)
	}
	return y.count, shape.Times(x.unit, x.count-y.count)
}

// cost returns the cost of the whole, once the table is full.
func (t *table) cost() Cost {
	if t.quick != nil {
		return exactly(uint64(t.quick.above[len(t.b)]))
	}
	return t.above[len(t.b)-t.spans[len(t.a)].from]
}

// way returns the steps of the alignment from its begin, once the table is full.
func (t *table) way() []move {
	var back []move
	i, j := len(t.a), len(t.b)
	for i > 0 || j > 0 {
		r := &t.spans[i]
		m := t.moves[r.at+j-r.from]
		back = append(back, m)
		if m != onlyB {
			i--
		}
		if m != onlyA {
			j--
		}
	}
	slices.Reverse(back)
	return back
}

// pairTable has what a table knows of pairs of distinct calls.
type pairTable struct {
	ownB int
	few  []pairOf
	many map[uint64]*pairOf
}

// mostPairs is the largest number of pairs of which all have their place.
const mostPairs = 1 << 20

func (p *pairTable) init(own [2]int) {
	if p.ownB, p.many = own[1], nil; own[0]*own[1] <= mostPairs {
		p.few = sized(p.few, own[0]*own[1])
		clear(p.few)
	} else {
		p.many = map[uint64]*pairOf{}
	}
}

func (p *pairTable) of(x, y uint32) *pairOf {
	at := uint64(x)*uint64(p.ownB) + uint64(y)
	if p.many == nil {
		return &p.few[at]
	}
	found := p.many[at]
	if found == nil {
		found = &pairOf{}
		p.many[at] = found
	}
	return found
}
