package write

import (
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
)

// laneJob is one lane's part of a group, ready to be encoded, and then encoded.
type laneJob struct {
	lane    uint32
	head    layout.GroupHead
	page    []byte // new shapes
	things  int    // of the lane's dictionary: shapes and their parts
	columns int
	infos   []shape.ColumnInfo
	leaves  shape.LeafTable
	slices  []*laneSlice
	drafts  []*slice.Draft // of the slices, while they are encoded
	stats   *slice.Statistics

	model   []byte
	periods []column.LocationPeriod
	blocks  []blockio.LogBlock // of the slices
}

// encode encodes a group, some lanes at a time.
func (b *backlog) encode(j *job) error {
	b.lattices.searches = min(b.lattices.searches+moreSearches, firstSearches)
	for lanes := j.lanes; len(lanes) > 0; {
		n := b.together(lanes)
		if err := b.encodeLanes(j, lanes[:n]); err != nil {
			return err
		}
		lanes = lanes[n:]
	}
	return nil
}

// size returns how many events the lane's slices have, and how many values besides their times.
func (l *laneJob) size() (events, values int) {
	for _, s := range l.slices {
		events, values = events+s.events, values+s.values
	}
	return events, values
}

// size returns how many events an encoded group has, how many bytes these take, and how many a lane should take in a slice. The next group but one knows.
func (j *job) size() (events, bytes, wanted int) {
	var n int
	for _, l := range j.lanes {
		for i, s := range l.slices {
			events, bytes, wanted = events+s.events, bytes+l.blocks[i].Size(), wanted+layout.PacedBytes(s.width)
		}
		n += len(l.slices)
	}
	return events, bytes, wanted / max(n, 1)
}

// together returns how many of the next lanes are encoded at a time: one, or as many as take half of the room, so that processors have more than one to work on.
func (b *backlog) together(lanes []*laneJob) int {
	left, most := b.room.most/2, max(leastLanes, b.w.options.Workers)
	for i, l := range lanes {
		if left -= l.draftBytes(); i == most || i > 0 && left < 0 {
			return i
		}
	}
	return len(lanes)
}

// leastLanes is how many lanes may be encoded at a time where there are fewer processors.
const leastLanes = 8

// What is encoded takes in memory, in bytes, about: an event and its time, and another value.
const (
	eventDraftBytes = 40
	valueDraftBytes = 48
)

// draftBytes returns about what the lane's slices take in memory while they are encoded.
func (l *laneJob) draftBytes() int64 {
	events, values := l.size()
	return int64(events*eventDraftBytes + values*valueDraftBytes)
}

// encodeLanes fits the statistics of lanes, and then encodes their slices, on all processors.
func (b *backlog) encodeLanes(j *job, lanes []*laneJob) error {
	bytes := int64(0)
	for _, l := range lanes {
		bytes += l.draftBytes()
	}
	defer b.room.take(bytes)()
	if err := b.unpack(j, lanes); err != nil {
		return err
	}
	for _, l := range lanes {
		for _, d := range l.drafts {
			b.lattices.settle(j.group.number, d)
		}
	}
	err := b.forSlices(lanes, func(l *laneJob, i int) {
		b.lattices.tick(l.drafts[i])
		l.drafts[i].Count(l.leaves.Info())
	})
	if err == nil {
		err = b.parallel(len(lanes), func(i int) { lanes[i].fit(b.each) })
	}
	if err == nil {
		err = b.forSlices(lanes, func(l *laneJob, i int) {
			l.blocks[i] = b.w.logs.Keep(slice.AppendBlock(nil, l.drafts[i], l.stats, l.infos))
		})
	}
	if err != nil {
		return err
	}
	for _, l := range lanes {
		for i, ls := range l.slices {
			b.note(j.group.slices[ls.slice.Number-j.group.slices[0].number], l, l.drafts[i])
		}
		b.release(l)
	}
	return nil
}

// unpack makes the drafts of lanes ready.
func (b *backlog) unpack(j *job, lanes []*laneJob) error {
	for _, l := range lanes {
		l.drafts = make([]*slice.Draft, len(l.slices))
		for i, ls := range l.slices {
			if l.drafts[i] = ls.draft; ls.draft == nil {
				l.drafts[i] = b.spare.get()
			}
		}
	}
	var g errgroup.Group
	g.SetLimit(b.w.options.Workers)
	for _, l := range lanes {
		for i, ls := range l.slices {
			if ls.draft == nil {
				g.Go(func() error { return j.group.unpack(l.drafts[i], ls, l.leaves) })
			}
		}
	}
	return g.Wait()
}

// release lets go what a lane does not need once it is encoded. Drafts that were not packed are for the writer to use again.
func (b *backlog) release(l *laneJob) {
	for i, ls := range l.slices {
		d := l.drafts[i]
		d.Finish()
		if ls.draft == nil && int64(d.Memory()) <= b.w.options.Memory/spareShare {
			b.spare.keep(d)
		}
	}
	l.drafts, l.stats = nil, nil
}

// parallel is each until the writer's context is done: then it leaves out those that are left and returns the context's error.
func (b *backlog) parallel(n int, f func(i int)) error {
	b.each(n, func(i int) {
		if b.w.ctx.Err() == nil {
			f(i)
		}
	})
	return b.w.ctx.Err()
}

// each calls do for the numbers below n, on all processors, each of which takes the next number when it is done with one.
func (b *backlog) each(n int, do func(i int)) {
	var next atomic.Int64
	var g sync.WaitGroup
	for range min(n, b.w.options.Workers) {
		g.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	g.Wait()
}

// inTurn makes something of each of the numbers below n, on all processors, and uses what was made in order: some at a time, at most lanesInTurn
// of those that take no more bytes than may be taken, but one at least.
func inTurn[T any](b *backlog, n int, bytes func(i int) int64, of func(i int) (T, error), use func(i int, made T) error) error {
	made, failed := make([]T, 0, lanesInTurn), make([]error, lanesInTurn)
	for from := 0; from < n; from += len(made) {
		made = made[:countInTurn(n-from, b.w.options.Memory/encodeShare, func(i int) int64 { return bytes(from + i) })]
		if err := b.parallel(len(made), func(i int) { made[i], failed[i] = of(from + i) }); err != nil {
			return err
		}
		for i := range made {
			if failed[i] != nil {
				return failed[i]
			}
			if err := use(from+i, made[i]); err != nil {
				return err
			}
		}
		clear(made)
	}
	return nil
}

// Of the memory that a writer may have, what is made of several lanes of a node at a time takes at most so large a part.
const (
	encodeShare = 8
	lanesInTurn = 64
)

// noBytes is for what takes little memory of each lane.
func noBytes(int) int64 { return 0 }

// countInTurn returns how many of the next n lanes come together.
func countInTurn(n int, most int64, bytes func(i int) int64) int {
	n = min(n, lanesInTurn)
	left := most
	for i := range n {
		if left -= bytes(i); left < 0 && i > 0 {
			return i
		}
	}
	return n
}

// forSlices calls f for all slices of lanes, on all processors.
func (b *backlog) forSlices(lanes []*laneJob, f func(l *laneJob, i int)) error {
	var of []*laneJob
	var numbers []int
	for _, l := range lanes {
		for i := range l.slices {
			of, numbers = append(of, l), append(numbers, i)
		}
	}
	return b.parallel(len(of), func(i int) { f(of[i], numbers[i]) })
}

func (l *laneJob) fit(each column.Each) {
	l.periods = l.usedPeriods()
	l.stats = slice.FitStatistics(l.drafts, l.columns, l.infos, l.periods, each)
	l.model = l.stats.Append(nil)
	l.blocks = make([]blockio.LogBlock, len(l.slices))
}
