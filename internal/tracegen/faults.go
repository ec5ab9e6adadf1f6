package tracegen

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Fault is one way to break a trace that [Program] has made.
type Fault struct {
	// Name is what a checker calls it.
	Name string
	// Break breaks one thing, anywhere; it returns the location and the number of the event at which that shows, or false for a fault of
	// definitions.
	Break func(t *Trace, seed uint64) (location, event uint64, shows bool)
}

// Faults returns all faults.
func Faults() []Fault { return slices.Clone(faults) }

var faults = []Fault{
	{"lost-leave", atEvent(trace.KindLeave, innerCall, func(e *edited) { e.drop(e.at); e.shows = e.all.Len() - 1 })},
	{"lost-enter", atEvent(trace.KindEnter, innerCall, func(e *edited) { e.drop(e.at); e.shows = e.next(trace.KindLeave, e.at) })},
	{"open-call", atEvent(trace.KindLeave, lastLeave, func(e *edited) { e.drop(e.at); e.shows = 0 })},
	{"time-decreases", atEvent(trace.KindMetric, nil, func(e *edited) { e.all.Times[e.at] = e.all.Times[e.at-1] - 1 })},
	{"outside-clock", atEvent(trace.KindLeave, lastLeave, func(e *edited) { e.all.Times[e.at] += 3 * programStep })},
	{"offset-out-of-order", ofClock(func(second []uint64) { second[0] = 0 })},
	{"clock-drifts", ofClock(func(second []uint64) { second[1] += second[0] / 9 })},
	{"received-before-sent", atEvent(trace.KindMpiRecv, nil, func(e *edited) { e.all.Times[e.at] -= 52 * programStep / 1000 })},
	{"left-before-all", atEvent(trace.KindMpiCollectiveEnd, barrier, func(e *edited) {
		e.all.Times[e.at-1] -= 5 * programStep / 1000
		e.all.Times[e.at] -= 42 * programStep / 1000
	})},
	{"team-outside-fork", atEvent(trace.KindMetric, nil, func(e *edited) {
		// A thread begins its part one event before its process forks; the part ends before the join.
		e.insert(trace.KindOmpJoin)
		e.insert(trace.KindThreadTeamEnd, 0)
		e.insert(trace.KindOmpFork, 2)
		e.at--
		e.insert(trace.KindThreadTeamBegin, 0)
		e.shows = e.at
	})},
	{"unmatched-send", func(t *Trace, seed uint64) (uint64, uint64, bool) {
		e := t.edit(trace.KindMpiRecv, nil, seed)
		e.drop(e.at)
		// The last message of the pair has no partner then: messages are told apart by their order alone.
		sender := t.Events(e.location - 1)
		return e.location - 1, uint64(lastOf(sender, trace.KindMpiSend)), true
	}},
	{"unmatched-receive", func(t *Trace, seed uint64) (uint64, uint64, bool) {
		e := t.edit(trace.KindMpiSend, lastSend, seed)
		e.drop(e.at)
		return e.location + 1, uint64(lastOf(t.Events(e.location+1), trace.KindMpiRecv)), true
	}},
	{"longer-than-sent", atEvent(trace.KindMpiRecv, nil, func(e *edited) { e.words()[3]++ })},
	{"unknown-peer", atEvent(trace.KindMpiSend, lastSend, func(e *edited) { e.words()[0] = 1000 })},
	{"send-never-completed", atEvent(trace.KindMpiIsendComplete, nil, func(e *edited) { e.drop(e.at); e.shows = e.at - 1 })},
	{"receive-never-completed", atEvent(trace.KindMpiSend, nil, func(e *edited) { e.insert(trace.KindMpiIrecvRequest, 1<<20) })},
	{"collective-never-completed", atEvent(trace.KindNonBlockingCollectiveRequest, nil, func(e *edited) {
		e.insert(trace.KindNonBlockingCollectiveRequest, 1<<20)
	})},
	{"unknown-request", atEvent(trace.KindMpiIrecv, nil, func(e *edited) { e.insert(trace.KindMpiIsendComplete, 1<<20) })},
	{"request-in-use", atEvent(trace.KindMpiIsendComplete, nil, func(e *edited) {
		e.insert(trace.KindMpiIrecvRequest, e.all.Fields(e.at)[0])
	})},
	{"missing-part", atEvent(trace.KindMpiCollectiveEnd, notLast, func(e *edited) {
		e.drop(e.at)
		e.drop(e.at - 1)
		e.shows = e.nextPart(e.at - 1)
	})},
	{"other-operation", atEvent(trace.KindMpiCollectiveEnd, notLast, func(e *edited) { e.words()[0] = 15 })},
	{"other-root", atEvent(trace.KindMpiCollectiveEnd, rooted, func(e *edited) { e.words()[2]++ })},
	{"lost-collective-begin", atEvent(trace.KindMpiCollectiveBegin, nil, func(e *edited) { e.drop(e.at) })},
	{"not-a-member", atEvent(trace.KindMpiCollectiveEnd, outsideHalf, func(e *edited) { e.words()[1] = 1 })},
	{"lost-collective-end", atEvent(trace.KindMpiCollectiveEnd, notLast, func(e *edited) { e.drop(e.at); e.shows = e.at - 1 })},
	{"root-without-need", inAllParts(barrier, 0)},
	{"no-root", inAllParts(rooted, undefined32)},
	{"root-is-no-rank", inAllParts(rooted, 1000)},
	{"barrier-with-data", atEvent(trace.KindMpiCollectiveEnd, barrier, func(e *edited) { e.words()[3] = 8 })},
	{"broadcast-differs", atEvent(trace.KindMpiCollectiveEnd, broadcast, func(e *edited) { e.words()[4]++ })},
	{"bytes-off-root", atEvent(trace.KindMpiCollectiveEnd, gathered, func(e *edited) { e.words()[4] = 4 })},
	{"other-number-of-values", atEvent(trace.KindMetric, nil, func(e *edited) {
		e.replace(trace.KindMetric, 0, 2, uint64(trace.ValueUint64), 1, uint64(trace.ValueUint64), 1)
	})},
	{"other-type", atEvent(trace.KindMetric, nil, func(e *edited) { e.words()[2] = uint64(trace.ValueDouble) })},
	{"counter-decreases", atEvent(trace.KindMetric, grown, func(e *edited) { e.words()[3] = 0 })},
	{"other-recorder", atEvent(trace.KindMetric, notFirst, func(e *edited) { e.words()[0] = 1 })},
	{"scope-elsewhere", ofDefinition(trace.KindMetricInstance, func(t *Trace, i int) { t.log[i].Words[4] = 1 })},
	{"undefined", atEvent(trace.KindOmpAcquireLock, nil, func(e *edited) { e.insert(trace.KindParameterInt, 77, 0) })},
	{"lost-opening", atEvent(trace.KindOmpAcquireLock, nil, func(e *edited) { e.drop(e.at) })},
	{"open-pair", atEvent(trace.KindOmpReleaseLock, nil, func(e *edited) { e.drop(e.at); e.shows = e.latest(trace.KindOmpAcquireLock, e.at) })},
	{"defined-twice", ofDefinition(trace.KindRegion, func(t *Trace, i int) { t.log = append(t.log, t.log[i]) })},
	{"no-coordinates", ofDefinition(trace.KindCartCoordinate, func(t *Trace, i int) { t.log = slices.Delete(t.log, i, i+1) })},
	{"outside-grid", ofDefinition(trace.KindCartCoordinate, func(t *Trace, i int) { t.log[i].Words[4] = 2 })},
	{"coordinates-twice", ofDefinition(trace.KindCartCoordinate, func(t *Trace, i int) { t.log[i].Words[3], t.log[i].Words[4] = 0, 1-t.log[i].Words[4] })},
}

// edited is an event of a trace that is broken.
type edited struct {
	trace    *Trace
	location uint64
	all      *trace.Batch
	at       int // the event
	shows    int // where the fault shows
}

// ofDefinition breaks one of the definitions of a kind.
func ofDefinition(kind trace.Kind, change func(t *Trace, i int)) func(*Trace, uint64) (uint64, uint64, bool) {
	return func(t *Trace, seed uint64) (uint64, uint64, bool) {
		var of []int
		for i := range t.log {
			if t.log[i].Kind == kind {
				of = append(of, i)
			}
		}
		if kind == trace.KindCartCoordinate {
			of = of[2:] // others may have the coordinates of the first two
		}
		i := choose(newDice(seed, 0), of)
		t.log[i].Words = slices.Clone(t.log[i].Words)
		change(t, i)
		return 0, 0, false
	}
}

// ofClock changes the words of the second offset of a clock.
func ofClock(change func(second []uint64)) func(*Trace, uint64) (uint64, uint64, bool) {
	return func(t *Trace, seed uint64) (uint64, uint64, bool) {
		var of []*trace.Batch
		for _, s := range t.streams {
			if s.id.Class == trace.StreamLocalDefinitions {
				of = append(of, &s.batch)
			}
		}
		change(choose(newDice(seed, 0), of).Fields(1))
		return 0, 0, false
	}
}

// atEvent breaks one of the events of a kind that some condition holds for.
func atEvent(kind trace.Kind, holds func(b *trace.Batch, i int) bool, change func(e *edited)) func(*Trace, uint64) (uint64, uint64, bool) {
	return func(t *Trace, seed uint64) (uint64, uint64, bool) {
		e := t.edit(kind, holds, seed)
		change(e)
		return e.location, uint64(e.shows), true
	}
}

// inAllParts gives an operation that a condition holds for another root, on all ranks. It shows on rank 0.
func inAllParts(holds func(b *trace.Batch, i int) bool, root uint64) func(*Trace, uint64) (uint64, uint64, bool) {
	return func(t *Trace, seed uint64) (uint64, uint64, bool) {
		e := t.edit(trace.KindMpiCollectiveEnd, holds, seed)
		number := len(worldParts(e.all.View(0, e.at)))
		at := 0
		for i := len(t.streams) - 1; i >= 0; i-- { // that of rank 0 is the first
			b := &t.streams[i].batch
			if ends := worldParts(b); number < len(ends) {
				at = ends[number]
				b.Fields(at)[2] = root
			}
		}
		return 0, uint64(at), true
	}
}

// worldParts returns the ends of operations of all ranks that block.
func worldParts(b *trace.Batch) (ends []int) {
	for i, k := range b.Kinds {
		if k == trace.KindMpiCollectiveEnd && b.Fields(i)[1] == 0 {
			ends = append(ends, i)
		}
	}
	return ends
}

// edit chooses an event of a kind that a condition holds for.
func (t *Trace) edit(kind trace.Kind, holds func(b *trace.Batch, i int) bool, seed uint64) *edited {
	var of []edited
	for _, s := range t.streams {
		for i, k := range s.batch.Kinds {
			if k == kind && (holds == nil || holds(&s.batch, i)) {
				of = append(of, edited{t, s.id.Location, &s.batch, i, i})
			}
		}
	}
	e := choose(newDice(seed, 0), of)
	return &e
}

// Conditions on events.

func innerCall(b *trace.Batch, i int) bool { return b.Fields(i)[0] != regionMain }
func lastLeave(b *trace.Batch, i int) bool { return i == b.Len()-1 }
func outsideHalf(b *trace.Batch, i int) bool {
	ends := 0
	for _, k := range b.Kinds {
		if k == trace.KindMpiCollectiveEnd {
			ends++
		}
	}
	return notLast(b, i) && ends == len(worldParts(b))
}
func notFirst(b *trace.Batch, _ int) bool { return b.Location != 0 }
func lastSend(b *trace.Batch, i int) bool { return i == lastOf(b, trace.KindMpiSend) }
func barrier(b *trace.Batch, i int) bool  { return b.Fields(i)[0] == 0 }
func rooted(b *trace.Batch, i int) bool   { return b.Fields(i)[2] != undefined32 }

// broadcast and gathered hold for parts of such operations on ranks that are not the root.
func broadcast(b *trace.Batch, i int) bool { return b.Fields(i)[0] == 1 && b.Location != 0 }
func gathered(b *trace.Batch, i int) bool  { return b.Fields(i)[0] == 2 && b.Location != 1 }

// grown holds for readings behind one of more than 0.
func grown(b *trace.Batch, i int) bool {
	before := lastOf(b.View(0, i), trace.KindMetric)
	return before >= 0 && b.Fields(before)[3] > 0
}

// notLast holds for operations of all ranks that have another one behind them.
func notLast(b *trace.Batch, i int) bool {
	return b.Fields(i)[1] == 0 && slices.ContainsFunc(b.Kinds[i+1:], func(k trace.Kind) bool { return k == trace.KindMpiCollectiveEnd }) &&
		i < lastOf(b, trace.KindMpiCollectiveBegin)-10
}

func lastOf(b *trace.Batch, kind trace.Kind) int {
	for i := b.Len() - 1; i >= 0; i-- {
		if b.Kinds[i] == kind {
			return i
		}
	}
	return -1
}

// words are those of the event, to be changed.
func (e *edited) words() []uint64 { return e.all.Fields(e.at) }

// next returns the first event of a kind from a place on.
func (e *edited) next(kind trace.Kind, from int) int {
	return from + slices.Index(e.all.Kinds[from:], kind)
}

// latest returns the latest event of a kind before a place.
func (e *edited) latest(kind trace.Kind, before int) int { return lastOf(e.all.View(0, before), kind) }

// nextPart returns the first begin of an operation of all ranks from a place on.
func (e *edited) nextPart(from int) int {
	for i := from; i < e.all.Len(); i++ {
		if e.all.Kinds[i] == trace.KindMpiCollectiveEnd && e.all.Fields(i)[1] == 0 {
			return i - 1
		}
	}
	return -1
}

// rebuild copies the events, and lets a function write some of them.
func (e *edited) rebuild(write func(to *trace.Batch, i int)) {
	var b trace.Batch
	b.Reset(e.location)
	for i := range e.all.Len() {
		write(&b, i)
	}
	*e.all = b
}

func (e *edited) drop(at int) {
	old := *e.all
	e.rebuild(func(to *trace.Batch, i int) {
		if i != at {
			to.AppendFrom(&old, i, trace.Standard)
		}
	})
}

// insert puts an event before the chosen one.
func (e *edited) insert(kind trace.Kind, words ...uint64) {
	old := *e.all
	e.rebuild(func(to *trace.Batch, i int) {
		if i == e.at {
			to.Append(kind, old.Times[i], words...)
		}
		to.AppendFrom(&old, i, trace.Standard)
	})
}

// replace puts an event in the place of the chosen one.
func (e *edited) replace(kind trace.Kind, words ...uint64) {
	e.insert(kind, words...)
	e.drop(e.at + 1)
}
