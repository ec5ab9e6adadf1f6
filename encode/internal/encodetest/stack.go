package encodetest

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// Folder takes the events of one location, each with its place in the nesting of calls. It is what shape.Folder does.
type Folder interface {
	Enter(leaf uint32)
	Leave(leaf uint32, up int)
	LeaveOutside(leaf uint32)
	Point(leaf uint32)
}

// Stack follows the open calls of a location in the simplest way, and passes its events on to a folder.
type Stack struct {
	Open    []uint64 // keys of open calls
	Outside int      // how many of them were entered before the slice
}

// Add passes on an event whose leaf is known. A leave closes the nearest open call with its key, and all calls inside it.
func (s *Stack) Add(f Folder, leaf uint32, kind trace.Kind, words []uint64) {
	switch kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		f.Enter(leaf)
		s.Open = append(s.Open, callKey(kind, words))
	case trace.KindLeave, trace.KindCallingContextLeave:
		s.leave(f, leaf, callKey(kind, words))
	default:
		f.Point(leaf)
	}
}

// callKey returns the region of an enter or leave, or the complement of the calling context.
func callKey(kind trace.Kind, words []uint64) uint64 {
	if kind == trace.KindCallingContextEnter || kind == trace.KindCallingContextLeave {
		return ^words[0]
	}
	return words[0]
}

func (s *Stack) leave(f Folder, leaf uint32, key uint64) {
	at := len(s.Open) - 1
	for at >= 0 && s.Open[at] != key {
		at--
	}
	switch {
	case at < 0:
		f.Point(leaf)
		return
	case at >= s.Outside:
		f.Leave(leaf, len(s.Open)-1-at)
	default:
		f.LeaveOutside(leaf)
		s.Outside = at
	}
	s.Open = s.Open[:at]
}

// Program emits random calls, some of which do not nest, are cut, are repeated, or call themselves.
func Program(r *rand.Rand, depth int, emit func(kind trace.Kind, words ...uint64)) {
	if depth > 10 {
		return
	}
	for range r.IntN(5) {
		region := r.Uint64N(4)
		switch r.IntN(13) {
		case 0:
			emit(trace.KindLeave, region)
		case 1:
			emit(trace.KindEnter, region)
		case 2, 3:
			emit(trace.KindParameterInt, r.Uint64N(3), r.Uint64())
		case 4:
			seed := r.Uint64()
			for range r.IntN(12) {
				Program(rand.New(rand.NewPCG(seed, 0)), depth+5, emit)
			}
		case 6:
			for range 1 + r.IntN(3) {
				recursion(rand.New(rand.NewPCG(r.Uint64N(4), 0)), 1+r.IntN(6), depth+5, emit)
			}
		case 5:
			emit(trace.KindCallingContextEnter, region, 1)
			Program(r, depth+2, emit)
			emit(trace.KindCallingContextLeave, region)
		default:
			emit(trace.KindEnter, region)
			Program(r, depth+2, emit)
			emit(trace.KindLeave, region)
		}
	}
}

// recursion emits a call that calls itself, with the same events around it on each level.
func recursion(r *rand.Rand, levels, depth int, emit func(kind trace.Kind, words ...uint64)) {
	before, after := r.Uint64(), r.Uint64()
	around := func(seed uint64) { Program(rand.New(rand.NewPCG(seed, 0)), depth, emit) }
	for range levels {
		emit(trace.KindEnter, 4)
		around(before)
	}
	around(r.Uint64())
	for range levels {
		around(after)
		emit(trace.KindLeave, 4)
	}
}
