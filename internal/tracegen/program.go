package tracegen

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Program returns the trace of a program in which nothing is wrong: calls are left, messages are received after they were sent, all ranks of a
// communicator do the same collective operations, requests are completed, counters grow, locks are released. Each step has some of everything,
// and [Faults] break it in one place. Equal arguments give equal traces. There are at least four ranks, and an even
// number.
func Program(ranks, steps int, seed uint64) *Trace {
	p := &flawless{Trace: New(trace.Meta{Format: "program", Resolution: 1_000_000_000}), ranks: ranks}
	for i, name := range programRegions {
		p.regions[i] = p.Region(name)
	}
	name, unit := p.String("cycles"), p.String("#")
	p.Define(trace.KindMetricMember, 0, name, name, 1, 0, uint64(trace.ValueUint64), 1, 0, unit)
	p.Define(trace.KindMetricClass, 0, 1, 0, 0, 2)
	var locations []uint64
	for rank := range ranks {
		p.Location(uint64(rank), p.Process(fmt.Sprintf("rank %d", rank)))
		locations = append(locations, uint64(rank))
	}
	p.Define(trace.KindMetricInstance, 1, 0, 0, 1, 0) // what rank 0 records of itself
	p.world = p.Comm(p.CommLocations(locations...))
	p.half = p.Comm(p.CommGroup(locations[:ranks/2]...))
	p.grid()
	p.Define(trace.KindClockProperties, p.meta.Resolution, 0, uint64(steps+2)*programStep, undefined32)
	for rank := range ranks {
		a := &flawlessRank{flawless: p, rank: uint64(rank), events: p.Events(uint64(rank)), dice: newDice(seed, uint64(rank)+1)}
		a.run(steps)
		clock := p.Stream(trace.StreamID{Class: trace.StreamLocalDefinitions, Location: uint64(rank)})
		clock.Append(trace.KindClockOffset, 0, 0, uint64(rank), 0)
		clock.Append(trace.KindClockOffset, 0, uint64(steps+2)*programStep, uint64(2*rank), 0)
	}
	return p.Trace
}

// The regions of the program.
const (
	regionMain = iota
	regionCompute
	regionExchange
	regionCollective
)

var programRegions = [...]string{"main", "compute", "exchange", "collective"}

// programStep is the length of a step in ticks, the same on all ranks.
const programStep = 1_000_000

// flawless is what the ranks have in common.
type flawless struct {
	*Trace
	ranks       int
	regions     [len(programRegions)]uint64
	world, half uint64
}

// grid defines a topology of two columns.
func (p *flawless) grid() {
	name := p.String("grid")
	p.Define(trace.KindCartDimension, 0, name, uint64(p.ranks/2), 1)
	p.Define(trace.KindCartDimension, 1, name, 2, 0)
	p.Define(trace.KindCartTopology, 0, name, p.world, 2, 0, 1)
	for rank := range uint64(p.ranks) {
		p.Define(trace.KindCartCoordinate, 0, rank, 2, rank/2, rank%2)
	}
}

// flawlessRank writes the events of a rank.
type flawlessRank struct {
	*flawless
	rank    uint64
	events  *trace.Batch
	dice    dice
	step    int64 // begin of the step
	counter uint64
}

// put writes an event at a time in the step, in thousandths of it, and up to as much later.
func (a *flawlessRank) put(at int64, kind trace.Kind, words ...uint64) {
	t := a.step + at*programStep/1000 + a.dice.Int64N(programStep/1000)
	if n := a.events.Len(); n > 0 {
		t = max(t, a.events.Times[n-1])
	}
	a.events.Append(kind, t, words...)
}

func (a *flawlessRank) run(steps int) {
	a.put(0, trace.KindEnter, a.regions[regionMain])
	for i := range steps {
		a.step = int64(i+1) * programStep
		a.compute()
		a.exchange(uint64(i))
		a.meet(i)
	}
	a.step += programStep
	a.put(0, trace.KindLeave, a.regions[regionMain])
}

// compute reads a counter, and holds a lock for some time.
func (a *flawlessRank) compute() {
	a.put(0, trace.KindEnter, a.regions[regionCompute])
	a.counter += a.dice.Uint64N(1000)
	metric := uint64(0)
	if a.rank == 0 {
		metric = 1
	}
	a.put(1, trace.KindMetric, metric, 1, uint64(trace.ValueUint64), a.counter)
	a.put(10, trace.KindOmpAcquireLock, 7, 0)
	a.put(20, trace.KindOmpReleaseLock, 7, 0)
	a.put(90, trace.KindLeave, a.regions[regionCompute])
}

// exchange sends to the next rank without blocking, and receives from the one before; pairs of ranks send with calls that block.
func (a *flawlessRank) exchange(step uint64) {
	n := uint64(a.ranks)
	next, before := (a.rank+1)%n, (a.rank+n-1)%n
	receive, send := 2*step, 2*step+1
	a.put(100, trace.KindEnter, a.regions[regionExchange])
	a.put(110, trace.KindMpiIrecvRequest, receive)
	a.put(120, trace.KindMpiIsend, next, a.world, 1, 64, send)
	a.put(200, trace.KindMpiIsendComplete, send)
	a.put(210, trace.KindMpiIrecv, before, a.world, 1, 64, receive)
	if a.rank%2 == 0 {
		a.put(300, trace.KindMpiSend, next, a.world, 2, 32)
	} else {
		a.put(350, trace.KindMpiRecv, before, a.world, 2, 32)
	}
	a.put(390, trace.KindLeave, a.regions[regionExchange])
}

// The operations that steps take turns in, by the numbers of trace.EnumCollectiveOp.
var programOperations = []struct{ operation, root, sent, received uint64 }{
	{0, undefined32, 0, 0}, {1, 0, 8, 8}, {11, undefined32, 8, 8}, {2, 1, 8, 0}, {8, undefined32, 8, 8}, {12, 0, 8, 8}, {14, undefined32, 8, 8},
}

// meet does a collective operation that blocks on all ranks and on half of them, and one that does not block.
func (a *flawlessRank) meet(step int) {
	o := programOperations[step%len(programOperations)]
	a.put(500, trace.KindEnter, a.regions[regionCollective])
	a.put(510, trace.KindMpiCollectiveBegin)
	if o.operation == 2 && a.rank == o.root { // it gathers
		o.received = 8 * uint64(a.ranks)
	}
	a.put(550, trace.KindMpiCollectiveEnd, o.operation, a.world, o.root, o.sent, o.received)
	if int(a.rank) < a.ranks/2 {
		a.put(600, trace.KindMpiCollectiveBegin)
		a.put(650, trace.KindMpiCollectiveEnd, 11, a.half, undefined32, 8, 8)
	}
	request := uint64(step) + 1<<30 // another one than those of messages
	a.put(700, trace.KindNonBlockingCollectiveRequest, request)
	a.put(750, trace.KindNonBlockingCollectiveComplete, 11, a.world, undefined32, 8, 8, request)
	a.put(800, trace.KindLeave, a.regions[regionCollective])
}
