package read

import (
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Marks returns the pair marks of a lane in a group, nil if it has none.
func (r *File) Marks(group uint64, lane uint32) (*slice.Marks, error) {
	ref, ok, err := r.Ref(group*r.root.Fanout, marksKey(group, lane))
	if err != nil || !ok {
		return nil, err
	}
	return cache.Get(r.cache, cache.Key{What: cache.PairMarks, Offset: ref.Offset}, func() (*slice.Marks, int64, error) {
		m, err := r.readMarks(ref, group, lane)
		if err != nil {
			return nil, 0, format.At(err, r.name, int64(ref.Offset))
		}
		return m, m.Memory(), nil
	})
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
		if n := m.Slices[i].Slice; n/r.root.Fanout != group || n >= r.root.Slices {
			return nil, format.Corruptf("marks block", -1, "slice %d is not of group %d", n, group)
		}
	}
	return m, nil
}

// MarksOf returns the marks of the events of a lane in a slice. They are of ends that these have.
func (r *File) MarksOf(e *slice.Events) ([]slice.PairMark, error) {
	group := e.Number / r.root.Fanout
	all, err := r.Marks(group, e.Lane)
	if err != nil {
		return nil, err
	}
	marks := all.Of(e.Number)
	if err := pairing.CheckMarks(marks, e); err != nil {
		ref, _, _ := r.Ref(group*r.root.Fanout, marksKey(group, e.Lane)) // it was found before
		return nil, format.At(err, r.name, int64(ref.Offset))
	}
	return marks, nil
}
