package verify

import (
	"slices"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/read"
)

// hashes checks a block of hashes: that it can be read, and above the lowest level, that it is what the blocks of the node's children come to.
func (v *verifier) hashes(e *index.Entry, payload []byte) error {
	h, err := v.r.ReadHashes(payload)
	if err != nil {
		return err
	}
	if err := v.node(e, h.Node, h.Lane); err != nil || h.Node.Level == 1 {
		return err
	}
	var want []index.ChildHash
	_, children := v.r.Children(h.Node)
	for child := range uint32(children) {
		below, err := v.r.Hashes(index.Node{Level: h.Node.Level - 1, Index: h.Node.Index*v.r.Root().Fanout + uint64(child)}, h.Lane)
		if err != nil {
			return ofBlock(e, err)
		}
		if below == nil {
			continue
		}
		for location, sum := range below.Sums() {
			want = append(want, index.ChildHash{Location: location, Child: child, Hash: sum})
		}
	}
	return sameHashes(h, want)
}

// sameHashes compares a block with what it must be.
func sameHashes(h *index.Hashes, want []index.ChildHash) error {
	index.SortHashes(want)
	if slices.Equal(h.List, want) {
		return nil
	}
	return format.Corruptf("hashes block", -1, "the hashes of %s are not those of what it holds", read.Describe(h.Node, h.Lane))
}

// hashes holds the hashes of the lowest nodes against the structure of their slices.
func (v *deepVerifier) hashes() error {
	calls := content.NewCalls(content.Fixed, v.definitions)
	slices := v.r.Root().Slices
	for first := uint64(0); first < slices; first += v.r.Root().Fanout {
		n := v.r.Node(1, first)
		lanes, err := v.r.Having(format.BlockHashes, n, v.r.AllLanes())
		if err != nil {
			return err
		}
		for _, lane := range lanes {
			if err := v.nodeHashes(n, lane, calls); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodeHashes holds the hashes of a node and lane against its slices.
func (v *deepVerifier) nodeHashes(n index.Node, lane uint32, calls *content.Calls) error {
	h, err := v.r.Hashes(n, lane)
	if err != nil {
		return err
	}
	var view *shape.View
	var shapes *content.Shapes
	var want []index.ChildHash
	var s slice.Structure
	all, count := v.r.Children(n)
	for child := range uint32(count) {
		ok, err := v.r.Structure(&s, all.First+uint64(child), lane)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if s.Dictionary.View() != view {
			view = s.Dictionary.View()
			shapes = content.NewShapes(view, calls.Symbol)
		}
		for i := range s.Runs {
			if sum := shapes.Of(s.Runs[i].Tokens...); sum.N > 0 {
				want = append(want, index.ChildHash{Location: s.Runs[i].Location, Child: child, Hash: sum})
			}
		}
	}
	if err := sameHashes(h, want); err != nil {
		ref, _, _ := v.r.NodeRef(format.BlockHashes, n, lane)
		v.problem(int64(ref.Offset), err)
	}
	return nil
}
