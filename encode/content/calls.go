package content

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// Key is what the enters and leaves of a region have in common: the region, or a calling context.
type Key struct {
	Context bool
	ID      uint64
}

// Calls gives the symbols of enters and leaves by the names of their regions. It is not safe for concurrent use.
type Calls struct {
	bases   Bases
	defs    *trace.Definitions
	symbols map[Key][2]Hash // enter and leave
}

// NewCalls returns the symbols of the calls of a trace.
func NewCalls(b Bases, defs *trace.Definitions) *Calls {
	return &Calls{b, defs, map[Key][2]Hash{}}
}

// Region returns the region of enters and leaves.
func (c *Calls) Region(k Key) uint64 {
	if !k.Context {
		return k.ID
	}
	return c.defs.ContextRegion(k.ID)
}

// Symbol returns the hash of an event: that of one symbol for an enter or leave, else that of the empty string.
func (c *Calls) Symbol(l *shape.Leaf) Hash {
	k, leave, ok := KeyOf(l)
	if !ok {
		return Hash{}
	}
	s, known := c.symbols[k]
	if !known {
		of := SymbolsOf(c.defs.RegionName(c.Region(k)))
		s = [2]Hash{c.bases.Symbol(of.Enter), c.bases.Symbol(of.Leave)}
		c.symbols[k] = s
	}
	if leave {
		return s[1]
	}
	return s[0]
}

// KeyOf tells enters and leaves from other events.
func KeyOf(l *shape.Leaf) (k Key, leave, ok bool) {
	switch l.Class {
	case shape.Enter, shape.Leave:
		return Key{false, l.Key}, l.Class == shape.Leave, true
	case shape.ContextEnter, shape.ContextLeave:
		return Key{true, l.Key}, l.Class == shape.ContextLeave, true
	}
	return Key{}, false, false
}
