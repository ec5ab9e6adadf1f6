package cluster

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Lattice is the concept lattice of locations and what they have: regions, pairs or call paths (formal concept analysis; Ganter and Wille
// 1999). A concept is a set of locations and of attributes: all attributes that these locations have in common, and all locations that have
// these attributes.
type Lattice struct {
	// Concepts are in order: those of more locations first. The first has all locations, the last has all attributes.
	Concepts []Concept
	// Attributes is the number of different ones.
	Attributes int

	of *Clusters
}

// Members returns the locations of a concept: numbers of [Clusters].Members, in rising order.
func (l *Lattice) Members(concept int) (members []int) {
	for _, k := range l.Concepts[concept].kinds.list() {
		members = append(members, l.of.kinds[k].members...)
	}
	slices.Sort(members)
	return members
}

// Concept is a set of locations with what they have in common.
type Concept struct {
	// Locations is their number, see [Lattice.Members].
	Locations int
	// Attributes is how many attributes they have in common.
	Attributes int
	// Own are those of them that no concept above has: it is the one with the most locations that has them.
	Own Features
	// Exact is how many of the locations have these attributes and no other.
	Exact int
	// Above are the numbers of the concepts with the least attributes less, Below of those with the least more, in rising order.
	Above, Below []int

	kinds, intent bitset
}

// DefaultConcepts is the number of concepts that a lattice has at most unless a caller says otherwise.
const DefaultConcepts = 10000

// ErrUnordered means that a lattice was asked for of locations that are no sets of attributes.
var ErrUnordered = errors.New("a lattice orders sets: those of functions, pairs or contexts")

// ConceptsError says that a lattice has more concepts than it may.
type ConceptsError struct{ Most int }

// Error implements error.
func (e *ConceptsError) Error() string {
	return fmt.Sprintf("the lattice has more than %d concepts; that of fewer locations, or by functions, has fewer", e.Most)
}

// Lattice returns the lattice of the locations before groups were merged. Concepts may be very many: more than a number (0 means 10,000) are a
// [ConceptsError].
func (c *Clusters) Lattice(ctx context.Context, most int) (*Lattice, error) {
	if !c.By.Ordered() {
		return nil, ErrUnordered
	}
	c.budget.ctx = ctx
	sets, all, err := c.attributes(c.By, c.traits())
	if err != nil {
		return nil, err
	}
	l := &latticing{Clusters: c, sets: sets, all: all, most: cmp.Or(most, DefaultConcepts), numbers: map[string]int{}}
	if err := l.close(); err != nil {
		return nil, err
	}
	l.extend()
	l.order()
	if err := l.link(); err != nil {
		return nil, err
	}
	l.tellOwn()
	return &Lattice{l.concepts, len(all), c}, nil
}

// latticing is a lattice that is being made.
type latticing struct {
	*Clusters
	sets     []bitset // by kind
	all      []attribute
	most     int
	concepts []Concept
	numbers  map[string]int // by intent
	bytes    int64
}

// key returns a set as a key: its bytes.
func key(b bitset) string {
	bytes := make([]byte, 0, 8*len(b))
	for _, w := range b {
		bytes = binary.LittleEndian.AppendUint64(bytes, w)
	}
	return string(bytes)
}

// close finds all intents: the sets of kinds, and what any of them have in common.
func (l *latticing) close() error {
	whole := newBitset(len(l.all))
	for n := range uint32(len(l.all)) {
		whole.add(n)
	}
	if err := l.add(whole); err != nil {
		return err
	}
	for _, set := range l.sets {
		if err := l.budget.ctx.Err(); err != nil {
			return err
		}
		for i, n := 0, len(l.concepts); i < n; i++ {
			if err := l.add(set.and(l.concepts[i].intent)); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds an intent, unless it is there.
func (l *latticing) add(intent bitset) error {
	k := key(intent)
	if _, ok := l.numbers[k]; ok {
		return nil
	}
	if len(l.concepts) >= l.most {
		return &ConceptsError{l.most}
	}
	l.bytes += int64(16*len(intent)+len(l.sets)/8) + conceptBytes
	if err := l.budget.check(l.bytes); err != nil {
		return err
	}
	l.numbers[k] = len(l.concepts)
	l.concepts = append(l.concepts, Concept{intent: intent})
	return nil
}

// conceptBytes is about what a concept takes besides its sets.
const conceptBytes = 400

// extend finds the kinds of all concepts.
func (l *latticing) extend() {
	for i := range l.concepts {
		c := &l.concepts[i]
		c.kinds, c.Attributes = newBitset(len(l.sets)), c.intent.size()
		for k, set := range l.sets {
			if !c.intent.within(set) {
				continue
			}
			c.kinds.add(uint32(k))
			c.Locations += len(l.kinds[k].members)
			if slices.Equal(set, c.intent) {
				c.Exact = len(l.kinds[k].members)
			}
		}
	}
}

// order puts the concepts in order.
func (l *latticing) order() {
	slices.SortFunc(l.concepts, func(a, b Concept) int {
		return cmp.Or(cmp.Compare(b.Locations, a.Locations), cmp.Compare(a.Attributes, b.Attributes),
			slices.Compare(a.kinds.list(), b.kinds.list()), slices.Compare(a.intent, b.intent))
	})
	for i := range l.concepts {
		l.numbers[key(l.concepts[i].intent)] = i
	}
}

// link finds the neighbours of all concepts: those above one have what it has in common with another kind, and the least of that.
func (l *latticing) link() error {
	for i := range l.concepts {
		c := &l.concepts[i]
		if err := l.budget.ctx.Err(); err != nil {
			return err
		}
		above := map[int]bool{}
		for k, set := range l.sets {
			if !c.kinds.has(uint32(k)) {
				above[l.numbers[key(set.and(c.intent))]] = true
			}
		}
		for n := range above {
			if !l.between(above, n) {
				c.Above = append(c.Above, n)
			}
		}
		slices.Sort(c.Above)
		for _, n := range c.Above {
			l.concepts[n].Below = append(l.concepts[n].Below, i)
		}
	}
	return nil
}

// between reports whether another one of some concepts lies below one.
func (l *latticing) between(above map[int]bool, n int) bool {
	for m := range above {
		if m != n && l.concepts[n].intent.within(l.concepts[m].intent) {
			return true
		}
	}
	return false
}

// tellOwn finds the attributes that no concept above has.
func (l *latticing) tellOwn() {
	for i := range l.concepts {
		c := &l.concepts[i]
		own := slices.Clone(c.intent)
		for _, n := range c.Above {
			for w, x := range l.concepts[n].intent {
				own[w] &^= x
			}
		}
		l.tell(&c.Own, l.By, l.all, own)
	}
}
