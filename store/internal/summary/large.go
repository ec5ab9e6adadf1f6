package summary

import (
	"slices"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
)

// Slices at the ends of a window, and those that have too many messages for them to be looked at at once, are gone through for all lanes together.

// laneCells are what messages add up to, by lane.
type laneCells map[uint32][]pairCell

// endMessages are those of the slices at the begin and at the end of a summary's window, as far as the window has them.
type endMessages struct{ first, last cache.Lazy[laneCells] }

// endCells adds up the messages of the window that lie in a slice at one of its ends, by lane.
func (q *SummaryQuery) endCells(slice uint64) (laneCells, error) {
	cells := &q.ends.last
	if slice == q.touched.First {
		cells = &q.ends.first
	}
	return cells.Get(q.Context(), func() (laneCells, error) { return q.foldEnd(slice) })
}

// pairEnds adds up the messages of the slices at the window's ends that are not within it, before lanes ask for them.
func (q *SummaryQuery) pairEnds() error {
	for _, slice := range []uint64{q.touched.First, q.touched.End - 1} {
		if q.touched.First == q.touched.End || q.within.Contain(slice, slice) {
			continue
		}
		if _, err := q.endCells(slice); err != nil {
			return err
		}
	}
	return nil
}

// foldEnd adds up the messages of a slice that the window has.
func (q *SummaryQuery) foldEnd(slice uint64) (laneCells, error) {
	all, err := query.Paired(q.File, slice, &read.MessageLanes{Lanes: q.AllLanes()})
	if err == query.ErrTooMuch {
		cells, _, err := q.foldLarge(slice, q.lanesAsked)
		return cells, err
	}
	if err != nil {
		return nil, err
	}
	folds := laneFolds{of: map[uint32]*messageFold{}, asked: q.lanesAsked}
	for i := range all {
		if m := &all[i]; q.hasMessage(m) {
			if err := folds.add(q, read.Pair{Send: m.Send.Location, Receive: m.Receive.Location}, m.Send.Length); err != nil {
				return nil, err
			}
		}
	}
	return folds.cells(), nil
}

// foldLarge adds up the messages of a slice, some at a time, and tells the bytes of the result. asked are the lanes of which it is wanted; nil means all.
func (q *SummaryQuery) foldLarge(slice uint64, asked map[uint32]bool) (laneCells, int64, error) {
	p, err := query.SlicePairs(q.File, slice, &read.MessageLanes{Lanes: q.AllLanes()})
	if err != nil {
		return nil, 0, err
	}
	folds := laneFolds{of: map[uint32]*messageFold{}, asked: asked}
	for some := range slices.Chunk(p.Pairs, q.AtOnce.Messages) {
		all, err := p.Messages(some)
		if err != nil {
			return nil, 0, err
		}
		for i := range all {
			if m := &all[i]; m.Overlaps(q.w.From, q.w.To) {
				p := read.Pair{Send: q.KnownIndex(m.SendLocation), Receive: q.KnownIndex(m.ReceiveLocation)}
				if err := folds.add(q, p, m.SendLength); err != nil {
					return nil, 0, err
				}
			}
		}
	}
	size := int64(0)
	for _, f := range folds.of {
		size += int64(32 * len(f.cells))
	}
	return folds.cells(), size, nil
}

// laneFolds add up messages by lane.
type laneFolds struct {
	of    map[uint32]*messageFold
	asked map[uint32]bool // the lanes that are wanted, nil if all are
}

// add adds a message to the lanes of its ends.
func (s *laneFolds) add(q *SummaryQuery, p read.Pair, bytes uint64) error {
	from, _ := q.LaneOf(p.Send)
	to, _ := q.LaneOf(p.Receive)
	err := s.addTo(q, from, p, bytes)
	if err == nil && to != from {
		err = s.addTo(q, to, p, bytes)
	}
	return err
}

func (s *laneFolds) addTo(q *SummaryQuery, lane uint32, p read.Pair, bytes uint64) error {
	if s.asked != nil && !s.asked[lane] {
		return nil
	}
	f := s.of[lane]
	if f == nil {
		if _, err := q.Lane(lane); err != nil { // which makes it known
			return err
		}
		f = newMessageFold(q, lane)
		s.of[lane] = f
	}
	f.add(p, bytes)
	return nil
}

// cells returns what was added up.
func (s *laneFolds) cells() laneCells {
	cells := laneCells{}
	for lane, f := range s.of {
		cells[lane] = f.cells
	}
	return cells
}
