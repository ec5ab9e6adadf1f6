package read

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
)

// Structure returns the structure of a lane's events in a slice, nil if it has none. No value is decoded, and no event laid out. The
// result is not kept.
func (r *File) Structure(number uint64, lane uint32) (*slice.Structure, error) {
	ref, ok, err := r.Ref(number, BlockKey{Kind: format.BlockSlice, Lane: lane, Number: number})
	if err != nil || !ok {
		return nil, err
	}
	s := &slice.Structure{}
	if err := r.structureInto(s, number, lane, ref); err != nil {
		return nil, format.At(err, r.name, int64(ref.Offset))
	}
	return s, nil
}

func (r *File) structureInto(s *slice.Structure, number uint64, lane uint32, ref format.Ref) error {
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	group := number / r.root.Fanout
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
