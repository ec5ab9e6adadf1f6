package shape

import (
	"github.com/pandotrace/pando/encode/internal/bitio"
)

// # Edges of composites
//
// Composites resemble earlier ones, so an edge is guessed from what stood in its place before. The edges of all composites of a
// dictionary are one sequence, in which an end mark follows on the last edge of each composite. An end mark counts as an edge to the
// shape 2^32 - 1 with the count 0, and two of them stand before the first edge. An edge is coded thus:
//
//	two  is what followed the last time on two edges with the same hash as the last two, e' and e'', e'' being the last. With e'
//	     leading to shape s' with count n', and e'' to s'' with n'', the hash is
//	     (2654435761·s' + 2246822519·n' + 3266489917·s'' + 668265263·n'') mod 2^32, without its 18 low bits
//	one  is what followed the last time on an edge to the same shape as the last one
//
//	B(two h, it is two)   if anything followed
//	B(one h, it is one)   if it is not two, anything followed, and one differs from two
//
// where h = 0 for a composite's first edge, else h = 2·(h' mod 2) + g, with the h' of the edge before, and g = 1 if that was guessed, else 0. If the edge is
// neither two nor one, with i edges before it in its composite:
//
//	B(end min(i, 3), it is an end mark)                  and if it is none
//	B(to a leaf min(i, 2), its shape is a leaf)          and if it is one
//	B(closing, it is closing)                            if there is a closing, and if it is not closing
//	N(place, number of leaves before its shape), N(count of leaves, count - 1)
//
// and for edges to other shapes than leaves N(distance, own number - shape), N(count, count - 1). Closing is the last edge of
// the latest composite whose first edge leads to the same shape and whose last edge leads to a leaf; there is none for a first edge.

// edgeHistory is what is known of the edges so far.
type edgeHistory struct {
	two, one [4]bitio.Chance
	end      [4]bitio.Chance
	leaf     [3]bitio.Chance
	closes   bitio.Chance

	last, lastButOne Edge
	first            edgePlace    // of the composite that is coded
	afterTwo         hashedPlaces // by hash
	after            []edgePlace  // by shape + 1, 0 for the end mark
	closing          []edgePlace  // by the shape of the first edge
}

// reset makes a history an empty one, and keeps its memory.
func (h *edgeHistory) reset() {
	for _, row := range h.afterTwo {
		if row != nil {
			clear(row[:])
		}
	}
	*h = edgeHistory{last: endMark, lastButOne: endMark, afterTwo: h.afterTwo, after: h.after[:0], closing: h.closing[:0]}
}

const hashBits = 14

// hashedPlaces are places by hash, in rows that are made when something is put there: dictionaries are many where there are many lanes, and
// most of them are small.
type hashedPlaces [1 << (hashBits - rowBits)]*[1 << rowBits]edgePlace

const rowBits = 4

// at returns the place of a hash.
func (p *hashedPlaces) at(hash uint32) *edgePlace {
	row := &p[hash>>rowBits]
	if *row == nil {
		*row = new([1 << rowBits]edgePlace)
	}
	return &(*row)[hash&(1<<rowBits-1)]
}

// edgePlace is where an edge stands: 1 + its index among those of the dictionary. Edges would take twice the memory.
type edgePlace uint32

const (
	noEdge   edgePlace = 0
	endPlace edgePlace = 1<<32 - 1 // that of all end marks
)

// endMark follows the last edge of a composite.
var endMark = Edge{Shape: 1<<32 - 1}

// hash returns the place of the edge that follows on the last two.
func (h *edgeHistory) hash() uint32 {
	a, b := h.lastButOne, h.last
	return (2654435761*a.Shape + 2246822519*a.Count + 3266489917*b.Shape + 668265263*b.Count) >> (32 - hashBits)
}

// follower returns where it says what follows on the last edge.
func (h *edgeHistory) follower() *edgePlace { return place(&h.after, h.last.Shape+1) }

// place returns an element of a list that grows to have it.
func place(list *[]edgePlace, at uint32) *edgePlace {
	for uint32(len(*list)) <= at {
		*list = append(*list, 0)
	}
	return &(*list)[at]
}

// placeOf returns the place of the edge that is coded, number i of its composite.
func (h *edgeHistory) placeOf(e Edge, i int) edgePlace {
	if e == endMark {
		return endPlace
	}
	return h.first + edgePlace(i)
}

// edge returns the edge at a place; before are those of its composite that were coded just now.
func (p *pager) edge(at edgePlace, before []Edge) Edge {
	if at == noEdge {
		return Edge{}
	}
	if at == endPlace {
		return endMark
	}
	if i := int(at) - int(p.edges.first); i >= 0 {
		return before[i]
	}
	return p.dictionary.edges[at-1]
}

// codeEdges codes the edges of the composite of a number. The result is valid until the next one.
func (p *pager) codeEdges(number uint32, edges []Edge) []Edge {
	coded, h := p.coded[:0], &p.edges
	h.first = p.firstPlace(number)
	for state := 0; !p.failed(); {
		e := endMark
		if len(coded) < len(edges) {
			e = edges[len(coded)]
		}
		e, state = p.codeEdge(number, coded, e, state)
		if e == endMark {
			break
		}
		coded = append(coded, e)
		p.one()
	}
	p.coded = coded
	if n := len(coded); n > 0 && p.isLeaf(coded[n-1]) {
		*place(&h.closing, coded[0].Shape) = h.first + edgePlace(n-1)
	}
	return coded
}

func (p *pager) isLeaf(e Edge) bool { return e != endMark && p.dictionary.shapes[e.Shape].isLeaf() }

// firstPlace returns the place of the first edge of a composite: when reading, it is the next one.
func (p *pager) firstPlace(number uint32) edgePlace {
	if p.Reading {
		return edgePlace(len(p.dictionary.edges) + 1)
	}
	return edgePlace(p.dictionary.shapes[number].at + 1)
}

// codeEdge codes the edge that follows on others of its composite.
func (p *pager) codeEdge(number uint32, before []Edge, e Edge, state int) (coded Edge, next int) {
	h := &p.edges
	atTwo, atOne := h.afterTwo.at(h.hash()), h.follower()
	two, one := p.edge(*atTwo, before), p.edge(*atOne, before)
	next = state << 1 & 3
	switch {
	case two != Edge{} && p.Bit(&h.two[state], e == two):
		e, next = two, next|1
	case one != Edge{} && one != two && p.Bit(&h.one[state], e == one):
		e, next = one, next|1
	default:
		if e = p.newEdge(number, before, e); e == two || e == one {
			p.fail("an edge that was guessed already")
		}
	}
	at := h.placeOf(e, len(before))
	*atTwo, *atOne = at, at
	h.last, h.lastButOne = e, h.last
	return e, next
}

// newEdge codes an edge that was not guessed.
func (p *pager) newEdge(number uint32, before []Edge, e Edge) Edge {
	h, i := &p.edges, len(before)
	if p.Bit(&h.end[min(i, 3)], e == endMark) {
		if i == 0 {
			p.fail("a composite without edges")
		}
		return endMark
	}
	if !p.Bit(&h.leaf[min(i, 2)], p.isLeaf(e)) {
		return p.distantEdge(number, e)
	}
	var closing Edge
	if i > 0 {
		closing = p.edge(*place(&h.closing, before[0].Shape), before)
	}
	if closing != (Edge{}) && p.Bit(&h.closes, e == closing) {
		return closing
	}
	if e = p.leafEdge(e); e == closing {
		p.fail("an edge that was guessed already")
	}
	return e
}

func (p *pager) leafEdge(e Edge) Edge {
	d, at := p.dictionary, uint64(0)
	if !p.Reading {
		at = uint64(d.shapes[e.Shape].at)
	}
	if at = p.small(contextLeaf, at, uint64(d.leaves.len())); p.failed() {
		return endMark
	}
	return Edge{d.leafShapes[at], p.edgeCount(contextLeafCount, e)}
}

func (p *pager) distantEdge(number uint32, e Edge) Edge {
	distance := p.num(contextDistance, uint64(number-e.Shape))
	if distance == 0 || distance > uint64(number) {
		p.fail("edge to a shape that is not before its parent")
		return endMark
	}
	shape := number - uint32(distance)
	if p.dictionary.shapes[shape].isLeaf() {
		p.fail("edge to a leaf in the place of one to a composite")
	}
	return Edge{shape, p.edgeCount(contextCompositeCount, e)}
}

func (p *pager) edgeCount(context int, e Edge) uint32 {
	return uint32(p.small(context, uint64(e.Count-1), maxCount)) + 1
}
