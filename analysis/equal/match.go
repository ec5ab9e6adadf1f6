package equal

import (
	"github.com/pandotrace/pando/trace"
)

// matching tells which definitions of two traces belong together. In this order, each time of those that are left:
//
//   - those that say the same, whatever their ids, and whatever the ids of what they refer to;
//   - those of the same kind and name;
//   - those that say the same if what belongs together so far counts as the same;
//   - those of the same kind and id, if all that belong together so far have the same ids.
//
// Of several that could be meant those with the same id belong together, then those in the same order.
type matching struct {
	partners
	contents [2]*contents
	said     [2][]sum // what each definition says
	alike    bool     // all that belong together have the same ids
	// identical says that both traces have the same definitions in the same order: then nothing else is known of them.
	identical bool
}

func newMatching(a, b *contents) *matching {
	m := &matching{contents: [2]*contents{a, b}, partners: newPartners(len(a.log), len(b.log))}
	m.said = [2][]sum{a.sum(), b.sum()}
	match(m, m.sumOf)
	match(m, m.nameOf)
	for side, partners := range [2][]int{m.toB, m.toA} {
		m.contents[side].known = m.numberIn(side, partners)
		m.contents[side].sum()
	}
	match(m, m.sumOf)
	m.alike = true
	for i, j := range m.toB {
		m.alike = m.alike && (j < 0 || a.ids[i] == b.ids[j])
	}
	if m.alike {
		match(m, m.kindAndID)
	}
	return m
}

// numberIn gives the definitions of a side that have a partner a number that the partner has too: the place in A.
func (m *matching) numberIn(side int, partners []int) func(i int) (uint64, bool) {
	fixed := append([]int(nil), partners...)
	return func(i int) (uint64, bool) {
		switch j := fixed[i]; {
		case j < 0:
			return 0, false
		case side == 0:
			return uint64(i), true
		default:
			return uint64(j), true
		}
	}
}

func (m *matching) sumOf(side, i int) (s sum, ok bool) { return m.contents[side].sums[i], true }

// kindName is what definitions are found by that do not say the same.
type kindName struct {
	kind trace.Kind
	name string
}

// nameOf returns kind and name of a definition. One that has an id and no name has none that could be meant.
func (m *matching) nameOf(side, i int) (k kindName, ok bool) {
	c := m.contents[side]
	k = kindName{c.log[i].Kind, c.nameOf(i)}
	return k, k.name != "" || c.ids[i].space == trace.SpaceNone
}

// kindID is what definitions are found by where both traces give the same ids.
type kindID struct {
	kind trace.Kind
	id   named
}

func (m *matching) kindAndID(side, i int) (k kindID, ok bool) {
	c := m.contents[side]
	return kindID{c.log[i].Kind, c.ids[i]}, true
}

// match matches the definitions of a key that have no partner yet: those with the same id, then the n-th with the n-th.
func match[K comparable](m *matching, key func(side, i int) (K, bool)) {
	type keyed struct {
		key K
		id  named
	}
	a, b := m.contents[0], m.contents[1]
	matchBy(&m.partners, func(side, i int) (keyed, bool) {
		k, ok := key(side, i)
		c := a
		if side == 1 {
			c = b
		}
		return keyed{k, c.ids[i]}, ok
	})
	matchBy(&m.partners, key)
}

// numbering returns which ids mean the same.
func (m *matching) numbering() *numbering {
	n, classes := newNumbering(), map[sum]uint64{}
	of := func(s sum) uint64 {
		if _, ok := classes[s]; !ok {
			classes[s] = uint64(len(classes))
		}
		return classes[s]
	}
	ofA := make([]uint64, len(m.toB))
	for i, s := range m.said[0] {
		ofA[i] = of(s)
		n.putFirst(0, m.contents[0].ids[i], ofA[i])
	}
	for j, s := range m.said[1] {
		class := of(s)
		if i := m.toA[j]; i >= 0 {
			class = ofA[i]
		}
		n.putFirst(1, m.contents[1].ids[j], class)
	}
	return n
}

// putFirst gives an id its class, unless an earlier definition of the same id did.
func (n *numbering) putFirst(side int, of named, class uint64) {
	if _, ok := n.class(side, of); !ok && of.space != trace.SpaceNone {
		n.put(side, of, class)
	}
}

// locations returns the ids that the locations of A have in B, of those that are in both.
func (m *matching) locations() map[uint64]uint64 {
	to := map[uint64]uint64{}
	for i, j := range m.toB {
		if a := m.contents[0].ids[i]; j >= 0 && a.space == trace.SpaceLocation {
			if _, ok := to[a.id]; !ok {
				to[a.id] = m.contents[1].ids[j].id
			}
		}
	}
	return to
}
