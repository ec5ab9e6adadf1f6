package shape

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/trace"
)

// Edge is a counted reference from a shape to a child: Count times its Shape in a row, or a recursion of depth Count.
type Edge struct {
	Shape, Count uint32
}

// Token is an edge without a parent. The events of a location in a slice are a list of tokens.
type Token = Edge

// node is one of
//
//	leaf       an event without its values
//	composite  an ordered list of edges to shapes of smaller number, so that no cycle can be written down
//	recursion  a composite of smaller number, the level, one of whose inner edges is the hole: not the first, not the last, and
//	           of count 1. An edge to a recursion with count n means the edges before the hole n times, the hole's child
//	           once, and the edges behind the hole n times: calls that contain each other, n deep
//
// There are very many, so they are small.
type node struct {
	hash   uint32
	at     uint32 // of a leaf its number, of a composite where its edges begin, of a recursion its level
	n      uint32 // edges; those of a recursion are its level's; isLeaf if it is a leaf
	hole   uint32 // index among the edges, 0 for others than recursions
	events uint64 // number of events, saturating; of a recursion those of its level
	words  uint64 // number of words, attributes and times of the events, saturating
}

// isLeaf takes the place of the number of edges in a leaf.
const isLeaf = 1<<32 - 1

func (s *node) isLeaf() bool { return s.n == isLeaf }

// Events returns the number of events of a shape (saturating), of a recursion when its depth is 1.
func (d *Dictionary) Events(shape uint32) uint64 { return d.shapes[shape].events }

// EdgesOf returns the edges of a shape, nil for a leaf. The edges of a recursion are those of its level.
func (d *Dictionary) EdgesOf(shape uint32) []Edge { return d.edgesOf(&d.shapes[shape]) }

func (d *Dictionary) edgesOf(s *node) []Edge {
	switch {
	case s.isLeaf():
		return nil
	case s.hole > 0:
		s = &d.shapes[s.at]
	}
	return d.edges[s.at : s.at+s.n]
}

// Recursion returns the level of a recursion and the index of the edge that is its hole; ok is false for other shapes.
func (d *Dictionary) Recursion(shape uint32) (level uint32, hole int, ok bool) {
	s := &d.shapes[shape]
	return s.at, int(s.hole), s.hole > 0
}

func (d *Dictionary) recurs(shape uint32) bool { return d.shapes[shape].hole > 0 }

// sizeOf returns the number of events of an edge, and of their words, attributes and times (saturating).
func (d *Dictionary) sizeOf(e Edge) (events, words uint64) {
	s := &d.shapes[e.Shape]
	if s.hole == 0 {
		return Times(s.events, uint64(e.Count)), Times(s.words, uint64(e.Count))
	}
	core := &d.shapes[d.edgesOf(s)[s.hole].Shape]
	events = Plus(core.events, Times(s.events-core.events, uint64(e.Count)))
	return events, Plus(core.words, Times(s.words-core.words, uint64(e.Count)))
}

// Composite returns the shape with the given edges, added if it is new.
func (d *Dictionary) Composite(edges []Edge) uint32 {
	h := hashEdges(edges)
	at, found := d.find(h, func(s *node) bool {
		return !s.isLeaf() && s.hole == 0 && slices.Equal(d.edges[s.at:s.at+s.n], edges)
	})
	if found {
		return d.table[at] - 1
	}
	s := node{hash: h, at: uint32(len(d.edges)), n: uint32(len(edges))}
	for _, e := range edges {
		events, words := d.sizeOf(e)
		s.events, s.words = Plus(s.events, events), Plus(s.words, words)
	}
	d.edges = append(d.edges, edges...)
	return d.add(s)
}

// recursionOf returns the recursion with a composite as its level, added if it is new.
func (d *Dictionary) recursionOf(level uint32, hole int) uint32 {
	h := hashRecursion(level, hole)
	at, found := d.find(h, func(s *node) bool { return s.hole == uint32(hole) && s.at == level })
	if found {
		return d.table[at] - 1
	}
	s := d.shapes[level]
	s.hash, s.at, s.hole = h, level, uint32(hole)
	return d.add(s)
}

// mayRecur reports whether a shape can be the level of a recursion with the given hole.
func (d *Dictionary) mayRecur(level uint32, hole uint64) bool {
	s := &d.shapes[level]
	return !s.isLeaf() && s.hole == 0 && hole > 0 && hole < uint64(s.n)-1 && d.edgesOf(s)[hole].Count == 1
}

// add appends a shape that is known to be new.
func (d *Dictionary) add(s node) uint32 {
	d.shapes = append(d.shapes, s)
	n := uint32(len(d.shapes))
	if int(n)*2 > len(d.table) {
		d.grow()
	} else {
		at, _ := d.find(s.hash, func(*node) bool { return false })
		d.table[at] = n
	}
	return n - 1
}

func (d *Dictionary) grow() {
	d.table = make([]uint32, 2*len(d.table))
	for i := range d.shapes {
		at, _ := d.find(d.shapes[i].hash, func(*node) bool { return false })
		d.table[at] = uint32(i + 1)
	}
}

// find returns the place of the shape of this hash that `same` accepts, or the free place where it belongs.
func (d *Dictionary) find(h uint32, same func(*node) bool) (at int, found bool) {
	mask := len(d.table) - 1
	for at = int(h) & mask; d.table[at] != 0; at = (at + 1) & mask {
		if s := &d.shapes[d.table[at]-1]; s.hash == h && same(s) {
			return at, true
		}
	}
	return at, false
}

// hashSeed is drawn anew by each process, so that no file can choose shapes that all fall onto one place. Nothing but the
// speed depends on it.
var hashSeed = rand.Uint64()

func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

func hashLeaf(kind trace.Kind, relative bool, words []uint64, attrs []trace.Attr) uint32 {
	h := mix(hashSeed^(uint64(kind)|uint64(bitio.FromBool(relative))<<16), uint64(len(words)))
	for _, w := range words {
		h = mix(h, w)
	}
	for _, a := range attrs {
		h = mix(mix(h, a.ID), uint64(a.Type))
	}
	return uint32(h)
}

func hashEdges(edges []Edge) uint32 {
	h := mix(hashSeed^1<<32, uint64(len(edges)))
	for _, e := range edges {
		h = mix(h, uint64(e.Shape)<<32|uint64(e.Count))
	}
	return uint32(h)
}

func hashRecursion(level uint32, hole int) uint32 {
	return uint32(mix(hashSeed^1<<33, uint64(level)<<32|uint64(hole)))
}

// Plus adds numbers of events or calls, at most to 2^64-1: a few shapes can stand for more than can be counted.
func Plus(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 1<<64 - 1
	}
	return s
}

// Times multiplies a number of events or calls, at most to 2^64-1.
func Times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return 1<<64 - 1
	}
	return lo
}
