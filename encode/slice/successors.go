package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// Programs do the same over and over: which shape follows on which is nearly always one of a few. So a token's shape is
// coded in the context of the token before, wherever that stands often enough in a group for a context of its own.

// Successors lists the shapes whose successors have a context of their own, in rising order. A token that follows on
// another shape is in context otherShapes, the first token of a run in context runBegin.
type Successors struct {
	shapes []uint32
	of     []uint16 // by shape: its context, for shapes up to the last one listed; nil if that would be too large
}

// maxIndexed is the number of the last shape listed up to which contexts are looked up in an array.
const maxIndexed = 1 << 16

func newSuccessors(shapes []uint32) Successors {
	s := Successors{shapes: shapes}
	if n := len(shapes); n > 0 && shapes[n-1] < maxIndexed {
		s.of = make([]uint16, shapes[n-1]+1)
		for i, shape := range shapes {
			s.of[shape] = uint16(listedShapes + i)
		}
	}
	return s
}

const (
	otherShapes = iota
	runBegin
	listedShapes // the context of the successors of the first shape listed
)

// contexts returns the number of contexts.
func (s *Successors) contexts() int { return listedShapes + len(s.shapes) }

// context returns the context of what follows on a shape.
func (s *Successors) context(shape uint64) int {
	switch {
	case shape < uint64(len(s.of)):
		return int(s.of[shape])
	case s.of == nil && shape < 1<<32:
		if i, ok := slices.BinarySearch(s.shapes, uint32(shape)); ok {
			return listedShapes + i
		}
	}
	return otherShapes
}

// Bounds of the choice of contexts.
const (
	minSuccessors = 8    // that a shape must have in a group to be listed
	maxSuccessors = 1024 // shapes that are listed
)

// fitSuccessors lists the shapes that stand most often in the slices of a group.
func fitSuccessors(group []*Draft) Successors {
	counts := map[uint32]int{}
	for _, s := range group {
		for i := range s.Runs {
			for _, t := range s.Runs[i].Tokens {
				counts[t.Shape]++
			}
		}
	}
	var list []uint32
	for shape, n := range counts {
		if n >= minSuccessors {
			list = append(list, shape)
		}
	}
	slices.SortFunc(list, func(a, b uint32) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return int(a) - int(b)
	})
	list = list[:min(len(list), maxSuccessors)]
	slices.Sort(list)
	return newSuccessors(list)
}

// append appends
//
//	uvarint  number of shapes
//	shapes   uvarint shape - the one before - 1 (the first: shape)
func (s *Successors) append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(len(s.shapes)))
	next := uint32(0)
	for _, shape := range s.shapes {
		dst = format.AppendUvarint(dst, uint64(shape-next))
		next = shape + 1
	}
	return dst
}

func readSuccessors(r *format.Decoder) Successors {
	shapes := make([]uint32, r.Count(1, column.MaxContexts/2-listedShapes))
	next := uint64(0)
	for i := range shapes {
		shape := next + uint64(r.Int(1<<32))
		if shape >= 1<<32 {
			r.Fail("shape %d", shape)
			return Successors{}
		}
		shapes[i] = uint32(shape)
		next = shape + 1
	}
	return newSuccessors(shapes)
}
