package clog2

import (
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/convert/mpe/mpetest"
	"github.com/pandotrace/pando/trace"
)

// restorer makes records of CLOG-2 out of a trace, knowing nothing but the trace.
type restorer struct {
	t      testing.TB
	src    trace.Source
	defs   *trace.Definitions
	lines  map[uint64][]restoredLine // by location, the usual one first
	inter  map[uint64][2]uint64
	starts map[uint64]int32 // event ids of states' starts and of solo events, by category
	finals map[uint64]int32
}

type restoredLine struct {
	number, comm uint64
	rank, thread int32
}

func newRestorer(t testing.TB, src trace.Source) *restorer {
	t.Helper()
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	r := &restorer{t: t, src: src, defs: trace.NewDefinitions(log), lines: map[uint64][]restoredLine{}, inter: map[uint64][2]uint64{},
		starts: map[uint64]int32{}, finals: map[uint64]int32{}}
	for _, d := range log {
		w := d.Words
		switch d.Kind {
		case trace.KindMpeLine:
			r.lines[w[1]] = append(r.lines[w[1]], restoredLine{w[0], w[2], int32(w[3]), int32(w[4])})
		case trace.KindInterComm:
			r.inter[w[0]] = [2]uint64{w[2], w[3]}
		}
	}
	r.number()
	return r
}

// number finds the event ids of all categories: those of the preamble's ranges, and what was defined besides.
func (r *restorer) number() {
	values := map[string]int32{}
	for _, p := range r.src.Meta().Properties {
		n, _ := strconv.Atoi(p.Value)
		values[p.Name] = int32(n)
	}
	category := uint64(1)
	for _, kind := range []string{"known", "user"} {
		for i := range values["clog2."+kind+"_stateID_count"] {
			r.starts[category] = values["clog2."+kind+"_eventID_start"] + 2*i
			r.finals[category] = r.starts[category] + 1
			category++
		}
	}
	for _, kind := range []string{"known", "user"} {
		for i := range values["clog2."+kind+"_solo_eventID_count"] {
			r.starts[category] = values["clog2."+kind+"_solo_eventID_start"] + i
			category++
		}
	}
	r.numberOthers(category)
}

// numberOthers finds the event ids of categories that were defined besides those of the preamble's ranges. They are
// numbered in the order of their definitions, which one location logs.
func (r *restorer) numberOthers(next uint64) {
	known := map[int32]bool{}
	for _, ids := range []map[uint64]int32{r.starts, r.finals} {
		for _, id := range ids {
			known[id] = true
		}
	}
	for _, s := range r.src.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		r.each(s.StreamID, func(b *trace.Batch, i int) {
			w := b.Fields(i)
			switch b.Kinds[i] {
			case trace.KindMpeStateDef:
				if start, final := int32(w[2]), int32(w[3]); start != final && (!known[start] || !known[final]) {
					r.starts[next], r.finals[next] = start, final
					known[start], known[final] = true, true
					next++
				}
			case trace.KindMpeEventDef:
				if id := int32(w[1]); !known[id] {
					r.starts[next] = id
					known[id] = true
					next++
				}
			}
		})
	}
}

// records restores all records, location by location.
func (r *restorer) records() map[uint64][]plain {
	r.t.Helper()
	all := map[uint64][]plain{}
	for _, s := range r.src.Streams() {
		if s.Class == trace.StreamEvents {
			all[s.Location] = r.location(s.StreamID)
		}
	}
	return all
}

func (r *restorer) clock(location uint64) *mpe.SecondsClock {
	var segments []mpe.SecondsSegment
	r.each(trace.StreamID{Class: trace.StreamLocalDefinitions, Location: location}, func(b *trace.Batch, i int) {
		if w := b.Fields(i); b.Kinds[i] == trace.KindSecondsClock {
			segments = append(segments, mpe.SecondsSegment{From: int64(w[0]), Origin: math.Float64frombits(w[1]), Grid: uint8(w[2]), Phase: w[3]})
		}
	})
	return mpe.NewSecondsClock(r.src.Meta().Resolution, segments)
}

func (r *restorer) each(id trace.StreamID, visit func(b *trace.Batch, i int)) {
	r.t.Helper()
	s, err := r.src.Open(id)
	if err != nil {
		r.t.Fatal(err)
	}
	defer s.Close()
	var b trace.Batch
	for {
		err := s.Next(&b, 1000)
		if err == io.EOF {
			return
		}
		if err != nil {
			r.t.Fatal(err)
		}
		if err := b.Check(r.src.Meta().Table()); err != nil {
			r.t.Fatal(err)
		}
		for i := range b.Len() {
			visit(&b, i)
		}
	}
}

func (r *restorer) location(id trace.StreamID) (list []plain) {
	clock := r.clock(id.Location)
	r.each(id, func(b *trace.Batch, i int) {
		p := r.record(b, i)
		p.time = clock.Source(b.Times[i], b.Residual(i))
		list = append(list, p)
	})
	return list
}

// line returns the line of a record that names a communicator, or names none.
func (r *restorer) line(b *trace.Batch, i int, comm uint64, named bool) restoredLine {
	attrs := map[uint64]uint64{}
	for _, a := range b.AttrsOf(i) {
		attrs[a.ID] = a.Value
	}
	if c, ok := attrs[mpe.AttrCommunicator]; ok {
		comm, named = c, true
	}
	number, numbered := attrs[mpe.AttrLine]
	for _, l := range r.lines[b.Location] {
		if numbered && l.number == number || !numbered && (!named || l.comm == comm) {
			return l
		}
	}
	r.t.Fatalf("location %d has no line of communicator %d, number %d", b.Location, comm, number)
	return restoredLine{}
}

// sides returns the communicators of a message's own process and of its peer.
func (r *restorer) sides(b *trace.Batch, i int, comm uint64) (own, peer uint64) {
	groups, ok := r.inter[comm]
	if !ok {
		return comm, comm
	}
	own = groups[1]
	if _, _, member := r.defs.OwnRank(groups[0], b.Location); member {
		own = groups[0]
	}
	for _, a := range b.AttrsOf(i) {
		if a.ID == mpe.AttrCommunicator {
			own = a.Value
		}
	}
	return own, groups[0] + groups[1] - own
}

func (r *restorer) record(b *trace.Batch, i int) (p plain) {
	w := b.Fields(i)
	number := func(list ...uint64) {
		for i, v := range list {
			p.ints[i] = int32(v)
		}
	}
	texts := func(list ...uint64) {
		for i, v := range list {
			p.texts[i] = string(b.TextOf(v))
		}
	}
	event := func(id int32, ok bool) {
		if !ok {
			r.t.Fatalf("category %d has no event id", w[0])
		}
		p.typ, p.ints[0] = 5, id
		if cargo := mpetest.Cargo(b.AttrsOf(i), mpe.CargoBytes, func(id uint64) string { return r.defs.Strings[id] }); cargo != nil {
			p.typ = 6
			copy(p.cargo[:], cargo)
		}
	}
	comm, named := w[0], true
	switch b.Kinds[i] {
	case trace.KindEnter, trace.KindIntervalBegin, trace.KindSoloEvent:
		id, ok := r.starts[w[0]]
		event(id, ok)
		if named = b.Kinds[i] != trace.KindEnter; named {
			comm = w[1]
		}
	case trace.KindLeave, trace.KindIntervalEnd:
		id, ok := r.finals[w[0]]
		event(id, ok)
		if named = b.Kinds[i] != trace.KindLeave; named {
			comm = w[1]
		}
	case trace.KindMpeEvent:
		event(int32(w[1]), true)
	case trace.KindMpiSend, trace.KindMpiRecv:
		var peer uint64
		comm, peer = r.sides(b, i, w[1])
		p.typ = 7
		number(map[trace.Kind]uint64{trace.KindMpiSend: 1<<64 - 101, trace.KindMpiRecv: 1<<64 - 102}[b.Kinds[i]], peer, w[0], w[2], w[3])
	case trace.KindMpeMessage:
		p.typ = 7
		number(w[1:6]...)
	case trace.KindMpeStateDef:
		p.typ = 2
		number(w[1:4]...)
		texts(w[4:]...)
	case trace.KindMpeEventDef:
		p.typ = 3
		number(w[1])
		texts(w[2:]...)
	case trace.KindMpeConstDef:
		p.typ = 4
		number(w[1:3]...)
		texts(w[3])
	case trace.KindMpeCollective:
		p.typ = 8
		number(w[1:4]...)
	case trace.KindMpeCommEvent:
		p.typ = 9
		number(w[1], none(w[2]), w[3], w[4], w[5])
		p.double = math.Float64frombits(w[6])
		texts(w[7])
	case trace.KindMpeSourceLocation:
		p.typ = 10
		number(w[1:3]...)
		texts(w[3])
	case trace.KindMpeTimeShift:
		p.typ = 11
		p.double = math.Float64frombits(w[1])
	default:
		r.t.Fatalf("an event %s", b.Kinds[i])
	}
	l := r.line(b, i, comm, named)
	p.comm, p.rank, p.thread = int32(l.comm), l.rank, l.thread
	return p
}

// none returns what a file has for a communicator, where the trace may have none.
func none(comm uint64) uint64 {
	if comm == trace.Undefined>>32 {
		return 1<<64 - 999999999
	}
	return comm
}
