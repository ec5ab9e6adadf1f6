package shape

// ID is the number of a shape in its dictionary. Edges and tokens refer to shapes by it.
type ID = uint32

// View is a read-only view of a complete dictionary: a directed graph without circles, whose edges lead from a shape to shapes of smaller
// ID. It is safe for concurrent use. Numbers of events and calls saturate at 2^64-1: shapes may have more than any memory holds.
type View struct {
	dictionary *Dictionary
	calls      func() []uint64 // by shape; counted when first needed
}

// View returns a view of a dictionary that is prepared.
func (d *Dictionary) View() *View { return &d.view }

// Len returns the number of shapes; their IDs are 0 to Len-1.
func (v *View) Len() int { return v.dictionary.Len() }

// Leaf returns the leaf of a shape: an event without its values. ok is false for shapes with edges.
func (v *View) Leaf(id ID) (l Leaf, ok bool) {
	n, ok := v.dictionary.AsLeaf(id)
	if !ok {
		return Leaf{}, false
	}
	return v.dictionary.leaves.leaf(n), true
}

// Leaves returns the number of leaves.
func (v *View) Leaves() int { return v.dictionary.leaves.len() }

// LeafID returns the shape of the leaf of a number, as events are decoded to.
func (v *View) LeafID(leaf uint32) ID { return v.dictionary.leafShapes[leaf] }

// Edges returns the edges of a shape in order, nil for a leaf. Those of a recursion are its edges when its depth is 1. The list must
// not be changed.
func (v *View) Edges(id ID) []Edge { return v.dictionary.EdgesOf(id) }

// Recursion returns the three parts of a recursion; ok is false for other shapes. An edge to it with Count n, the depth, is the edges
// before n times in a row, the core once, and the edges after n times in a row.
func (v *View) Recursion(id ID) (before []Edge, core ID, after []Edge, ok bool) {
	_, hole, ok := v.dictionary.Recursion(id)
	if !ok {
		return nil, 0, nil, false
	}
	edges := v.dictionary.EdgesOf(id)
	return edges[:hole], edges[hole].Shape, edges[hole+1:], true
}

// Events returns the number of events of a shape, of a recursion when its depth is 1.
func (v *View) Events(id ID) uint64 { return v.dictionary.Events(id) }

// Calls returns the number of calls of a shape, counted by their enters; of a recursion when its depth is 1.
func (v *View) Calls(id ID) uint64 { return v.calls()[id] }

// EventsOf returns the number of events of edges or tokens.
func (v *View) EventsOf(edges []Edge) uint64 { return v.dictionary.EventsOf(edges) }

// CallsOf returns the number of calls of edges or tokens.
func (v *View) CallsOf(edges []Edge) (n uint64) {
	calls := v.calls()
	for _, e := range edges {
		n = Plus(n, v.dictionary.callsOf(e, calls))
	}
	return n
}

// countCalls returns the number of calls of each shape. A shape's edges lead to smaller ones, which are counted before it.
func (d *Dictionary) countCalls() []uint64 {
	calls := make([]uint64, len(d.shapes))
	for id := range d.shapes {
		if leaf, ok := d.AsLeaf(uint32(id)); ok {
			if c := d.leaves.info[leaf].Class; c == Enter || c == ContextEnter {
				calls[id] = 1
			}
			continue
		}
		for _, e := range d.EdgesOf(uint32(id)) {
			calls[id] = Plus(calls[id], d.callsOf(e, calls))
		}
	}
	return calls
}

// callsOf returns the number of calls of an edge, where those of shapes are known. One of a recursion has the calls of one level, without
// the core, as many times as it is deep.
func (d *Dictionary) callsOf(e Edge, calls []uint64) uint64 {
	s, all := &d.shapes[e.Shape], calls[e.Shape]
	if s.hole == 0 {
		return Times(all, uint64(e.Count))
	}
	core := calls[d.edgesOf(s)[s.hole].Shape]
	return Plus(core, Times(all-core, uint64(e.Count)))
}
