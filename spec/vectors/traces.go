package vectors

import (
	"math"
	"math/rand/v2"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

type featureTrace struct {
	name  string
	open  func() trace.Source
	whole bool
}

// featureTraces are short traces, each with one thing more than the plain one.
func featureTraces() []featureTrace {
	list := []featureTrace{
		{"empty", func() trace.Source { return tracegen.New(trace.Meta{}) }, false},
		{"ring", func() trace.Source { return tracegen.Ring(3, 6, 1) }, true},
		{"exchange", func() trace.Source { return tracegen.Exchange(2, 20, true, 1000, 1) }, true},
		{"one-event", func() trace.Source { return oneEvent(0) }, false},
		{"greatest-time", func() trace.Source { return oneEvent(store.MaxTime) }, false},
		{"least-time", func() trace.Source { return oneEvent(-store.MaxTime) }, false},
		{"deep-recursion", DeepTrace, true},
		{"tables", tablesTrace, true},
		{"unknown-types", futureTrace, false},
		{"hashes", namesTrace, false},
		{"peers", peersTrace, false},
		{"loss", lossTrace, false},
		{"calls-left-out", leftOutTrace, false},
		{"annotations", annotatedTrace, false},
	}
	for _, k := range []struct {
		name string
		set  func(k *tracegen.Knobs)
	}{
		{"plain", func(*tracegen.Knobs) {}},
		{"threads", func(k *tracegen.Knobs) { k.Threads = 3 }},
		{"same-time", func(k *tracegen.Knobs) { k.SameTime = 0.5 }},
		{"leaps", func(k *tracegen.Knobs) { k.Leaps = 0.1 }},
		{"burst", func(k *tracegen.Knobs) { k.Burst = 50 }},
		{"mismatch", func(k *tracegen.Knobs) { k.Mismatch = 0.3 }},
		{"recursion", func(k *tracegen.Knobs) { k.Recursion = 8 }},
		{"repeat", func(k *tracegen.Knobs) { k.Repeat = 20 }},
		{"lattice", func(k *tracegen.Knobs) { k.Lattice, k.Step = 10, 500 }},
		{"any-kind", func(k *tracegen.Knobs) { k.Any = 0.5 }},
		{"attributes", func(k *tracegen.Knobs) { k.Attributes = 0.5 }},
		{"residuals", func(k *tracegen.Knobs) { k.Residuals = 0.3 }},
		{"sparse-ids", func(k *tracegen.Knobs) { k.SparseIDs = true }},
		{"contexts", func(k *tracegen.Knobs) { k.Contexts = true }},
		{"auxiliary", func(k *tracegen.Knobs) { k.Auxiliary = true }},
		{"late-definitions", func(k *tracegen.Knobs) { k.Late = true }},
		{"private-kinds", func(k *tracegen.Knobs) { k.Private, k.Any = true, 0.3 }},
		{"undeclared", func(k *tracegen.Knobs) { k.Undeclared = true }},
		{"idle-threads", func(k *tracegen.Knobs) { k.Threads, k.IdleThreads = 2, true }},
		{"messages", func(k *tracegen.Knobs) { k.Messages, k.Talk = 60, 0.9 }},
	} {
		knobs := tracegen.Knobs{Processes: 2, Threads: 1, Length: 60, Regions: 3, Messages: 10, Talk: 0.2, Step: 100, Lattice: 1, Repeat: 3}
		k.set(&knobs)
		list = append(list, featureTrace{k.name, func() trace.Source { return tracegen.Random(5, knobs) }, true})
	}
	return list
}

func oneEvent(t int64) trace.Source {
	src := tracegen.New(trace.Meta{})
	src.Location(7, src.Process("process")).Append(trace.KindEnter, t, 3)
	return src
}

// DeepTrace makes a trace of a recursion, with noisy times: large shapes, and statistics that are worth a code of their own.
func DeepTrace() trace.Source {
	const depth = 800
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	r := rand.New(rand.NewPCG(1, 1))
	var now int64
	for range 2 {
		for i := range 2 * depth {
			now += int64(r.ExpFloat64()*100) + int64(r.Uint64N(1<<20)>>r.IntN(20))
			kind := trace.KindEnter
			if i >= depth {
				kind = trace.KindLeave
			}
			b.Append(kind, now, uint64(min(i, 2*depth-1-i)%3))
		}
	}
	return src
}

// tablesTrace makes a trace of few regions, and of values that take many more bytes than tables of any kind:
// nested calls, calls of a region below another one's, messages, collective operations, and counters with and without a sign.
func tablesTrace() trace.Source {
	const ranks, iterations = 2, 48
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	outer, inner := src.Region("outer"), src.Region("inner")
	for rank := range uint64(ranks) {
		src.Location(10+rank, src.Process("process"))
	}
	world := src.Comm(src.CommLocations(10, 11))
	for rank := range uint64(ranks) {
		b := src.Events(10 + rank)
		r := rand.New(rand.NewPCG(1, rank))
		var now int64
		put := func(kind trace.Kind, words ...uint64) {
			now += 1 + r.Int64N(5000)
			b.Append(kind, now, words...)
		}
		for i := range uint64(iterations) {
			put(trace.KindEnter, outer)
			put(trace.KindEnter, inner)
			if i%8 == 5 { // a nested one, and one below
				put(trace.KindEnter, outer)
				put(trace.KindEnter, outer)
				put(trace.KindLeave, outer)
				put(trace.KindLeave, outer)
			}
			put(trace.KindMetric, 0, 3, uint64(trace.ValueUint64), r.Uint64(), uint64(trace.ValueInt64), uint64(r.Int64N(1<<50)-1<<49),
				uint64(trace.ValueDouble), math.Float64bits(r.NormFloat64()))
			if i > 0 || rank > 0 { // the first one is missing, so a receive is left over
				put(trace.KindMpiSend, 1-rank, world, i%3, 8*(i%5))
			}
			put(trace.KindLeave, inner)
			put(trace.KindMpiRecv, 1-rank, world, i%3, 8*(i%5))
			put(trace.KindMpiCollectiveBegin)
			put(trace.KindMpiCollectiveEnd, 7, world, 0, 8*(i%7), 16)
			put(trace.KindLeave, outer)
		}
	}
	return src
}

// peersTrace makes a trace of ranks that write to their neighbours by a private kind, which has a peer: all have the same leaves.
func peersTrace() trace.Source {
	const kind = trace.FirstPrivateKind + 2
	t := withKind(&trace.Spec{ID: kind, Name: "Notify", Fields: []trace.Field{
		{Name: "whom", Type: trace.TypeRank, Bits: 32, Peer: true}, {Name: "among", Type: trace.TypeRef, Ref: trace.SpaceComm, Bits: 32},
	}})
	src := tracegen.New(trace.Meta{Kinds: t})
	const ranks = 5
	var locations []uint64
	for rank := range uint64(ranks) {
		src.Location(rank, src.Process("process"))
		locations = append(locations, rank)
	}
	world := src.Comm(src.CommLocations(locations...))
	for rank := range uint64(ranks) {
		b := src.Events(rank)
		for i := range uint64(8) {
			b.Append(kind, int64(10*i+rank), (rank+i)%ranks, world)
			b.Append(kind, int64(10*i+rank+5), ranks+i%2, world) // no rank of the communicator
		}
	}
	return src
}

// namesTrace makes a trace of regions with names of all sorts: canonical ones and others, empty ones, none, two of one name; of calling
// contexts of a region and of none; of calls that do not nest, and of locations that do the same.
func namesTrace() trace.Source {
	src := tracegen.New(trace.Meta{})
	const none = trace.Undefined >> 32
	name := func(s string) uint64 { return src.String(s) }
	for id, names := range [][2]uint64{
		{name("mangled"), name("plain")}, {none, name("plain")}, {name(""), name("other")}, {none, none}, {name(""), name("")},
	} {
		src.Define(trace.KindRegion, uint64(id), names[1], none, none, 0, 0, names[0], 0, 0, 0)
	}
	contexts := []uint64{src.Context(0, none), src.Context(none, none)}
	process := src.Process("process")
	for location := range uint64(5) {
		b := src.Location(location, process)
		if location == 3 {
			process = src.Process("another")
			continue // it has no events
		}
		r := rand.New(rand.NewPCG(1, location/2))
		for i := range int64(40) {
			t := 10*i + int64(location)
			switch region := r.Uint64N(5); r.IntN(6) {
			case 0:
				b.Append(trace.KindLeave, t, region)
			case 1:
				b.Append(trace.KindCallingContextEnter, t, contexts[region%2], 1)
				b.Append(trace.KindCallingContextLeave, t+5, contexts[region%2])
			case 2:
				b.Append(trace.KindParameterInt, t, 0, region)
			default:
				b.Append(trace.KindEnter, t, region)
				b.Append(trace.KindLeave, t+3, region)
			}
		}
	}
	return src
}
