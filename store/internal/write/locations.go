package write

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// locations writes the pages of locations: first those of what their events add up to, which few ask for, then those of ids and lanes.
// Where there are few, the totals have them.
func (b *backlog) locations() error {
	w := b.w
	w.layOutLanes()
	b.root.Lanes = uint64(len(w.lanes))
	list := make([]index.LocationInfo, len(w.locations))
	for i, l := range w.locations {
		list[i] = index.LocationInfo{ID: l.ID, Lane: uint32(l.Lane), LocationTotals: l.sums()}
		w.totals.Calls += l.calls
	}
	ids, totals := w.totals.SetLocations(list, w.options.PageLocations)
	for i := range totals {
		if err := b.once(format.BlockLocationTotals, uint64(i), totals[i].Append(nil)); err != nil {
			return err
		}
	}
	for i := range ids {
		if err := b.once(format.BlockLocations, uint64(i), ids[i].Append(nil)); err != nil {
			return err
		}
		b.root.Ranges = append(b.root.Ranges, ids[i].Range())
	}
	return nil
}

// once writes a block that the root lists.
func (b *backlog) once(kind format.BlockKind, number uint64, payload []byte) error {
	ref, err := b.w.file.Compressed(kind, payload)
	b.rootEntry(index.Entry{Kind: kind, Number: number, Ref: ref})
	return err
}
