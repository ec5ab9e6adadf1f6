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
	n      int // of the keys
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

// openPairs are what is open of one location, or of one process.
type openPairs map[pairKey][]Place

// pair takes up an event that opens or closes something. What threads of a process do together is put in order of time before.
func (l *lane) pair(i int, p *pairing) {
	key, w := pairKey{family: p.family, n: len(p.words)}, l.batch.Fields(i)
	for n, word := range p.words {
		key.keys[n] = w[word]
	}
	switch p.family.Scope() {
	case trace.ProcessScope:
		l.joint.push(&jointEvent{at: l.place(i), kind: pairs, lane: l, pair: &joinedPair{p, key}})
	default:
		if l.pairs == nil {
			l.pairs = openPairs{}
		}
		l.ledger.pair(l.pairs, l.place(i), p, key)
	}
}

// joinedPair is an event that opens or closes something for all threads of a process.
type joinedPair struct {
	*pairing
	key pairKey
}

// pairOfProcess takes one up.
func (c *checker) pairOfProcess(e *jointEvent) {
	of := c.processOf(e.at.Location)
	if c.pairs[of] == nil {
		c.pairs[of] = openPairs{}
	}
	c.ledger.pair(c.pairs[of], e.at, e.pair.pairing, e.pair.key)
}

// pair opens something, or closes what is open.
func (l *ledger) pair(pairs openPairs, at Place, p *pairing, key pairKey) {
	open := pairs[key]
	switch {
	case !p.closes:
		pairs[key] = append(open, at)
	case len(open) == 0:
		if !p.again {
			l.add(LostOpening, unlessCut, at, Value{"kind", Kind, uint64(p.kind)})
		}
	case len(open) == 1:
		delete(pairs, key)
	case p.rule == trace.ByKey:
		pairs[key] = open[:len(open)-1]
	default:
		pairs[key] = slices.Delete(open, 0, 1)
	}
}

// endPairs notes what is open at the end.
func (l *ledger) endPairs(pairs openPairs) {
	for key, open := range pairs {
		for _, at := range open {
			l.add(OpenPair, unlessCut, at, Value{"family", Plain, uint64(key.family)})
		}
	}
}
