package vectors

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// readings are sound files that tell apart two ways to read the text of which one is wrong.
func readings() []feature {
	lanes := store.Options{SliceEvents: 10, Fanout: 4, LaneLocations: 1}
	return []feature{
		{"lane-that-begins-late", lateTrace, lanes, File},
		{"words-wider-than-fields", wideTrace, small, File},
		{"processes-of-no-group", groupsTrace, lanes, File},
		{"kinds-that-contradict-the-registry", wideTrace, small, contradicting},
	}
}

// lateTrace makes a trace of a location that is always busy, and one that begins late, pauses and ends early: neither in the first nor in
// the last slice of their group.
func lateTrace() trace.Source {
	src := tracegen.New(trace.Meta{})
	busy := src.Location(0, src.Process("busy"))
	late := src.Location(1, src.Process("late"))
	for i := range int64(80) {
		kind := trace.KindEnter + trace.Kind(i%2)
		busy.Append(kind, 10*i, 1)
		if i >= 14 && i < 24 || i >= 54 && i < 60 {
			late.Append(kind, 10*i+1, 2)
		}
	}
	return src
}

// wideTrace makes a trace of words that have more bits than their fields, negative ones among them, and of references that only look
// undefined.
func wideTrace() trace.Source {
	const kind = trace.FirstPrivateKind + 3
	t := withKind(&trace.Spec{ID: kind, Name: "Wide", Fields: []trace.Field{
		{Name: "negative", Type: trace.TypeSigned, Bits: 32}, {Name: "value", Type: trace.TypeSigned, Bits: 32, Role: trace.Value},
		{Name: "number", Type: trace.TypeNumber, Bits: 8, Role: trace.Value}, {Name: "region", Type: trace.TypeRef, Ref: trace.SpaceRegion, Bits: 32},
	}})
	src := tracegen.New(trace.Meta{Kinds: t})
	b := src.Location(0, src.Process("process"))
	minus := func(n int64) uint64 { return uint64(-n) }
	for i := range int64(20) {
		b.Append(trace.KindEnter, 10*i, 1<<33+uint64(i%3))
		b.Append(kind, 10*i+1, minus(1), minus(i), 1<<40+uint64(i), trace.Undefined>>(32*(i%2)))
		b.Append(trace.KindLeave, 10*i+2, 1<<33+uint64(i%3))
	}
	return src
}

// withKind returns the standard kinds and another one.
func withKind(s *trace.Spec) *trace.Table {
	t := &trace.Table{}
	for _, s := range append(trace.Standard.All(), s) {
		if err := t.Add(s); err != nil {
			panic(err) // two kinds of this package share a number: a mistake in it
		}
	}
	return t
}

// groupsTrace makes a trace of locations of groups that are not defined: two of them are one process, and another one that has no
// definition and the number of their group is a process of its own.
func groupsTrace() trace.Source {
	const none, undefined = 77, 1<<32 - 1
	src := tracegen.New(trace.Meta{})
	for location, group := range []uint64{none, none, undefined, undefined} {
		src.Location(uint64(location), group)
	}
	world := src.Comm(src.CommLocations(0, 2, none))
	send := func(t int64, from uint64, to ...uint64) {
		for _, rank := range to {
			src.Events(from).Append(trace.KindMpiSend, t, rank, world, 5, 8)
		}
	}
	receive := func(t int64, at uint64, from ...uint64) {
		for _, rank := range from {
			src.Events(at).Append(trace.KindMpiRecv, t, rank, world, 5, 8)
		}
	}
	for i := range int64(6) {
		send(100*i, 0, 1, 2)
		send(100*i, 2, 0)
		receive(100*i+50, 1, 1)     // by another thread of rank 0
		receive(100*i+50, 3, 0)     // and of rank 1
		receive(100*i+250, none, 0) // two slices later
	}
	return src
}

// profileTrace makes a trace of one location with as many events in a slice block, and as many calls open at once, as every reader must
// accept.
func profileTrace() trace.Source {
	const events, depth = 262_144, 65_536
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	for i := range int64(events) {
		kind := trace.KindEnter
		if i >= events/2-depth && i < events/2 || i >= events/2 && i < events/2+depth {
			kind += trace.Kind(i * 2 / events)
		} else {
			kind += trace.Kind(i % 2)
		}
		b.Append(kind, i, 1)
	}
	return src
}

// ticksOfCounters makes a trace of processor times, read from a clock that ticks each 10 and some nanoseconds and is interrupted now and then.
func ticksOfCounters() trace.Source {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	for location := range uint64(2) {
		src.Location(location, src.Process("process"))
		b := src.Events(location)
		ticks, noise := uint64(0), location
		for i := range uint64(80) {
			noise = noise*6364136223846793005 + 1442695040888963407
			ticks += 70 + noise>>58
			interrupted := 33 * (i / 60)
			b.Append(trace.KindMetric, int64(1000*i), 0, 1, uint64(trace.ValueUint64), (ticks*10_014_935+1_000_000*interrupted/10)/1_000_000)
		}
	}
	return src
}

// contradicting makes a file whose kinds block says of registered kinds what the registry does not: a reader uses its own specification.
func contradicting(src trace.Source, opt store.Options) ([]byte, error) {
	file, err := File(src, opt)
	if err != nil {
		return nil, err
	}
	file = described(file)
	blocks := damage.Blocks(file)
	i := slices.IndexFunc(blocks, func(b damage.Block) bool { return b.Kind == format.BlockKinds })
	specs, err := records.ReadKinds(blocks[i].Payload)
	if err != nil {
		return nil, err
	}
	changed := 0
	for _, s := range specs {
		if s.ID == trace.KindEnter || s.ID == trace.KindLeave {
			s.Fields[0].Role, s.Fields[0].Key, s.Fields[0].Type = trace.Value, false, trace.TypeTime
			changed++
		}
	}
	if changed != 2 {
		return nil, fmt.Errorf("the file describes %d of the kinds Enter and Leave", changed)
	}
	blocks[i].Payload = records.AppendKinds(nil, specs)
	return damage.Join(file, blocks), nil
}
