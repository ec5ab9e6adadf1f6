package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
)

// Hashes returns the hashes of structure of a node and lane, nil if there is no block of them.
func (r *File) Hashes(n index.Node, lane uint32) (*index.Hashes, error) {
	ref, ok, err := r.NodeRef(format.BlockHashes, n, lane)
	if err != nil || !ok {
		return nil, err
	}
	h, err := cache.Get(r.cache, cache.Key{What: cache.Hashes, Offset: ref.Offset}, func() (*index.Hashes, int64, error) {
		b, err := r.Block(format.BlockHashes, ref)
		if err != nil {
			return nil, 0, err
		}
		h, err := r.ReadHashes(b)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return h, int64(100 + 56*len(h.List)), nil
	})
	if err == nil {
		err = format.At(Belongs(format.BlockHashes, h.Node, h.Lane, n, lane), r.name, int64(ref.Offset))
	}
	return h, err
}

// ReadHashes reads a block of hashes, and checks that it is of a node, and of locations of its lane.
func (r *File) ReadHashes(payload []byte) (*index.Hashes, error) {
	h, err := index.ParseHashes(payload)
	if err != nil {
		return nil, err
	}
	if !r.IsNode(h.Node) {
		return nil, format.Corruptf("hashes block", -1, "the tree has no node %d of level %d", h.Node.Index, h.Node.Level)
	}
	if len(h.List) > 0 {
		if _, err := r.Lane(h.Lane); err != nil {
			return nil, err
		}
	}
	_, children := r.Children(h.Node)
	for i := range h.List {
		c := &h.List[i]
		if uint64(c.Child) >= children {
			return nil, format.Corruptf("hashes block", -1, "child %d of %d", c.Child, children)
		}
		if l := c.Location; !r.InLane(uint64(l), h.Lane) {
			return nil, format.Corruptf("hashes block", -1, "location %d is not of lane %d", l, h.Lane)
		}
	}
	return h, nil
}
