package gather

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Shifts tell the numbers of operations that block from how many the rank ended before. They are the same, unless the trace lacks parts.
type Shifts struct {
	ofRanks map[member]List
}

type member struct{ communicator, rank uint64 }

// List are the shifts of a rank on a communicator.
type List []shift

// shift is what the numbers of a rank's parts are greater than its count of parts before them, from some count on.
type shift struct{ from, by uint64 }

// Of returns the shifts of a rank.
func (s *Shifts) Of(communicator, rank uint64) List {
	if s == nil {
		return nil
	}
	return s.ofRanks[member{communicator, rank}]
}

// Number returns the number of the operation of the rank's part that has count parts before it.
func (l List) Number(count uint64) uint64 {
	n := len(l)
	for n > 0 && l[n-1].from > count {
		n--
	}
	if n == 0 {
		return count
	}
	return count + l[n-1].by
}

// Count returns how many parts the rank has before its part in the operation of a number; ok is false if it has none there, whatever its last part is.
func (l List) Count(number uint64) (count uint64, ok bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if count = number - l[i].by; number >= l[i].by && count >= l[i].from {
			return count, i+1 == len(l) || count < l[i+1].from
		}
	}
	return number, len(l) == 0 || number < l[0].from
}

// mostWaiting bounds the parts that wait for those of other ranks.
const mostWaiting = 1 << 20

// ShiftsOf returns the shifts of a file. Where all ranks of each communicator take part in the same operations, which the file tells, there are none, and no
// event is read; else all parts of operations are.
func ShiftsOf(info *store.Info, defs *trace.Definitions, w *store.Window) (*Shifts, error) {
	if info.UnlikeRanks == 0 {
		return nil, nil
	}
	all := w.Whole()
	sums, err := all.Summary(store.SummaryCollectives)
	if err != nil {
		return nil, err
	}
	f := &finder{Shifts: &Shifts{map[member]List{}}, defs: defs, series: map[uint64]*Series[struct{}]{}, counts: map[member]uint64{}, begins: map[uint64]int64{}}
	f.open(sums.Collectives)
	for e, err := range all.WithKinds(trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd).Events() {
		if err != nil {
			return nil, err
		}
		f.take(&e)
	}
	for _, s := range f.series {
		s.End()
	}
	return f.Shifts, nil
}

// finder finds shifts.
type finder struct {
	*Shifts
	defs    *trace.Definitions
	series  map[uint64]*Series[struct{}] // by communicator
	counts  map[member]uint64            // parts so far
	begins  map[uint64]int64             // by location
	waiting int
}

// open begins a series for each communicator, with the ranks that take part at all.
func (f *finder) open(sums []trace.CollectiveTotals) {
	ranks, sizes := map[uint64][]int{}, map[uint64]int{}
	for _, t := range sums {
		if rank, size, ok := f.defs.OwnRank(t.Communicator, t.Location); ok {
			ranks[t.Communicator], sizes[t.Communicator] = append(ranks[t.Communicator], int(rank)), int(size)
		}
	}
	for comm, list := range ranks {
		slices.Sort(list)
		s := NewSeries[struct{}](sizes[comm], slices.Compact(list))
		s.Blocks, s.Most, s.Waiting = true, mostWaiting, &f.waiting
		s.Each = func(o *Operation[struct{}]) { f.number(comm, o) }
		f.series[comm] = s
	}
}

// take takes up the begin or the end of a part. One that the file's sums lack has no shifts: such a file is damaged, which verifying tells.
func (f *finder) take(e *trace.Event) {
	at, location := e.Batch.Times[e.Index], e.Batch.Location
	if e.Batch.Kinds[e.Index] == trace.KindMpiCollectiveBegin {
		f.begins[location] = at
		return
	}
	begin, begun := f.begins[location]
	delete(f.begins, location)
	w := e.Batch.Fields(e.Index)
	rank, _, ok := f.defs.OwnRank(w[1], location)
	if s := f.series[w[1]]; ok && s != nil && s.has(int(rank)) {
		s.Add(&Part[struct{}]{Rank: rank, Operation: w[0], Begin: begin, End: at, Begun: begun})
	}
}

// number notes where numbers begin to differ from counts in another way.
func (f *finder) number(comm uint64, o *Operation[struct{}]) {
	for i := range o.Extras {
		f.note(comm, o.Extras[i].Rank, o.Number-uint64(len(o.Extras)-i))
	}
	for _, parts := range [][]Part[struct{}]{o.Parts, o.Others} {
		for i := range parts {
			f.note(comm, parts[i].Rank, o.Number)
		}
	}
}

func (f *finder) note(comm, rank, number uint64) {
	m := member{comm, rank}
	count := f.counts[m]
	f.counts[m]++
	if list := f.ofRanks[m]; list.Number(count) != number {
		f.ofRanks[m] = append(list, shift{count, number - count})
	}
}
