package shapes

import (
	"hash/fnv"
	"math/bits"

	"github.com/pandotrace/pando/analysis/calltree"
)

// Level says by what calls are compared.
type Level uint8

// The levels, the finest first.
const (
	// Whole compares all calls inside.
	Whole Level = iota
	// Children compares the regions of the calls directly inside.
	Children
	// Regions compares nothing but the regions of the calls themselves.
	Regions
)

// String says by what in words.
func (l Level) String() string {
	return [...]string{"all calls inside", "the regions directly inside", "region"}[l]
}

// mostInside is the number of kinds of calls directly inside of a call that count.
const mostInside = 64

// none is no state: that of a call that has begun before the window.
const none = ^uint32(0)

// state is a call with what it has had inside so far.
type state struct {
	before uint32 // the state without the last kind of calls; none for a call without calls
	last   uint32 // the last kind: a state in which calls of it end
	name   calltree.Name
	inside uint32 // number of kinds
	depth  uint32 // levels of calls
	print  uint64 // fingerprint
}

// move is what a state becomes by a call that ends inside.
type move struct{ from, by, to uint32 }

// states are an automaton that reads the calls inside of calls.
type states struct {
	level Level
	names *calltree.Forest
	list  []state
	roots []uint32 // by name: the state of a call without calls; none
	moves map[uint64]uint32
	fast  [1 << moveBits]move // those that were made last
}

// moveBits is the number of bits of a place in states.fast.
const moveBits = 12

// What a state and a move take, in bytes.
const (
	stateBytes = 48
	moveBytes  = 48
)

func newStates(names *calltree.Forest, level Level) *states {
	s := &states{level: level, names: names, moves: map[uint64]uint32{}}
	for i := range s.fast {
		s.fast[i].from = none
	}
	return s
}

// bytes returns about how much memory the automaton takes.
func (s *states) bytes() int64 {
	return int64(cap(s.list))*stateBytes + int64(len(s.moves))*moveBytes + 4*int64(len(s.roots))
}

// root returns the state of a call without calls.
func (s *states) root(name calltree.Name) uint32 {
	for int(name) >= len(s.roots) {
		s.roots = append(s.roots, none)
	}
	if s.roots[name] == none {
		s.roots[name] = uint32(len(s.list))
		h := fnv.New64a()
		h.Write([]byte(s.names.NameOf(name)))
		s.list = append(s.list, state{before: none, last: none, name: name, depth: 1, print: h.Sum64()})
	}
	return s.roots[name]
}

// move returns what a state becomes by a call inside that ends in another one.
func (s *states) move(from, by uint32) uint32 {
	m := &s.fast[(from*0x9e3779b1^by*0x85ebca6b)>>(32-moveBits)]
	if m.from != from || m.by != by {
		*m = move{from, by, s.find(from, by)}
	}
	return m.to
}

// find is move without the table of the last ones.
func (s *states) find(from, by uint32) uint32 {
	if s.level == Regions {
		return from
	}
	k := uint64(from)<<32 | uint64(by)
	to, ok := s.moves[k]
	if !ok {
		to = s.next(from, by)
		s.moves[k] = to
	}
	return to
}

// next finds out what a state becomes.
func (s *states) next(from, by uint32) uint32 {
	if s.level == Children || s.list[by].name == s.list[from].name {
		if alone := s.root(s.list[by].name); alone != by {
			return s.find(from, alone)
		}
	}
	for at := from; s.list[at].before != none; at = s.list[at].before {
		if s.list[at].last == by {
			return from
		}
	}
	f := s.list[from]
	if f.inside == mostInside {
		return from
	}
	s.list = append(s.list, state{before: from, last: by, name: f.name, inside: f.inside + 1, depth: max(f.depth, s.list[by].depth+1), print: mixed(f.print, s.list[by].print)})
	return uint32(len(s.list) - 1)
}

// kinds returns the kinds of calls directly inside of a call that ends in a state, in order.
func (s *states) kinds(at uint32) []uint32 {
	list := make([]uint32, s.list[at].inside)
	for i := len(list) - 1; i >= 0; i-- {
		list[i], at = s.list[at].last, s.list[at].before
	}
	return list
}

// mixed returns a hash of two numbers in this order, the same in each process.
func mixed(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(a, 23)
}
