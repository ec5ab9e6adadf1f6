package shape

import (
	"slices"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

// collapse tells what would be left of a dictionary if fields were values. Costs are in units of bit.
type collapse struct {
	*Dictionary
	demoted   []FieldRef // besides those that the dictionary has
	events    []uint64   // by shape
	tokens    []uint32   // by shape
	locations int
	unit      int64             // cost of a weight of one, see weigh
	same      []uint32          // by shape: the first shape that would equal it
	first     map[uint64]uint32 // shapes by hash
	edges     []Edge
}

func newCollapse(d *Dictionary, u *Usage, bytes, locations int) *collapse {
	c := &collapse{Dictionary: d, events: u.leaves(d), tokens: u.tokens, locations: locations, same: make([]uint32, len(d.shapes))}
	c.unit = int64(bytes) * 8 * bitio.Bit / int64(c.weigh(FieldRef{}))
	return c
}

// cost returns what the structure would cost without one more field.
func (c *collapse) cost(f FieldRef) int64 {
	cost := c.unit * int64(c.weigh(f))
	counts := map[uint32]uint64{}
	all := uint64(0)
	for shape, n := range c.tokens {
		if n > 0 {
			counts[c.same[shape]] += uint64(n)
			all += uint64(n)
		}
	}
	for _, n := range counts {
		cost += int64(n) * (bitio.Log2(all) - bitio.Log2(n))
	}
	return cost
}

// column returns what the values of a field would cost; weigh has just been called for it. Any value may follow on any other, or,
// if locations hardly ever use one twice, on the one that came before it in the dictionary.
func (c *collapse) column(f FieldRef) (cost int64) {
	groups := map[uint32]uint64{} // events of the leaves that become one
	for shape, n := range c.events {
		if c.isOf(uint32(shape), f) {
			groups[c.same[shape]] += n
		}
	}
	events, leaves := uint64(0), uint64(0)
	before, steps := map[uint32]uint64{}, map[uint64]uint64{}
	for shape, n := range c.events {
		if !c.isOf(uint32(shape), f) || n == 0 {
			continue
		}
		group, value := c.same[shape], c.value(uint32(shape), f)
		cost += int64(n) * (bitio.Log2(groups[group]) - bitio.Log2(n))
		steps[value-before[group]]++
		before[group] = value
		events, leaves = events+n, leaves+1
	}
	if 4*leaves*uint64(c.locations) < events {
		return cost
	}
	sequence := int64(0)
	for _, n := range steps {
		sequence += int64(n) * (bitio.Log2(leaves) - bitio.Log2(n))
	}
	return min(cost, sequence*int64(events/leaves))
}

// isOf reports whether a shape is a leaf with the field.
func (c *collapse) isOf(shape uint32, f FieldRef) bool {
	s := &c.shapes[shape]
	return s.isLeaf() && c.leaves.info[s.at].Kind == f.Kind
}

// value returns a leaf's value of a field, the first if it is repeated.
func (c *collapse) value(shape uint32, f FieldRef) uint64 {
	l := c.Leaf(shape)
	for w, v := range l.Words {
		if field, _ := c.plans[l.Kind].field(w, len(l.Words)); field == int(f.Field) {
			return v
		}
	}
	return 0
}

// weigh finds which shapes would be the same without one more field, and returns the weight of those that are left: it is about
// proportional to their size in pages.
func (c *collapse) weigh(f FieldRef) (weight int) {
	c.first = map[uint64]uint32{}
	for shape := range uint32(len(c.shapes)) {
		if w := c.merge(shape, f); c.same[shape] == shape {
			weight += w
		}
	}
	return weight
}

// merge finds the first shape that would equal one, and returns the weight of it.
func (c *collapse) merge(shape uint32, f FieldRef) (weight int) {
	s := &c.shapes[shape]
	var h uint64
	switch {
	case s.isLeaf():
		h, weight = c.leafHash(c.Leaf(shape), f), 3
	case s.hole > 0:
		h, weight = mix(mix(2, uint64(c.same[s.at])), uint64(s.hole)), 2
	default:
		c.mergeEdges(c.edgesOf(s))
		if len(c.edges) == 1 && c.edges[0].Count == 1 {
			c.same[shape] = c.edges[0].Shape
			return 0
		}
		h, weight = 3, len(c.edges)+1
		for _, e := range c.edges {
			h = mix(h, uint64(e.Shape)<<32|uint64(e.Count))
		}
	}
	first, ok := c.first[h]
	if !ok {
		first = shape
		c.first[h] = shape
	}
	c.same[shape] = first
	return weight
}

// mergeEdges lists the edges that would be left: those to shapes that become one are counted.
func (c *collapse) mergeEdges(edges []Edge) {
	c.edges = c.edges[:0]
	for _, e := range edges {
		e.Shape = c.same[e.Shape]
		if n := len(c.edges); n > 0 && c.edges[n-1].Shape == e.Shape && !c.recurs(e.Shape) {
			c.edges[n-1].Count += e.Count
		} else {
			c.edges = append(c.edges, e)
		}
	}
}

// leafHash hashes what would be left of a leaf.
func (c *collapse) leafHash(l *Leaf, f FieldRef) uint64 {
	p := c.plans[l.Kind]
	h := mix(1, uint64(l.Kind))
	for w, v := range l.Words {
		field, _ := p.field(w, len(l.Words))
		at := FieldRef{l.Kind, uint16(field)}
		if at == f || slices.Contains(c.demoted, at) {
			continue
		}
		h = mix(h, v)
		if w == 0 {
			h = mix(h, uint64(bitio.FromBool(l.Relative)))
		}
	}
	for _, a := range l.Attrs {
		h = mix(mix(h, a.ID), uint64(a.Type))
	}
	return h
}
