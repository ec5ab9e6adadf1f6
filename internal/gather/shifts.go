package gather

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Shifts tell the numbers of operations from how many the rank ended before. Those that block have numbers of their own, and those that do not. Numbers
// and counts are the same, unless the trace lacks parts, or operations that do not block are completed in another order than they were begun in.
type Shifts struct {
	ofRanks map[member]List
}

// member is a rank of a communicator, in operations that block or in those that do not.
type member struct {
	line
	rank uint64
}

// line is what operations are counted in.
type line struct {
	communicator uint64
	blocks       bool
}

// Of returns the shifts of a rank, for operations that block or for those that do not.
func (s *Shifts) Of(communicator, rank uint64, blocks bool) List {
	if s == nil {
		return List{}
	}
	return s.ofRanks[member{line{communicator, blocks}, rank}]
}

// mostWaiting bounds the parts that wait for those of other ranks, and those that wait for others of their process.
const mostWaiting = 1 << 20

// ShiftsOf returns the shifts of a file. Where all ranks of each communicator take part in the same operations, which the file tells of those that block,
// and all operations block, there are none, and no event is read; else all parts of operations are.
func ShiftsOf(info *store.Info, defs *trace.Definitions, w *store.Window) (*Shifts, error) {
	var kinds []trace.Kind
	if _, _, unlike := info.CountedDoubts(); unlike == nil || *unlike > 0 {
		kinds = append(kinds, trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd)
	}
	if info.Has(trace.KindNonBlockingCollectiveComplete) {
		kinds = append(kinds, trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete)
	}
	if len(kinds) == 0 {
		return nil, nil
	}
	all := w.Whole()
	sums, err := all.Summary(store.SummaryCollectives)
	if err != nil {
		return nil, err
	}
	f := newFinder(defs)
	f.open(sums.Collectives)
	for e, err := range all.WithKinds(kinds...).Events() {
		if err != nil {
			return nil, err
		}
		f.take(&e)
	}
	return f.end(), nil
}

// process is a group of locations, or, where it is not known, one of them.
type process struct {
	id    uint64
	known bool
}

// finder finds shifts.
type finder struct {
	defs    *trace.Definitions
	series  map[line]*Series[uint64] // of parts with their counts
	counts  map[member]uint64        // parts that ended so far
	numbers map[member]*numbering
	begins  map[uint64]int64 // of operations that block, by location
	orders  map[process]*Order[begunPart]
	waiting int
	held    int
}

func newFinder(defs *trace.Definitions) *finder {
	return &finder{defs: defs, series: map[line]*Series[uint64]{}, counts: map[member]uint64{}, numbers: map[member]*numbering{}, begins: map[uint64]int64{},
		orders: map[process]*Order[begunPart]{}}
}

// begunPart is a part in an operation that does not block.
type begunPart struct {
	in     line
	ranked bool // the location has a rank
	part   Part[uint64]
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
		list = slices.Compact(list)
		for _, blocks := range []bool{false, true} {
			s := NewSeries[uint64](sizes[comm], list)
			s.Blocks, s.Most, s.Waiting = blocks, mostWaiting, &f.waiting
			in := line{comm, blocks}
			s.Each = func(o *Operation[uint64]) { f.number(in, o) }
			f.series[in] = s
		}
	}
}

// take takes up the begin or the end of a part.
func (f *finder) take(e *trace.Event) {
	at, location, w := e.Batch.Times[e.Index], e.Batch.Location, e.Batch.Fields(e.Index)
	switch e.Batch.Kinds[e.Index] {
	case trace.KindMpiCollectiveBegin:
		f.begins[location] = at
	case trace.KindMpiCollectiveEnd:
		begin, begun := f.begins[location]
		delete(f.begins, location)
		in := line{w[1], true}
		if rank, ok := f.rank(in, location); ok {
			f.series[in].Add(&Part[uint64]{Rank: rank, Operation: w[0], Begin: begin, End: at, Begun: begun, Of: f.count(in, rank)})
		}
	case trace.KindNonBlockingCollectiveRequest:
		f.order(location).Begin(Request{location, w[0]})
	case trace.KindNonBlockingCollectiveComplete:
		p := begunPart{in: line{w[1], false}}
		var rank uint64
		if rank, p.ranked = f.rank(p.in, location); p.ranked {
			p.part = Part[uint64]{Rank: rank, Operation: w[0], End: at, Of: f.count(p.in, rank)}
		}
		f.order(location).Complete(Request{location, w[5]}, p)
	}
}

// rank returns the rank of a location, if it takes part by the sums of the file. A part that these lack has no shifts: such a file is damaged, which
// verifying tells.
func (f *finder) rank(in line, location uint64) (rank uint64, ok bool) {
	rank, _, ok = f.defs.OwnRank(in.communicator, location)
	s := f.series[in]
	return rank, ok && s != nil && s.has(int(rank))
}

// count returns how many parts of a rank ended before the next one.
func (f *finder) count(in line, rank uint64) uint64 {
	m := member{in, rank}
	n := f.counts[m]
	f.counts[m]++
	return n
}

// begun takes up the next part that a process began, of those that do not block.
func (f *finder) begun(p *begunPart) {
	if p.ranked {
		f.series[p.in].Add(&p.part)
	}
}

// order returns the order of the process of a location.
func (f *finder) order(location uint64) *Order[begunPart] {
	var p process
	p.id, p.known = f.defs.Process(location)
	o := f.orders[p]
	if o == nil {
		o = &Order[begunPart]{Most: mostWaiting, Held: &f.held, Each: f.begun}
		f.orders[p] = o
	}
	return o
}

// number notes the numbers of the parts of an operation.
func (f *finder) number(in line, o *Operation[uint64]) {
	for i := range o.Extras {
		f.note(in, &o.Extras[i], o.Number-uint64(len(o.Extras)-i))
	}
	for _, parts := range [][]Part[uint64]{o.Parts, o.Others} {
		for i := range parts {
			f.note(in, &parts[i], o.Number)
		}
	}
}

func (f *finder) note(in line, p *Part[uint64], number uint64) {
	m := member{in, p.Rank}
	if f.numbers[m] == nil {
		f.numbers[m] = &numbering{}
	}
	f.numbers[m].note(p.Of, number)
}

// end returns the shifts when all events were taken.
func (f *finder) end() *Shifts {
	for _, o := range f.orders {
		o.End()
	}
	for _, s := range f.series {
		s.End()
	}
	shifts := &Shifts{map[member]List{}}
	for m, n := range f.numbers {
		if l := n.list(); len(l.shifts) > 0 {
			shifts.ofRanks[m] = l
		}
	}
	return shifts
}
