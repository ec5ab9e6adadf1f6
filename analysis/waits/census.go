package waits

import (
	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// census says how many operations of each series each process takes part in: before the window, and in it. So it is known when all parts of an
// operation are there, though some rank may have left no events.
type census struct {
	counts map[series]map[int32]*turns
}

// turns are the operations of a process.
type turns struct {
	next       uint64 // how many there are before the next one
	first, end uint64 // how many there are before those in the window, and before those behind
	shifts     gather.List
}

func (c *census) of(s series, process int32) *turns {
	m := c.counts[s]
	if m == nil {
		m = map[int32]*turns{}
		c.counts[s] = m
	}
	t := m[process]
	if t == nil {
		t = &turns{}
		m[process] = t
	}
	return t
}

// next returns the number of the next operation of a process.
func (c *census) next(s series, process int32) uint64 {
	t := c.of(s, process)
	t.next++
	return t.shifts.Number(t.next - 1)
}

// expected returns how many processes take part in an operation.
func (c *census) expected(t turn) (n int) {
	for _, p := range c.counts[t.series] {
		if count, ok := p.shifts.Count(t.number); ok && p.first <= count && count < p.end {
			n++
		}
	}
	return n
}

// take counts the operations of a window: those before the one that is looked at, or those in it.
func (f *flow) take(w *store.Window, add func(t *turns, n uint64)) error {
	sums, err := w.Summary(store.SummaryCollectives)
	if err != nil {
		return err
	}
	for _, s := range sums.Collectives {
		add(f.turnsOf(series{s.Communicator, true}, s.Location), s.Count)
	}
	if !f.info.Has(trace.KindNonBlockingCollectiveComplete) {
		return nil
	}
	minus := ^uint64(0)
	for e, err := range w.WithKinds(trace.KindNonBlockingCollectiveComplete).Events() {
		if err != nil {
			return err
		}
		comm := e.Batch.Fields(e.Index)[1]
		add(f.turnsOf(series{comm, false}, e.Batch.Location), 1)
		add(f.turnsOf(series{comm, true}, e.Batch.Location), minus) // the sums have these, too
	}
	return nil
}

// turnsOf returns the operations of the process of a location.
func (f *flow) turnsOf(s series, location uint64) *turns {
	t := f.census.of(s, f.place(location).process)
	if rank, _, ok := f.defs.OwnRank(s.communicator, location); ok {
		t.shifts = f.shifts.Of(s.communicator, rank, s.blocks)
	}
	return t
}

// count takes the census of [from, to).
func (f *flow) count(from, to int64) error {
	var err error
	if f.shifts, err = gather.ShiftsOf(f.info, f.defs, f.window); err != nil {
		return err
	}
	f.census.counts = map[series]map[int32]*turns{}
	if from > f.info.First {
		before := f.window.Within(f.info.First, from)
		if err := f.take(before, func(t *turns, n uint64) { t.next, t.first, t.end = t.next+n, t.first+n, t.end+n }); err != nil {
			return err
		}
	}
	return f.take(f.window.Within(from, to), func(t *turns, n uint64) { t.end += n })
}
