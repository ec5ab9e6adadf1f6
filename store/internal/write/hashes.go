package write

import (
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Hashes of structure are of the names of regions, which must be known when a slice is taken apart: what is defined first counts, so a name
// that is known stays. When a name may still come, no hashes are written from there on. Readers then go by the structure itself.

// regionNames are the symbols of regions, as far as they are defined.
type regionNames struct {
	texts    map[uint64]text      // by string
	regions  map[uint64][2]uint64 // the strings that name a region, the canonical one first
	contexts *trace.Definitions
	lost     bool // a string has the undefined id: regions without a name may have it for theirs
}

func newRegionNames(defs *trace.Definitions) *regionNames {
	return &regionNames{texts: map[uint64]text{}, regions: map[uint64][2]uint64{}, contexts: defs}
}

// define notes definitions of strings and regions.
func (n *regionNames) define(log []trace.Record) {
	for i := range log {
		switch r := &log[i]; r.Kind {
		case trace.KindString:
			n.lost = n.lost || trace.IsUndefined(r.Words[0])
			if _, ok := n.texts[r.Words[0]]; !ok {
				t := r.TextOf(r.Words[1])
				n.texts[r.Words[0]] = text{content.SymbolsOf(t), t == ""}
			}
		case trace.KindRegion:
			if _, ok := n.regions[r.Words[0]]; !ok {
				n.regions[r.Words[0]] = [2]uint64{r.Words[canonicalWord], r.Words[nameWord]}
			}
		}
	}
}

// Words of the definition of a region.
var (
	nameWord      = trace.Standard.Spec(trace.KindRegion).Field("name")
	canonicalWord = trace.Standard.Spec(trace.KindRegion).Field("canonicalName")
)

// text is what a string is to the names of regions.
type text struct {
	symbols content.Symbols
	empty   bool
}

// symbols returns the symbols of a region; ok is false if its name is not known for certain. The rule is that of [trace.Definitions.RegionName].
func (n *regionNames) symbols(region uint64) (s content.Symbols, ok bool) {
	if trace.IsUndefined(region) {
		return content.SymbolsOf(trace.NoRegion), true
	}
	names, ok := n.regions[region]
	if !ok || n.lost {
		return s, false
	}
	for _, id := range names {
		if trace.IsUndefined(id) {
			continue
		}
		if text, ok := n.texts[id]; !ok || !text.empty {
			return text.symbols, ok
		}
	}
	return content.SymbolsOf(trace.RegionNumber(region)), true
}

// laneHashes are the hashes of the structure of a lane's locations in the group under way.
type laneHashes struct {
	names   *regionNames
	symbols map[content.Key][2]content.Hash // of enters and leaves
	shapes  *content.Shapes                 // of the lane's dictionary
	list    []index.ChildHash
	lost    bool // a name was not known
}

func newLaneHashes(names *regionNames) *laneHashes {
	return &laneHashes{names: names, symbols: map[content.Key][2]content.Hash{}}
}

// begin begins with a dictionary.
func (h *laneHashes) begin(d *shape.Dictionary) { h.shapes = content.NewShapes(d.View(), h.symbol) }

// add adds the structure of a location in a slice, which is a child of the group.
func (h *laneHashes) add(location, child uint32, tokens []shape.Token) {
	h.shapes.Grow()
	if sum := h.shapes.Of(tokens...); sum.N > 0 {
		h.list = append(h.list, index.ChildHash{Location: location, Child: child, Hash: sum})
	}
}

// symbol returns the hash of an event.
func (h *laneHashes) symbol(l *shape.Leaf) content.Hash {
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
func (h *laneHashes) region(k content.Key) uint64 {
	if !k.Context {
		return k.ID
	}
	c, ok := h.names.contexts.Contexts[k.ID]
	h.lost = h.lost || !ok
	return c.Region
}

// takeHashes returns the hashes of a group, by lane; nil if there are none.
func (w *Writer) takeHashes() [][]index.ChildHash {
	if w.names == nil {
		return nil
	}
	all := make([][]index.ChildHash, len(w.lanes))
	for i, l := range w.lanes {
		if l.hashes.lost {
			w.dropHashes()
			return nil
		}
		all[i], l.hashes.list = l.hashes.list, nil
	}
	return all
}

// dropHashes ends the making of hashes.
func (w *Writer) dropHashes() {
	w.names = nil
	for _, l := range w.lanes {
		l.hashes = nil
	}
}

// hashTree makes the hashes of nodes that are complete.
type hashTree struct {
	fanout uint64
	lost   bool
	lanes  [][]hashNode // by lane and level
}

// hashNode is what a lane has in a node that is not complete.
type hashNode struct {
	events bool
	list   []index.ChildHash
}

func (t *hashTree) at(lane uint32, level int) *hashNode {
	for len(t.lanes) <= int(lane) {
		t.lanes = append(t.lanes, nil)
	}
	for len(t.lanes[lane]) <= level {
		t.lanes[lane] = append(t.lanes[lane], hashNode{})
	}
	return &t.lanes[lane][level]
}

// begin takes the hashes of a job's group.
func (t *hashTree) begin(j *job) {
	if t.lost = t.lost || j.hashes == nil; t.lost {
		t.lanes = nil
		return
	}
	for _, l := range j.lanes {
		*t.at(l.lane, 1) = hashNode{true, j.hashes[l.lane]}
	}
}

// block makes the block of a node that is complete, and adds what it comes to to the node above; nil if the lane has no events there.
func (t *hashTree) block(n index.Node, lane uint32) *index.Hashes {
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

// writeHashes writes the hashes of a node, lane by lane.
func (b *backlog) writeHashes(n index.Node) error {
	return inTurn(b, len(b.hashes.lanes), noBytes,
		func(i int) (*index.Hashes, error) { return b.hashes.block(n, uint32(i)), nil },
		func(i int, h *index.Hashes) error {
			if h == nil {
				return nil
			}
			ref, err := b.w.file.Compressed(format.BlockHashes, h.Append(nil))
			b.nodeEntry(entry(format.BlockHashes, n.Level, uint32(i), n.Index, ref))
			return err
		})
}
