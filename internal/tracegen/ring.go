package tracegen

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/trace"
)

// Ring returns the trace of a regular program: in every iteration each rank computes, sends to its right neighbour and
// receives from its left one; now and then all meet in a collective operation, or write a checkpoint. The times are noisy.
// All of it is made while it is read, about 30 events for each rank and iteration, so that the trace may be of any length.
// Equal arguments give equal traces.
func Ring(ranks, iterations int, seed uint64) trace.Source {
	r := &ring{Trace: New(trace.Meta{Format: "ring", Resolution: 1_000_000_000}), ranks: ranks, iterations: iterations, seed: seed}
	r.main, r.step, r.kernel = r.Region("main"), r.Region("step"), r.Region("kernel")
	r.exchange, r.checkpoint = r.Region("exchange"), r.Region("write_checkpoint")
	r.irecv, r.isend = r.Region("MPI_Irecv"), r.Region("MPI_Isend")
	r.waitall, r.allreduce = r.Region("MPI_Waitall"), r.Region("MPI_Allreduce")
	r.defineCounter()
	var locations []uint64
	for rank := range ranks {
		r.Location(uint64(rank), r.Process(fmt.Sprintf("rank %d", rank)))
		locations = append(locations, uint64(rank))
	}
	r.world = r.Comm(r.CommLocations(locations...))
	return r
}

// ring is the program; the trace that it embeds has its definitions, and no events.
type ring struct {
	*Trace
	ranks, iterations int
	seed              uint64

	main, step, kernel, exchange, checkpoint uint64
	irecv, isend, waitall, allreduce         uint64
	world                                    uint64
}

// defineCounter defines metric class 0, of one counter.
func (r *ring) defineCounter() {
	name, unit := r.String("instructions"), r.String("#")
	r.Define(trace.KindMetricMember, 0, name, name, 1, 0, uint64(trace.ValueUint64), 1, 0, unit)
	r.Define(trace.KindMetricClass, 0, 1, 0, 0, 2)
}

// Open implements [trace.Source].
func (r *ring) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class != trace.StreamEvents || id.Location >= uint64(r.ranks) {
		return nil, fmt.Errorf("no stream of class %d for %d", id.Class, id.Location)
	}
	s := &ringStream{ring: r, rank: id.Location, own: newDice(r.seed, 1+id.Location), shared: newDice(r.seed, 0)}
	s.pending.Reset(id.Location)
	return s, nil
}

// ringStream writes the events of one rank, one iteration at a time.
type ringStream struct {
	*ring
	rank uint64
	// own noise of the rank, and the noise that all ranks share; both go on from iteration to iteration.
	own, shared dice
	iteration   int
	begin       int64 // of the iteration, the same on all ranks
	now         int64
	counter     uint64
	pending     trace.Batch // what the iteration has written
	given       int         // records of pending that were read
}

// Parts of an iteration, in ticks: what a rank does fits into them, so that no message is received before it was sent.
const (
	ringCompute  = 100_000
	ringPosting  = 5_000
	ringTransfer = 20_000
	ringSlot     = 200_000
)

func (s *ringStream) Close() error { return nil }

func (s *ringStream) Next(b *trace.Batch, most int) error {
	b.Reset(s.rank)
	for b.Len() < most {
		if s.given == s.pending.Len() && !s.next() {
			break
		}
		for ; s.given < s.pending.Len() && b.Len() < most; s.given++ {
			b.AppendFrom(&s.pending, s.given, trace.Standard)
		}
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// next writes the next iteration into pending; false after the last.
func (s *ringStream) next() bool {
	if s.iteration > s.iterations {
		return false
	}
	s.pending.Reset(s.rank)
	s.given = 0
	if s.iteration == 0 {
		s.put(trace.KindEnter, s.main)
	}
	if s.iteration == s.iterations {
		s.until(s.begin)
		s.put(trace.KindLeave, s.main)
	} else {
		s.iterate()
	}
	s.iteration++
	return true
}

func (s *ringStream) iterate() {
	s.until(s.begin)
	s.put(trace.KindEnter, s.step)
	s.compute(4 + s.shared.IntN(8)/7)
	s.neighbours()
	if s.iteration%10 == 9 {
		s.reduce()
	}
	if s.iteration%50 == 49 {
		s.save()
	}
	s.put(trace.KindLeave, s.step)
	s.begin += ringSlot + s.shared.Int64N(1000)
}

// compute calls the kernel a few times, with a counter in each call.
func (s *ringStream) compute(kernels int) {
	for range kernels {
		s.put(trace.KindEnter, s.kernel)
		s.work(12_000)
		s.counter += 40_000 + s.own.Uint64N(100)
		s.put(trace.KindMetric, 0, 1, uint64(trace.ValueUint64), s.counter)
		s.put(trace.KindLeave, s.kernel)
	}
}

// neighbours sends to the right and receives from the left.
func (s *ringStream) neighbours() {
	n := uint64(s.ranks)
	left, right := (s.rank+n-1)%n, (s.rank+1)%n
	posted, sent := 2*uint64(s.iteration), 2*uint64(s.iteration)+1
	const tag, length = 0, 8192
	s.put(trace.KindEnter, s.exchange)
	s.inside(s.irecv, func() { s.put(trace.KindMpiIrecvRequest, posted) })
	s.until(s.begin + ringCompute)
	s.inside(s.isend, func() { s.put(trace.KindMpiIsend, right, s.world, tag, length, sent) })
	s.inside(s.waitall, func() {
		s.until(s.begin + ringCompute + ringPosting)
		s.work(4000)
		s.put(trace.KindMpiIrecv, left, s.world, tag, length, posted)
		s.put(trace.KindMpiIsendComplete, sent)
	})
	s.put(trace.KindLeave, s.exchange)
}

func (s *ringStream) reduce() {
	s.inside(s.allreduce, func() {
		s.put(trace.KindMpiCollectiveBegin)
		s.until(s.begin + ringCompute + ringTransfer)
		s.put(trace.KindMpiCollectiveEnd, 11, s.world, undefined32, 8, 8)
	})
}

func (s *ringStream) save() {
	s.inside(s.checkpoint, func() {
		s.put(trace.KindParameterInt, 0, uint64(s.iteration))
		s.work(20_000)
	})
}

// inside writes a call of a region around what body writes.
func (s *ringStream) inside(region uint64, body func()) {
	s.put(trace.KindEnter, region)
	body()
	s.put(trace.KindLeave, region)
}

// put writes an event and lets a little time pass.
func (s *ringStream) put(kind trace.Kind, words ...uint64) {
	s.pending.Append(kind, s.now, words...)
	s.now += 50 + 10*s.own.Int64N(8)
}

// work lets time pass: as long as always, and seldom a good deal longer.
func (s *ringStream) work(ticks int64) {
	noise := min(s.own.ExpFloat64()/50, 0.5)
	s.now += (ticks + int64(noise*float64(ticks))) / 10 * 10
}

func (s *ringStream) until(t int64) { s.now = max(s.now, t) }
