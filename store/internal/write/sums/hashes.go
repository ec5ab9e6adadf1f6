package sums

import (
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/index"
)

// LaneHashes are the hashes of the structure of a lane's locations in the node of level 1 under way.
type LaneHashes struct {
	names   *RegionNames
	symbols map[content.Key][2]content.Hash // of enters and leaves
	shapes  *content.Shapes                 // of the lane's dictionary
	list    []index.ChildHash
	lost    bool // a name was not known
}

// NewLaneHashes returns the hashes of a lane that has no dictionary yet.
func NewLaneHashes(names *RegionNames) *LaneHashes {
	return &LaneHashes{names: names, symbols: map[content.Key][2]content.Hash{}}
}

// Begin begins with a dictionary.
func (h *LaneHashes) Begin(d *shape.Dictionary) { h.shapes = content.NewShapes(d.View(), h.symbol) }

// Add adds the structure of a location in a slice, which is a child of the node.
func (h *LaneHashes) Add(location, child uint32, tokens []shape.Token) {
	h.shapes.Grow()
	if sum := h.shapes.Of(tokens...); sum.N > 0 {
		h.list = append(h.list, index.ChildHash{Location: location, Child: child, Hash: sum})
	}
}

// symbol returns the hash of an event.
func (h *LaneHashes) symbol(l *shape.Leaf) content.Hash {
	k, leave, ok := content.KeyOf(l)
	if !ok {
		return content.Hash{}
	}
	s, known := h.symbols[k]
	if !known {
		of, ok := h.names.symbols(h.region(k))
		h.lost = h.lost || !ok
		s = [2]content.Hash{content.Fixed.Symbol(of.Enter), content.Fixed.Symbol(of.Leave)}
		h.symbols[k] = s
	}
	if leave {
		return s[1]
	}
	return s[0]
}

// region returns the region of a key. One of a calling context that may still be defined is not known.
func (h *LaneHashes) region(k content.Key) uint64 {
	if !k.Context {
		return k.ID
	}
	c, ok := h.names.contexts.Contexts[k.ID]
	h.lost = h.lost || !ok
	return c.Region
}

// Take returns the hashes of the node under way, which is complete; ok is false if the name of a region was not known.
func (h *LaneHashes) Take() (list []index.ChildHash, ok bool) {
	list, h.list = h.list, nil
	return list, !h.lost
}

// HashTree makes the hashes of nodes that are complete.
type HashTree struct {
	fanout uint64
	lost   bool
	lanes  [][]hashNode // by lane and level
}

// hashNode is what a lane has in a node that is not complete.
type hashNode struct {
	events bool
	list   []index.ChildHash
}

// NewHashTree returns a tree of hashes in which a node has some children.
func NewHashTree(fanout uint64) HashTree { return HashTree{fanout: fanout} }

func (t *HashTree) at(lane uint32, level int) *hashNode {
	for len(t.lanes) <= int(lane) {
		t.lanes = append(t.lanes, nil)
	}
	for len(t.lanes[lane]) <= level {
		t.lanes[lane] = append(t.lanes[lane], hashNode{})
	}
	return &t.lanes[lane][level]
}

// Stop says that a node has no hashes: no one from there on has any.
func (t *HashTree) Stop() { t.lost, t.lanes = true, nil }

// Add adds the hashes of a lane with events in a node of level 1, unless one before had none.
func (t *HashTree) Add(lane uint32, list []index.ChildHash) {
	if !t.lost {
		*t.at(lane, 1) = hashNode{true, list}
	}
}

// Lanes returns the number of lanes that may have hashes.
func (t *HashTree) Lanes() int { return len(t.lanes) }

// Block makes the block of a node that is complete, and adds what it comes to to the node above; nil if the lane has no events there.
func (t *HashTree) Block(n index.Node, lane uint32) *index.Hashes {
	node := *t.at(lane, n.Level)
	if !node.events {
		return nil
	}
	*t.at(lane, n.Level) = hashNode{}
	h := &index.Hashes{Node: n, Lane: lane, List: node.list}
	index.SortHashes(h.List)
	above := t.at(lane, n.Level+1)
	above.events = true
	for location, sum := range h.Sums() {
		above.list = append(above.list, index.ChildHash{Location: location, Child: uint32(n.Index % t.fanout), Hash: sum})
	}
	return h
}
