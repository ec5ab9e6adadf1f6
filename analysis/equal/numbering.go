package equal

import (
	"github.com/pandotrace/pando/trace"
)

// numbering says which ids of two traces mean the same: those of definitions that belong together. Definitions with the same content are one
// class; so it does not matter which of them an event names.
type numbering struct {
	of [2]map[named]uint64 // class of each definition
	// dense has the classes of small ids, plus 1, by space.
	dense [2][spaces][]uint64
}

// named is what an id names.
type named struct {
	space trace.Space
	id    uint64
}

const (
	spaces   = int(trace.SpaceCategory) + 1
	denseIDs = 1 << 16
)

func newNumbering() *numbering {
	return &numbering{of: [2]map[named]uint64{{}, {}}}
}

// put gives a definition of a side its class.
func (n *numbering) put(side int, of named, class uint64) {
	if of.id >= denseIDs || int(of.space) >= spaces {
		n.of[side][of] = class
		return
	}
	list := &n.dense[side][of.space]
	for uint64(len(*list)) <= of.id {
		*list = append(*list, 0)
	}
	(*list)[of.id] = class + 1
}

func (n *numbering) class(side int, of named) (class uint64, ok bool) {
	if int(of.space) < spaces {
		if list := n.dense[side][of.space]; of.id < uint64(len(list)) && list[of.id] > 0 {
			return list[of.id] - 1, true
		}
	}
	class, ok = n.of[side][of]
	return class, ok
}

// same reports whether an id of A and one of B mean the same. Ids that nothing is defined for mean themselves.
func (n *numbering) same(space trace.Space, a, b uint64) bool {
	if space == trace.SpaceNone {
		return a == b
	}
	x, definedA := n.class(0, named{space, a})
	y, definedB := n.class(1, named{space, b})
	if definedA && definedB {
		return x == y
	}
	return definedA == definedB && a == b
}
