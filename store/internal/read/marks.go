package read

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Marks returns the pair marks of a lane in a group, nil if it has none.
func (r *File) Marks(group uint64, lane uint32) (*slice.Marks, error) {
	k := marksKey(group, lane)
	ref, ok, err := r.Ref(r.root.FirstOf(group), k)
	if err != nil || !ok {
		return nil, err
	}
	return cache.Get(r.cache, k.Made(cache.PairMarks), func() (*slice.Marks, int64, error) {
		m, err := r.readMarks(ref, group, lane)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return m, m.Memory(), nil
	})
}

// SliceKey names the block of a lane in a slice.
func SliceKey(number uint64, lane uint32) BlockKey {
	return BlockKey{Kind: format.BlockSlice, Lane: lane, Number: number}
}

func marksKey(group uint64, lane uint32) BlockKey {
	return BlockKey{Kind: format.BlockMarks, Lane: lane, Number: group}
}

func (r *File) readMarks(ref format.Ref, group uint64, lane uint32) (*slice.Marks, error) {
	b, err := r.Block(format.BlockMarks, ref)
	if err != nil {
		return nil, err
	}
	m, err := slice.ParseMarks(b, r.limits)
	if err != nil {
		return nil, err
	}
	if m.Group != group || m.Lane != lane {
		return nil, format.Corruptf("marks block", -1, "it belongs to group %d, lane %d, not to group %d, lane %d", m.Group, m.Lane, group, lane)
	}
	for i := range m.Slices {
		if n := m.Slices[i].Slice; r.root.GroupOf(n) != group || n >= r.root.Slices {
			return nil, format.Corruptf("marks block", -1, "slice %d is not of group %d", n, group)
		}
	}
	return m, nil
}

// MarksOf returns the marks of the events of a lane in a slice. They are of ends that these have.
func (r *File) MarksOf(e *slice.Events) ([]slice.PairMark, error) {
	all, err := r.Marks(r.root.GroupOf(e.Number), e.Lane)
	if err != nil {
		return nil, err
	}
	return all.Of(e.Number), r.CheckMarks(all, e)
}

// CheckMarks checks that the marks of a lane in a group are of ends that some events of a slice have.
func (r *File) CheckMarks(all *slice.Marks, e *slice.Events) error {
	err := pairing.CheckMarks(all.Of(e.Number), e)
	if err == nil {
		return nil
	}
	ref, _, _ := r.Ref(r.root.FirstOf(all.Group), marksKey(all.Group, e.Lane)) // it was found before
	return format.At(err, r.name, int64(ref.Offset))
}
