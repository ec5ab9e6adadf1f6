package recovery

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
)

// Marks say which ends of a slice do not simply belong together. They stand between the models of a group and its slices. Where a block of them may
// be lost, it is not known what belongs together in the lane's slices; but where each block in between is there, the lane has none.

// marksName names the marks of a lane in a group.
type marksName struct {
	group uint64
	lane  uint32
}

// noteMarks keeps where the marks of a lane in a group stand.
func (s *Recovery) noteMarks(found foundBlock, payload []byte) error {
	m, err := slice.ParseMarks(payload, s.limits)
	if err == nil {
		s.marks[marksName{m.Group, m.Lane}] = found
	}
	return err
}

// marksMayBeLost reports whether there may have been a block of marks behind a model, before the first slice that is there.
func (s *Recovery) marksMayBeLost(m *foundModel, sliceOrdinals []uint32) bool {
	if _, ok := s.marks[marksName{m.Group, m.Lane}]; ok {
		return false
	}
	from := m.block.ordinal
	next, _ := slices.BinarySearch(sliceOrdinals, from)
	if next == len(sliceOrdinals) {
		return true
	}
	to := sliceOrdinals[next]
	place, _ := slices.BinarySearch(s.intact, to)
	lost := sort.Search(len(s.lostMarks), func(i int) bool { return s.lostMarks[i] > from })
	return lost < len(s.lostMarks) && s.lostMarks[lost] < to || int64(to)-int64(from) != int64(place-m.place)
}

// findLostMarks finds out of which groups and lanes marks may be lost.
func (s *Recovery) findLostMarks() {
	ordinals := make([]uint32, len(s.slices))
	for i := range s.slices {
		ordinals[i] = s.slices[i].ordinal
	}
	slices.Sort(ordinals)
	slices.Sort(s.lostMarks)
	for i := range s.models {
		s.models[i].unmarked = s.marksMayBeLost(&s.models[i], ordinals)
	}
}

// pairMarks returns the marks of a lane in a slice, whose model is at hand; known is false if they may be lost.
func (s *savedSlice) pairMarks(lane uint32) (marks []slice.PairMark, known bool, err error) {
	l := s.recoverer.lanes[lane]
	found, ok := s.marks[marksName{l.current.Group, lane}]
	if !ok {
		return nil, !l.models[0].unmarked, nil
	}
	if l.marks == nil || l.marks.Group != l.current.Group {
		b, err := s.payload(found)
		if err != nil {
			return nil, false, err
		}
		if l.marks, err = slice.ParseMarks(b, s.limits); err != nil {
			return nil, false, format.At(err, s.name, found.offset)
		}
	}
	return l.marks.Of(s.number), true, nil
}
