package encode

import "math/bits"

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
// where h is 0 for a composite's first edge, else 2·h mod 4 of the edge before, plus 1 if that was guessed. If the edge is
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
	two, one [4]chance
	end      [4]chance
	leaf     [3]chance
	closes   chance

	last, lastButOne Edge
	afterTwo         followers
	after            []Edge // by shape + 1, 0 for the end mark
	closing          []Edge // by the shape of the first edge
}

const hashBits = 14

// endMark follows the last edge of a composite.
var endMark = Edge{Shape: 1<<32 - 1}

// hash returns the place of the edge that follows on the last two.
func (h *edgeHistory) hash() uint32 {
	a, b := h.lastButOne, h.last
	return (2654435761*a.Shape + 2246822519*a.Count + 3266489917*b.Shape + 668265263*b.Count) >> (32 - hashBits)
}

// followers are edges by hash. Most dictionaries are far from having all hashes, so there is a table with open addressing; once it
// has a place for each hash, no two of them share one.
type followers struct {
	slots []follower
	used  int
}

type follower struct {
	hash uint32 // plus 1; 0 if the place is free
	edge Edge
}

// of returns the place of the edge of a hash, which is valid until the next call.
func (f *followers) of(hash uint32) *Edge {
	if 2*f.used >= len(f.slots) && len(f.slots) < 1<<hashBits {
		f.grow()
	}
	s := f.slot(hash)
	if s.hash == 0 {
		s.hash = hash + 1
		f.used++
	}
	return &s.edge
}

func (f *followers) slot(hash uint32) *follower {
	shift := hashBits + 1 - bits.Len(uint(len(f.slots)))
	for at := int(hash*spread) & (1<<hashBits - 1) >> shift; ; at++ {
		if s := &f.slots[at&(len(f.slots)-1)]; s.hash == 0 || s.hash == hash+1 {
			return s
		}
	}
}

func (f *followers) grow() {
	old := f.slots
	f.slots = make([]follower, max(2*len(old), 16))
	for _, s := range old {
		if s.hash > 0 {
			*f.slot(s.hash - 1) = s
		}
	}
}

// follower returns the place of the edge that follows on the last one.
func (h *edgeHistory) follower() *Edge { return place(&h.after, h.last.Shape+1) }

// place returns an element of a list that grows to have it.
func place(list *[]Edge, at uint32) *Edge {
	for uint32(len(*list)) <= at {
		*list = append(*list, Edge{})
	}
	return &(*list)[at]
}

// codeEdges codes the edges of the composite of a number. The result is valid until the next one.
func (p *pager) codeEdges(number uint32, edges []Edge) []Edge {
	coded := p.coded[:0]
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
		*place(&p.edges.closing, coded[0].Shape) = coded[n-1]
	}
	return coded
}

func (p *pager) isLeaf(e Edge) bool { return e != endMark && p.dictionary.shapes[e.Shape].isLeaf() }

// codeEdge codes the edge that follows on others of its composite.
func (p *pager) codeEdge(number uint32, before []Edge, e Edge, state int) (coded Edge, next int) {
	h := &p.edges
	atTwo, atOne := h.afterTwo.of(h.hash()), h.follower()
	two, one := *atTwo, *atOne
	next = state << 1 & 3
	switch {
	case two != Edge{} && p.bit(&h.two[state], e == two):
		e, next = two, next|1
	case one != Edge{} && one != two && p.bit(&h.one[state], e == one):
		e, next = one, next|1
	default:
		if e = p.newEdge(number, before, e); e == two || e == one {
			p.fail("an edge that was guessed already")
		}
	}
	*atTwo, *atOne = e, e
	h.last, h.lastButOne = e, h.last
	return e, next
}

// newEdge codes an edge that was not guessed.
func (p *pager) newEdge(number uint32, before []Edge, e Edge) Edge {
	h, i := &p.edges, len(before)
	if p.bit(&h.end[min(i, 3)], e == endMark) {
		if i == 0 {
			p.fail("a composite without edges")
		}
		return endMark
	}
	if !p.bit(&h.leaf[min(i, 2)], p.isLeaf(e)) {
		return p.distantEdge(number, e)
	}
	var closing Edge
	if i > 0 {
		closing = *place(&h.closing, before[0].Shape)
	}
	if closing != (Edge{}) && p.bit(&h.closes, e == closing) {
		return closing
	}
	if e = p.leafEdge(e); e == closing {
		p.fail("an edge that was guessed already")
	}
	return e
}

func (p *pager) leafEdge(e Edge) Edge {
	d, at := p.dictionary, uint64(0)
	if !p.reading {
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
