package write

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/match"
)

// A lane's part of a slice waits until its group is complete. With many lanes that is a lot: then the events are packed, and what
// does not fit into memory even so goes into a file. The group is encoded some lanes at a time, so that only the events of these
// are unpacked. None of that has an influence on what is written.

// laneSlice is one lane's part of a slice on its way into the file.
type laneSlice struct {
	slice  slice.Block   // without runs
	events int           // of all runs
	values int           // of these, but for their times
	width  int           // locations of the lane
	draft  *slice.Draft  // nil while it is packed
	packed []byte        // nil while it is not, or in the spool
	piece  blockio.Piece // of the group's spool, if draft and packed are nil
	match.Block
}

// newLaneSlice starts a lane's part of a slice, with some events.
func (w *Writer) newLaneSlice(l *lane, s *sliceData, events int) *laneSlice {
	ls := &laneSlice{draft: w.backlog.free.get(), events: events, width: len(l.locations)}
	ls.slice = slice.Block{Number: s.number, Lane: l.number, Epoch: w.group.epoch, Start: s.start, End: s.end}
	ls.draft.Reset(ls.slice)
	ls.draft.Reserve(events, int(int64(l.values)*int64(events)/int64(max(l.events, 1))))
	return ls
}

// Of the memory that a writer may have, the group under way and the one that is encoded take at most so large a part each for events
// as they are, and for packed ones.
const (
	draftShare  = 48
	packedShare = 128
	spareDrafts = 128 // kept to unpack others,
	spareShare  = 512 // each of at most so large a part
	manyShares  = 16  // times what a group may take for events as they are
)

// stow packs a lane's part of a slice if the group has too many unpacked events already, or will have far more.
func (w *Writer) stow(ls *laneSlice) error {
	most := w.options.Memory / draftShare
	if all := int64(w.busy*w.options.GroupSlices) * int64(ls.draft.Memory()); all < manyShares*most && w.group.takes(ls.draft, most) {
		return nil
	}
	scratch, _ := w.packing.Take()
	scratch = ls.draft.Pack(scratch[:0])
	w.backlog.free.keep(ls.draft)
	ls.draft = nil
	err := w.group.keep(ls, scratch, &w.options)
	w.packing.Put(scratch)
	return err
}

// takes reports whether a group keeps a draft unpacked; most bounds their bytes.
func (g *group) takes(d *slice.Draft, most int64) bool {
	g.stowing.Lock()
	defer g.stowing.Unlock()
	n := int64(d.Memory())
	if g.drafts+n > most {
		return false
	}
	g.drafts += n
	return true
}

// keep keeps a lane's part of a slice, packed: a copy of it, or in the group's file.
func (g *group) keep(ls *laneSlice, packed []byte, o *layout.Options) (err error) {
	g.stowing.Lock()
	defer g.stowing.Unlock()
	if n := int64(len(packed)); g.packed+n <= o.Memory/packedShare {
		g.packed += n
		ls.packed = slices.Clone(packed)
		return nil
	}
	if g.spool == nil {
		g.spool = &blockio.Spool{Dir: o.TempDir}
	}
	if ls.piece, err = g.spool.Put(packed); err != nil {
		return fmt.Errorf("store: events of slice %d: %w", ls.slice.Number, err)
	}
	return nil
}

// unpack fills a draft with what was stowed away.
func (g *group) unpack(to *slice.Draft, ls *laneSlice, leaves shape.LeafTable) error {
	packed := ls.packed
	if packed == nil {
		var err error
		if packed, err = g.spool.Get(nil, ls.piece); err != nil {
			return fmt.Errorf("store: events of slice %d: %w", ls.slice.Number, err)
		}
	}
	to.Unpack(ls.slice, packed, leaves)
	ls.packed = nil
	return nil
}

// drafts are some to be used again.
type drafts struct{ cache.Pool[*slice.Draft] }

// get returns a draft to be used.
func (s *drafts) get() *slice.Draft {
	return cache.TakeOrNew(&s.Pool)
}

// keep keeps a draft for later use, unless it holds much more memory than it needs.
func (s *drafts) keep(d *slice.Draft) {
	if !d.Wasteful() {
		s.Put(d)
	}
}
