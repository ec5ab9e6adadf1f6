package write

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// takeHashes returns the hashes of a node of level 1, by lane; nil if there are none.
func (w *Writer) takeHashes() [][]index.ChildHash {
	if w.names == nil {
		return nil
	}
	all := make([][]index.ChildHash, len(w.lanes))
	for i, l := range w.lanes {
		list, ok := l.hashes.Take()
		if !ok {
			w.dropHashes()
			return nil
		}
		all[i] = list
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

// writeHashes writes the hashes of a node, lane by lane.
func (b *backlog) writeHashes(n index.Node) error {
	return inTurn(b, b.hashes.Lanes(), noBytes,
		func(i int) (*index.Hashes, error) { return b.hashes.Block(n, uint32(i)), nil },
		func(i int, h *index.Hashes) error {
			if h == nil {
				return nil
			}
			ref, err := b.w.file.Compressed(format.BlockHashes, h.Append(nil))
			b.nodeEntry(entry(format.BlockHashes, n.Level, uint32(i), n.Index, ref))
			return err
		})
}
