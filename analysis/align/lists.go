package align

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// lists aligns what is directly inside of two calls or groups, part by part.
type lists struct {
	parts  []part
	next   int  // of parts
	cut    bool // at places that need not be the best ones
	unlike bool // they differ too much to be cut where they are equal
	cost   Cost
	bound  uint64

	head, tail, a, b []calltree.Run // equal ends, and what is between
	call             bool           // they are those of a call, not of a group

	how     way
	found   bool
	best    Cost // of those that were found
	bestHow way
	early   bool // aligned at an equal pace, and not by groups yet
	final   bool // nothing better is looked for
}

// way is a way to align long lists: in a table of single calls that has the cells that an alignment within the limit can reach; or at an equal pace;
// or else part by part. Around says that one call standing around a part of the other costs less than all these: see [wrapping].
type way struct {
	limit  uint64
	paced  bool
	around bool
}

// part is a piece of two lists, aligned with each other. Its table is there while it is being worked on.
type part struct {
	kind  partKind
	a, b  []calltree.Run
	cost  Cost
	table *table
}

type partKind uint8

const (
	equalPart  partKind = iota // a is b
	alonePart                  // neither side has partners
	runPart                    // one run on each side: as many pairs as can be are best, since a pair costs less than its calls without partners
	exactPart                  // a table of single calls
	coarsePart                 // a table of runs and groups
)

// prepare prepares the lists of two calls.
func (s *Aligner) prepare(l *lists, p pair) {
	s.trim(l, p)
	if s.work <= 0 && s.pace(l) {
		return
	}
	if s.long(l) {
		if l.between(func() { l.cut = s.chained(l, l.a, l.b) }); l.cut {
			return
		}
		if l.unlike = true; s.pace(l) {
			l.early = true
			return
		}
	}
	s.whole(l)
}

// long reports whether lists are those of a call, and too long for a table of single calls: then groups are the last that is tried.
func (s *Aligner) long(l *lists) bool {
	callsA, _ := s.forest.Direct(l.a)
	callsB, _ := s.forest.Direct(l.b)
	return l.call && s.opt.Level != Names && shape.Times(callsA, callsB) > s.opt.Cells
}

// groups goes on to parts by groups, after an alignment at an equal pace that costs half more than the bound. It reports false otherwise.
func (s *Aligner) groups(l *lists) bool {
	if !l.early || l.best.High <= shape.Plus(l.bound, l.bound/2) || s.work <= 0 {
		return false
	}
	l.early, l.how = false, way{}
	s.whole(l)
	return true
}

// again prepares the lists of two calls as they were aligned for a known cost.
func (s *Aligner) again(p pair, c pairCost) *lists {
	l := &lists{}
	s.trim(l, p)
	l.final, l.how = true, c.how
	switch {
	case c.how.limit > 0:
		s.single(l, s.singleTable(l.a, l.b, l.how.limit))
	case c.how.paced:
		s.paced(l)
	default:
		s.whole(l)
	}
	return l
}

// trim sets two lists that have no parts yet.
func (s *Aligner) trim(l *lists, p pair) {
	l.bound, l.call = s.insideBound(p.x, p.y), !s.forest.IsGroup(p.x)
	l.a, l.b, l.head, l.tail = trim(s.forest, s.forest.Runs(p.x), s.forest.Runs(p.y))
}

// between begins anew, with some parts between the equal ends.
func (l *lists) between(parts func()) {
	l.parts, l.next, l.cost = l.parts[:0], 0, Cost{}
	l.add(equalPart, l.head, l.head)
	parts()
	l.add(equalPart, l.tail, l.tail)
}

// whole makes parts of all of the lists.
func (s *Aligner) whole(l *lists) {
	l.between(func() { s.middle(l, l.a, l.b, l.call) })
}

// single makes one part of the lists, a table of single calls.
func (s *Aligner) single(l *lists, t *table) {
	l.between(func() {
		l.add(exactPart, l.a, l.b)
		l.parts[len(l.parts)-1].table = t
	})
}

// singleTable returns a table of the single calls of two lists.
func (s *Aligner) singleTable(a, b []calltree.Run, limit uint64) *table {
	t := s.takeTable()
	t.a, t.b = s.appendSingle(t.a, a), s.appendSingle(t.b, b)
	return s.prepared(t, limit)
}

func (l *lists) add(kind partKind, a, b []calltree.Run) {
	if len(a) > 0 || len(b) > 0 {
		l.parts = append(l.parts, part{kind: kind, a: a, b: b})
	}
}

// middle appends what is between equal ends. With chain, long lists that differ little are cut where they are equal.
func (s *Aligner) middle(l *lists, a, b []calltree.Run, chain bool) {
	f := s.forest
	if len(a) == 0 || len(b) == 0 {
		l.add(alonePart, a, b)
		return
	}
	if len(a) == 1 && len(b) == 1 && f.IsGroup(a[0].Node) == f.IsGroup(b[0].Node) {
		l.add(runPart, a, b)
		l.cut = l.cut || f.IsGroup(a[0].Node)
		return
	}
	callsA, _ := f.Direct(a)
	callsB, _ := f.Direct(b)
	if shape.Times(callsA, callsB) <= min(fewCells, s.opt.Cells) {
		l.add(exactPart, a, b)
		return
	}
	l.cut = true
	if chain && !l.unlike && s.chained(l, a, b) {
		return
	}
	l.add(coarsePart, s.pieces(a), s.pieces(b))
}

// fewCells is the size of a table that is quicker than finding out whether it is needed.
const fewCells = 1 << 10

// somePieces is the number of runs of a list above which no more groups are opened.
const somePieces = 32

// pieces opens groups of a list, the largest first, until it has some runs. Groups that are repeated stay: they are loops.
func (s *Aligner) pieces(list []calltree.Run) []calltree.Run {
	f := s.forest
	list = slices.Clone(list)
	for len(list) < somePieces {
		at := -1
		for i, r := range list {
			if r.Count == 1 && f.IsGroup(r.Node) && (at < 0 || f.Size(r.Node) > f.Size(list[at].Node)) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		list = slices.Replace(list, at, at+1, f.Runs(list[at].Node)...)
	}
	return list
}

// work goes on; ok is false if it needs a pair.
func (l *lists) work(s *Aligner) (need pair, ok bool) {
	for {
		for ; l.next < len(l.parts); l.next++ {
			p := &l.parts[l.next]
			if need, ok = p.work(s, false); !ok {
				return need, false
			}
			l.cost = l.cost.plus(p.cost)
			s.release(p)
		}
		if !l.cut || l.final || l.how.limit > 0 && l.cost.High <= l.how.limit {
			l.bestHow = l.how
			return pair{}, true
		}
		if !l.found || l.cost.High < l.best.High {
			l.found, l.best, l.bestHow = true, Cost{min(l.bound, l.cost.High), l.cost.High}, l.how
		}
		if l.best.Proven() || !s.narrow(l) && !s.pace(l) && !s.groups(l) {
			l.cost = l.best
			return pair{}, true
		}
	}
}

// narrow goes on to a table of single calls that has the cells that an alignment of a limited cost can reach. If the table finds one that costs
// no more, it is the best there is; else the next limit is twice as high (Ukkonen 1985). A table that has half of all cells gets the others: then it
// is the last one. It reports false if a table has too many cells.
func (s *Aligner) narrow(l *lists) bool {
	if s.opt.Level == Names || s.work <= 0 || l.how.paced && !l.early {
		return false
	}
	if l.how.limit == 0 {
		callsA, _ := s.forest.Direct(l.a)
		callsB, _ := s.forest.Direct(l.b)
		if max(callsA, callsB) > min(mostSingle, s.opt.Cells) {
			return false
		}
		l.how.limit = shape.Plus(l.bound, l.bound/4+firstLimit)
	} else {
		l.how.limit = shape.Times(l.how.limit, 2)
	}
	l.how.limit = min(l.how.limit, l.best.High)
	t := s.singleTable(l.a, l.b, l.how.limit)
	if all := shape.Times(uint64(len(t.a)+1), uint64(len(t.b)+1)); all <= min(s.opt.Cells, 2*uint64(t.cells())) {
		l.how.limit = math.MaxUint64
		t.spans = s.spansOf(t, l.how.limit)
	}
	if uint64(t.cells()) > s.opt.Cells {
		s.release(&part{table: t})
		return false
	}
	s.single(l, t)
	return true
}

// firstLimit is how much more than a quarter above the bound an alignment may cost at first.
const firstLimit = 32

// mostSingle is the largest number of calls in a list that are looked at one by one.
const mostSingle = 1 << 16

// work goes on with a part; ok is false if it needs a pair. With steps, its table keeps its way.
func (p *part) work(s *Aligner, steps bool) (need pair, ok bool) {
	switch p.kind {
	case alonePart:
		p.cost = exactly(shape.Plus(s.lackingAll(p.a), s.lackingAll(p.b)))
	case runPart:
		return p.pairUp(s)
	case exactPart, coarsePart:
		if p.table == nil && p.kind == exactPart {
			p.table = s.singleTable(p.a, p.b, math.MaxUint64)
		} else if p.table == nil {
			p.table = s.takeTable()
			p.table.a, p.table.b = appendElements(p.table.a, p.a), appendElements(p.table.b, p.b)
			s.prepared(p.table, math.MaxUint64)
		}
		p.cost, need, ok = p.table.work(s, steps)
		return need, ok
	}
	return pair{}, true
}

// pairUp pairs the calls of two runs; ok is false if it needs the pair of calls.
func (p *part) pairUp(s *Aligner) (need pair, ok bool) {
	x, y := s.elementOf(p.a[0]), s.elementOf(p.b[0])
	c, ok := s.at(s.inOrder(x.call, y.call))
	if !ok {
		return s.inOrder(x.call, y.call), false
	}
	count, rest := rests(&x, &y)
	p.cost = c.whole.times(count).add(rest)
	return pair{}, true
}

// elementOf returns a run as an element.
func (s *Aligner) elementOf(r calltree.Run) element {
	return element{call: r.Node, count: r.Count, unit: shape.Times(lacking, s.forest.Size(r.Node))}
}

// lackingAll returns the cost of runs without a partner.
func (s *Aligner) lackingAll(list []calltree.Run) (n uint64) {
	for _, r := range list {
		n = shape.Plus(n, shape.Times(shape.Times(lacking, s.forest.Size(r.Node)), r.Count))
	}
	return n
}

// flattened returns a list without groups, which has few runs.
func (s *Aligner) flattened(list []calltree.Run) []calltree.Run {
	flat, _ := s.forest.AppendFlat(nil, list, math.MaxInt)
	return flat
}

// singleRuns returns a run for each call of a list, which has few.
func (s *Aligner) singleRuns(list []calltree.Run) []calltree.Run {
	calls, _ := s.forest.Direct(list)
	return s.appendSingleRuns(make([]calltree.Run, 0, calls), list)
}

func (s *Aligner) appendSingleRuns(to, list []calltree.Run) []calltree.Run {
	for _, r := range list {
		for range r.Count {
			if s.forest.IsGroup(r.Node) {
				to = s.appendSingleRuns(to, s.forest.Runs(r.Node))
			} else {
				to = append(to, calltree.Run{Node: r.Node, Count: 1})
			}
		}
	}
	return to
}

// appendSingle appends an element for each call of a list, which has few.
func (s *Aligner) appendSingle(to []element, list []calltree.Run) []element {
	for _, r := range list {
		for range r.Count {
			if s.forest.IsGroup(r.Node) {
				to = s.appendSingle(to, s.forest.Runs(r.Node))
			} else {
				to = append(to, element{call: r.Node, count: 1})
			}
		}
	}
	return to
}

// appendElements appends an element for each run of a list.
func appendElements(to []element, list []calltree.Run) []element {
	for _, r := range list {
		to = append(to, element{call: r.Node, count: r.Count})
	}
	return to
}
