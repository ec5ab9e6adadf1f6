package align

import (
	"context"

	"github.com/pandotrace/pando/analysis/calltree"
)

// mostElements is the largest number of runs of an opened list; what is behind stays closed.
const mostElements = 1 << 12

// chained cuts two lists at the calls and groups that an alignment of them makes equal, and appends what is between these part by part. It
// reports false if the lists differ much.
func (s *Aligner) chained(l *lists, a, b []calltree.Run) bool {
	callsA, _ := s.forest.Direct(a)
	callsB, _ := s.forest.Direct(b)
	if max(callsA, callsB) <= mostSingle {
		a, b = s.singleRuns(a), s.singleRuns(b)
	} else {
		inA, inB := groupsOf(s.forest, a), groupsOf(s.forest, b)
		a, b = openOthers(s.forest, a, inB), openOthers(s.forest, b, inA)
	}
	chain, few := s.equalChain(a, b)
	if !few || len(chain) == 0 {
		return false
	}
	i, j := 0, 0
	for k := 0; k < len(chain); {
		c := chain[k]
		s.stretch(l, a[i:c.a], b[j:c.b])
		if n := equalRuns(chain[k:], a, b); n > 0 {
			l.add(equalPart, a[c.a:c.a+n], b[c.b:c.b+n])
			i, j, k = c.a+n, c.b+n, k+n
			continue
		}
		same := calltree.Run{Node: a[c.a].Node, Count: min(a[c.a].Count, b[c.b].Count)}
		l.add(equalPart, []calltree.Run{same}, []calltree.Run{same})
		i, j, k = behind(a, c.a, same.Count), behind(b, c.b, same.Count), k+1
	}
	s.stretch(l, a[i:], b[j:])
	return true
}

// equalRuns returns the number of anchors from the first one on that follow each other in both lists, on runs of equal counts.
func equalRuns(chain []anchor, a, b []calltree.Run) (n int) {
	first := chain[0]
	for n < len(chain) && chain[n] == (anchor{first.a + n, first.b + n}) && a[first.a+n].Count == b[first.b+n].Count {
		n++
	}
	return n
}

// stretch appends what lies between two cuts.
func (s *Aligner) stretch(l *lists, a, b []calltree.Run) {
	if len(a) > 0 || len(b) > 0 {
		a, b, head, tail := trim(s.forest, a, b)
		l.add(equalPart, head, head)
		s.middle(l, a, b, false)
		l.add(equalPart, tail, tail)
	}
}

// behind returns the place behind some calls of a run: that of the run, less these, if it has more.
func behind(list []calltree.Run, at int, calls uint64) int {
	if list[at].Count == calls {
		return at + 1
	}
	list[at].Count -= calls
	return at
}

// groupsOf returns the groups of a list, those in groups included.
func groupsOf(f *calltree.Forest, list []calltree.Run) map[calltree.Node]bool {
	found := map[calltree.Node]bool{}
	var open []calltree.Node
	add := func(list []calltree.Run) {
		for _, r := range list {
			if f.IsGroup(r.Node) && !found[r.Node] {
				found[r.Node] = true
				open = append(open, r.Node)
			}
		}
	}
	add(list)
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		add(f.Runs(n))
	}
	return found
}

// openOthers opens the groups of a list that the other list does not have.
func openOthers(f *calltree.Forest, list []calltree.Run, other map[calltree.Node]bool) (out []calltree.Run) {
	stack := reversed(list)
	for len(stack) > 0 {
		r := &stack[len(stack)-1]
		if f.IsGroup(r.Node) && !other[r.Node] && len(out)+len(stack) < mostElements {
			stack = opened(f, stack, true)
			continue
		}
		out = append(out, *r)
		stack = stack[:len(stack)-1]
	}
	return out
}

// anchor is a pair of places in two lists that have the same call or group.
type anchor struct{ a, b int }

// chainMemory bounds the waves of equalChain, in bytes: lists may differ in some hundred places. Short lists have chainBytes for each run, since those
// that differ much cost more than a table.
const (
	chainMemory = 2 << 20
	chainBytes  = 64
)

// equalChain returns the places that an alignment of two lists makes equal, counts aside; few is false if the lists differ much.
func (s *Aligner) equalChain(a, b []calltree.Run) (chain []anchor, few bool) {
	memory := min(chainMemory, chainBytes*int64(len(a)+len(b)))
	s.nodes[0], s.nodes[1], s.waves = nodes(s.nodes[0], a), nodes(s.nodes[1], b), sized(s.waves, int(memory/4))
	w := newWaves(s.nodes[0], s.nodes[1], memory)
	w.keep, w.free = true, s.waves
	if _, ok, _ := w.run(context.Background()); !ok { // short work
		return nil, false
	}
	i, j := 0, 0
	for _, p := range w.way() {
		n := int(p.events)
		if p.state == Equal {
			for k := range n {
				chain = append(chain, anchor{a: i + k, b: j + k})
			}
		}
		if p.state != OnlyB {
			i += n
		}
		if p.state != OnlyA {
			j += n
		}
	}
	return chain, true
}

// nodes returns the calls and groups of a list, in the memory of another one.
func nodes(memory []uint32, list []calltree.Run) []uint32 {
	out := sized(memory, len(list))
	for i, r := range list {
		out[i] = uint32(r.Node)
	}
	return out
}
