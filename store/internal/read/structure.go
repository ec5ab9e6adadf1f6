package read

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
)

// Structure reads the structure of a lane's events in a slice into memory that may have been used before; ok is false if it has none. No value is
// decoded, and no event laid out.
func (r *File) Structure(s *slice.Structure, number uint64, lane uint32) (ok bool, err error) {
	ref, ok, err := r.Ref(number, SliceKey(number, lane))
	if err != nil || !ok {
		return false, err
	}
	return true, format.At(r.structureInto(s, number, lane, ref), r.name, int64(ref.Offset))
}

func (r *File) structureInto(s *slice.Structure, number uint64, lane uint32, ref format.Ref) error {
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	group := r.root.GroupOf(number)
	d, err := r.Dictionary(r.root.EpochOf(group), lane)
	if err != nil {
		return err
	}
	t, err := r.tokenStatistics(group, lane)
	if err != nil {
		return err
	}
	bounds, err := r.Slice(number)
	if err != nil {
		return err
	}
	b, err := r.Block(format.BlockSlice, ref)
	if err != nil {
		return err
	}
	if err := r.inLimits(bounds, func(limits format.Limits) error { return s.Decode(b, d, t, limits) }); err != nil {
		return err
	}
	return r.checkPlace(&s.Block, number, lane, bounds)
}
