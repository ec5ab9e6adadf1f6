package summary

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Slices that have too many messages for them to be looked at at once are gone through for all lanes together.

// laneCells are what messages add up to, by lane.
type laneCells map[uint32][]pairCell

// largeEnds are those of large slices at the ends of a summary's window.
type largeEnds struct {
	mu    sync.Mutex
	cells map[uint64]laneCells // by slice
}

// largeCells adds up the messages of a large slice, by lane. What a whole slice comes to is kept.
func (q *SummaryQuery) largeCells(slice uint64) (laneCells, error) {
	if q.within.Contain(slice, slice) {
		return cache.Get(q.Cache(), cache.Key{What: cache.CachedLargeCells, Offset: slice}, func() (laneCells, int64, error) { return q.foldLarge(slice) })
	}
	l := &q.large
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cells[slice] == nil {
		cells, _, err := q.foldLarge(slice)
		if err != nil {
			return nil, err
		}
		if l.cells == nil {
			l.cells = map[uint64]laneCells{}
		}
		l.cells[slice] = cells
	}
	return l.cells[slice], nil
}

// foldLarge adds up the messages of a slice, some at a time, and tells the bytes of the result.
func (q *SummaryQuery) foldLarge(slice uint64) (laneCells, int64, error) {
	p, err := query.SlicePairs(q.File, slice, &read.MessageLanes{Lanes: q.AllLanes()})
	if err != nil {
		return nil, 0, err
	}
	folds := map[uint32]*messageFold{}
	for some := range slices.Chunk(p.Pairs, q.AtOnce.Messages) {
		all, err := p.Messages(some)
		if err != nil {
			return nil, 0, err
		}
		for i := range all {
			if all[i].Overlaps(q.w.From, q.w.To) {
				q.addToLanes(folds, &all[i])
			}
		}
	}
	cells, size := laneCells{}, int64(0)
	for lane, f := range folds {
		cells[lane] = f.cells
		size += int64(32 * len(f.cells))
	}
	return cells, size, nil
}

// addToLanes adds a message to the lanes of its ends.
func (q *SummaryQuery) addToLanes(folds map[uint32]*messageFold, m *trace.Message) {
	p := read.Pair{Send: q.KnownIndex(m.SendLocation), Receive: q.KnownIndex(m.ReceiveLocation)}
	from, _ := q.LaneOf(p.Send)
	to, _ := q.LaneOf(p.Receive)
	q.foldOf(folds, from).add(p, m.SendLength)
	if to != from {
		q.foldOf(folds, to).add(p, m.SendLength)
	}
}

func (q *SummaryQuery) foldOf(folds map[uint32]*messageFold, lane uint32) *messageFold {
	f := folds[lane]
	if f == nil {
		f = newMessageFold(q, lane)
		folds[lane] = f
	}
	return f
}
