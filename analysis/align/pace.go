package align

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// Lists are aligned at an equal pace: cut behind each pace-th call of the name that most of both have, and each piece with its like. That is for loops
// in which something happens now and then, at other times on each side (Weber 2016, section 3.2.4, has anchors at the most frequent region).
const (
	pace      = 16
	mostPaced = 1 << 19 // runs of a list
)

// pace goes on to alignment at an equal pace, once for the lists of a call: when nothing else is left, or when there was much work. It reports false where that does not apply.
func (s *Aligner) pace(l *lists) bool {
	if !l.call || l.how.paced || s.opt.Level == Names {
		return false
	}
	_, runsA := s.forest.Direct(l.a)
	_, runsB := s.forest.Direct(l.b)
	if max(runsA, runsB) > mostPaced || min(runsA, runsB) < pace {
		return false
	}
	s.work -= int64(runsA + runsB)
	l.how = way{paced: true}
	s.paced(l)
	return true
}

// paced makes parts at an equal pace.
func (s *Aligner) paced(l *lists) {
	a, b := s.flattened(l.a), s.flattened(l.b)
	name := s.commonest(a, b)
	l.cut = true
	l.between(func() {
		for len(a) > 0 || len(b) > 0 {
			var pieceA, pieceB []calltree.Run
			pieceA, a = s.cutBehind(a, name)
			pieceB, b = s.cutBehind(b, name)
			s.stretch(l, pieceA, pieceB)
		}
	})
}

// commonest returns the name of which both lists have the most calls, the first by its text of several: numbers of names depend on the order in which
// a format defines regions.
func (s *Aligner) commonest(a, b []calltree.Run) (most calltree.Name) {
	count := func(list []calltree.Run) map[calltree.Name]uint64 {
		calls := map[calltree.Name]uint64{}
		for _, r := range list {
			calls[s.forest.Name(r.Node)] = shape.Plus(calls[s.forest.Name(r.Node)], shape.Times(r.Count, s.forest.Size(r.Node)))
		}
		return calls
	}
	inA, inB := count(a), count(b)
	best := uint64(0)
	for n, calls := range inA {
		if both := min(calls, inB[n]); both > best || both == best && both > 0 && s.forest.NameOf(n) < s.forest.NameOf(most) {
			best, most = both, n
		}
	}
	return most
}

// cutBehind cuts a list behind the pace-th call of a name.
func (s *Aligner) cutBehind(list []calltree.Run, name calltree.Name) (piece, rest []calltree.Run) {
	left := uint64(pace)
	for i, r := range list {
		if s.forest.Name(r.Node) != name {
			continue
		}
		if r.Count < left {
			left -= r.Count
			continue
		}
		piece = append(list[:i:i], calltree.Run{Node: r.Node, Count: left})
		if r.Count == left {
			return piece, list[i+1:]
		}
		rest = list[i:]
		rest[0].Count -= left
		return piece, rest
	}
	return list, nil
}
