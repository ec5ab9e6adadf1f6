package align

import "github.com/pandotrace/pando/analysis/calltree"

// lists aligns what is directly inside of two calls.
type lists struct {
	head  []calltree.Run // equal on both sides, before and behind the rest
	tail  []calltree.Run
	a, b  []calltree.Run // the rest
	cost  Cost
	lone  bool   // each side of the rest is one run: as many pairs as can be are best, since a pair costs less than its calls without partners
	table *table // of the rest; nil if a side of it is empty, or both are one run
	exact bool   // the table is of single calls
	pairs []move // Names: the way of the table, whose pairs are still to be added up
	next  int    // of these
	ends  [2]int // elements before it
	bound uint64
}

// newLists prepares the lists of two calls. With way, the table keeps its steps.
func (s *Aligner) newLists(p pair, way bool) *lists {
	f := s.forest
	l := &lists{a: f.Runs(p.x), b: f.Runs(p.y), bound: s.insideBound(p.x, p.y)}
	l.a, l.b, l.head = cutHead(l.a, l.b)
	l.a, l.b, l.tail = cutTail(l.a, l.b)
	if len(l.a) == 0 || len(l.b) == 0 {
		l.cost = exactly(plus(s.lackingAll(l.a), s.lackingAll(l.b)))
		return l
	}
	if l.lone = len(l.a) == 1 && len(l.b) == 1; l.lone {
		return l
	}
	byNames := s.opt.Level == Names
	var a, b []element
	if n, m := calls(l.a), calls(l.b); n <= s.opt.Cells && m <= s.opt.Cells && n*m <= s.opt.Cells {
		a, b, l.exact = single(l.a), single(l.b), true
	} else if n, m := uint64(len(l.a)), uint64(len(l.b)); n*m <= s.opt.Cells {
		a, b = together(l.a), together(l.b)
	} else {
		l.cost = Cost{l.bound, plus(s.lackingAll(l.a), s.lackingAll(l.b))}
		return l
	}
	l.table = newTable(f, a, b, way || byNames)
	l.table.byNames = byNames
	return l
}

// work goes on with the table; ok is false if it needs a pair.
func (l *lists) work(s *Aligner) (need pair, ok bool) {
	if l.lone {
		return l.pairUp(s)
	}
	if l.table == nil {
		return pair{}, true
	}
	if l.pairs == nil {
		if need, ok = l.table.fill(s); !ok {
			return need, false
		}
		l.cost = l.table.cost()
	}
	if l.table.byNames {
		if need, ok = l.addPairs(s); !ok {
			return need, false
		}
	}
	if !l.exact {
		l.cost.Low = min(l.bound, l.cost.High)
	}
	return pair{}, true
}

// pairUp pairs the calls of two runs; ok is false if it needs the pair of calls.
func (l *lists) pairUp(s *Aligner) (need pair, ok bool) {
	x, y := s.elementOf(l.a[0]), s.elementOf(l.b[0])
	c, ok := s.at(inOrder(x.call, y.call))
	if !ok {
		return inOrder(x.call, y.call), false
	}
	count, rest := rests(&x, &y)
	l.cost = c.whole.times(count).add(rest)
	return pair{}, true
}

// elementOf returns a run as an element.
func (s *Aligner) elementOf(r calltree.Run) element {
	return element{call: r.Node, count: r.Count, unit: times(lacking, s.forest.Size(r.Node))}
}

// addPairs adds up the cost of the pairs that the names made; ok is false if it needs one.
func (l *lists) addPairs(s *Aligner) (need pair, ok bool) {
	t := l.table
	if l.pairs == nil {
		l.pairs, l.cost = t.way(), Cost{}
	}
	for ; l.next < len(l.pairs); l.next++ {
		i, j := &l.ends[0], &l.ends[1]
		switch l.pairs[l.next] {
		case onlyA:
			l.cost = l.cost.add(t.gapA[*i])
			*i++
		case onlyB:
			l.cost = l.cost.add(t.gapB[*j])
			*j++
		default:
			x, y := &t.a[*i], &t.b[*j]
			c, ok := s.at(inOrder(x.call, y.call))
			if !ok {
				return inOrder(x.call, y.call), false
			}
			count, rest := rests(x, y)
			l.cost = l.cost.plus(c.whole.times(count).add(rest))
			*i++
			*j++
		}
	}
	return pair{}, true
}

// lackingAll returns the cost of runs without a partner.
func (s *Aligner) lackingAll(list []calltree.Run) (n uint64) {
	for _, r := range list {
		n = plus(n, times(times(lacking, s.forest.Size(r.Node)), r.Count))
	}
	return n
}

// cutHead cuts off what two lists begin with. A call is as near to itself as can be: to align equal ends with each other costs nothing, and
// no alignment is better for doing otherwise, since costs are a metric.
func cutHead(a, b []calltree.Run) (restA, restB, head []calltree.Run) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	head, a, b = a[:n:n], a[n:], b[n:]
	if len(a) > 0 && len(b) > 0 && a[0].Node == b[0].Node {
		count := min(a[0].Count, b[0].Count)
		head = append(head, calltree.Run{Node: a[0].Node, Count: count})
		a, b = less(a, 0, count), less(b, 0, count)
	}
	return a, b, head
}

// cutTail cuts off what two lists end with.
func cutTail(a, b []calltree.Run) (restA, restB, tail []calltree.Run) {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	tail, a, b = a[len(a)-n:], a[:len(a)-n], b[:len(b)-n]
	if x, y := len(a)-1, len(b)-1; x >= 0 && y >= 0 && a[x].Node == b[y].Node {
		count := min(a[x].Count, b[y].Count)
		tail = append([]calltree.Run{{Node: a[x].Node, Count: count}}, tail...)
		a, b = less(a, x, count), less(b, y, count)
	}
	return a, b, tail
}

// less returns a list with some calls less in the first or the last of its runs, which goes if it has no others.
func less(list []calltree.Run, at int, count uint64) []calltree.Run {
	if list[at].Count == count {
		if at == 0 {
			return list[1:]
		}
		return list[:at]
	}
	out := append([]calltree.Run(nil), list...)
	out[at].Count -= count
	return out
}

// calls returns the number of calls directly in a list.
func calls(list []calltree.Run) (n uint64) {
	for _, r := range list {
		n = plus(n, r.Count)
	}
	return n
}

// single returns an element for each call of a list, which has few.
func single(list []calltree.Run) (out []element) {
	for _, r := range list {
		for range r.Count {
			out = append(out, element{call: r.Node, count: 1})
		}
	}
	return out
}

// together returns an element for each run of a list.
func together(list []calltree.Run) (out []element) {
	for _, r := range list {
		out = append(out, element{call: r.Node, count: r.Count})
	}
	return out
}
