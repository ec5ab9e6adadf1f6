package check

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// pairing is what events of a kind open or close, of the families that no other rule knows.
type pairing struct {
	family trace.PairFamily
	kind   trace.Kind
	closes bool
	again  bool // may close what was closed already
	rule   trace.PairRule
	words  []int // of the keys
}

// pairKey is what the two events of a pair agree in.
type pairKey struct {
	family trace.PairFamily
	keys   [maxKeys]uint64
}

// maxKeys is the most keys of a family that is checked here.
const maxKeys = 4

// pairingsOf returns what a kind opens or closes on one location. Families that other rules check are not among them, nor arrows and spans,
// whose ends may lie on any two locations.
func pairingsOf(s *trace.Spec) (list []pairing) {
	for _, p := range s.Pairs {
		if p.Family <= trace.PairCollectiveRequest || p.Family >= trace.PairArrow || len(p.Keys) > maxKeys {
			continue
		}
		q := pairing{family: p.Family, kind: s.ID, closes: p.Closes, again: s.ID == trace.KindRmaOpCompleteRemote, rule: p.Rule}
		for _, k := range p.Keys {
			q.words = append(q.words, s.Field(k))
		}
		list = append(list, q)
	}
	return list
}

// pair takes up an event that opens or closes something.
func (l *lane) pair(i int, p *pairing) {
	key, w := pairKey{family: p.family}, l.batch.Fields(i)
	for n, word := range p.words {
		key.keys[n] = w[word]
	}
	open := l.pairs[key]
	switch {
	case !p.closes:
		if l.pairs == nil {
			l.pairs = map[pairKey][]Place{}
		}
		l.pairs[key] = append(open, l.place(i))
	case len(open) == 0:
		if !p.again {
			l.ledger.add(LostOpening, l.excused(LostOpening), l.place(i), Value{"kind", Kind, uint64(p.kind)})
		}
	case len(open) == 1:
		delete(l.pairs, key)
	case p.rule == trace.ByKey:
		l.pairs[key] = open[:len(open)-1]
	default:
		l.pairs[key] = slices.Delete(open, 0, 1)
	}
}

// endPairs notes what is open at the end.
func (l *lane) endPairs() {
	for key, open := range l.pairs {
		for _, at := range open {
			l.ledger.add(OpenPair, l.excused(OpenPair), at, Value{"family", Plain, uint64(key.family)})
		}
	}
}
