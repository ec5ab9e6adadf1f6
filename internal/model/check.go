package model

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Finding is something that is wrong in a trace.
type Finding struct {
	Code string
	// Excused is what may only be missing because the trace was cut, or has no events of a process.
	Excused bool
	// Where names the event, or the definition.
	Where string
}

// findings collects what is wrong.
type findings struct {
	*Trace
	cut  bool
	list []Finding
}

// Check returns all that is wrong, in any order.
func (t *Trace) Check() []Finding {
	f := &findings{Trace: t, cut: t.isCut()}
	for i := range t.Locations {
		l := &t.Locations[i]
		f.calls(l)
		f.times(l)
		f.requests(l)
		f.collectiveEnds(l)
		f.metrics(l)
	}
	f.pairs()
	f.references()
	f.topologies()
	f.scopes()
	f.clocks()
	f.messages()
	f.collectives()
	f.teams()
	return f.list
}

// add notes a finding at an event. What may be missing because of a cut is excused in a trace that was cut.
func (f *findings) add(code string, id EventID, mayBeCut bool) {
	f.list = append(f.list, Finding{code, mayBeCut && f.cut, f.where(id)})
}

// where names an event.
func (f *findings) where(id EventID) string {
	return fmt.Sprintf("event %d of %d at %d", id.Ordinal, id.Location, f.Location(id.Location).Events[id.Ordinal].Time)
}

func (f *findings) define(code, format string, args ...any) {
	f.list = append(f.list, Finding{Code: code, Where: fmt.Sprintf(format, args...)})
}

func (f *findings) calls(l *Location) {
	s := f.stackOf(l)
	for _, c := range s.calls {
		if c.Flags&trace.CallCut != 0 {
			f.add("lost-leave", EventID{l.ID, c.EndOrdinal}, false)
		}
		if c.Flags&trace.CallOpen != 0 {
			f.add("open-call", EventID{l.ID, c.Ordinal}, true)
		}
	}
	for _, id := range s.orphans {
		f.add("lost-enter", id, false)
	}
}

func (f *findings) times(l *Location) {
	clock := &f.Definitions.Clock
	from := big.NewInt(int64(clock.GlobalOffset - f.Meta.Epoch))
	to := new(big.Int).Add(from, new(big.Int).SetUint64(clock.Length))
	latest := int64(math.MinInt64)
	for i := range l.Events {
		id, at := EventID{l.ID, uint64(i)}, big.NewInt(l.Events[i].Time)
		if l.Events[i].Time < latest {
			f.add("time-decreases", id, false)
		}
		latest = max(latest, l.Events[i].Time)
		if clock.Resolution != 0 && clock.Length != 0 && (at.Cmp(from) < 0 || at.Cmp(to) > 0) {
			f.add("outside-clock", id, false)
		}
	}
}

// requests follows requests. A location has one of each number at a time, of messages and of collective operations.
func (f *findings) requests(l *Location) {
	type request struct {
		code string
		id   EventID
	}
	messages, operations := map[uint64]request{}, map[uint64]request{}
	for i, e := range l.Events {
		id := EventID{l.ID, uint64(i)}
		begin := func(of map[uint64]request, number uint64, code string) {
			_, message := messages[number]
			_, operation := operations[number]
			if message || operation {
				f.add("request-in-use", id, false)
			}
			of[number] = request{code, id}
		}
		end := func(of map[uint64]request, number uint64, codes ...string) {
			if r, ok := of[number]; ok && slices.Contains(codes, r.code) {
				delete(of, number)
			} else {
				f.add("unknown-request", id, true)
			}
		}
		const send, receive, collective = "send-never-completed", "receive-never-completed", "collective-never-completed"
		switch e.Kind {
		case trace.KindMpiIsend:
			begin(messages, e.Words[4], send)
		case trace.KindMpiIrecvRequest:
			begin(messages, e.Words[0], receive)
		case trace.KindNonBlockingCollectiveRequest:
			begin(operations, e.Words[0], collective)
		case trace.KindMpiIsendComplete:
			end(messages, e.Words[0], send)
		case trace.KindMpiIrecv:
			end(messages, e.Words[4], receive)
		case trace.KindMpiRequestCancelled:
			end(messages, e.Words[0], send, receive)
		case trace.KindNonBlockingCollectiveComplete:
			end(operations, e.Words[5], collective)
		}
	}
	for _, of := range []map[uint64]request{messages, operations} {
		for _, r := range of {
			f.add(r.code, r.id, true)
		}
	}
}

// collectiveEnds finds begins and ends of operations that block that do not take turns.
func (f *findings) collectiveEnds(l *Location) {
	begun, begin := false, EventID{}
	for i, e := range l.Events {
		switch id := (EventID{l.ID, uint64(i)}); e.Kind {
		case trace.KindMpiCollectiveBegin:
			if begun {
				f.add("lost-collective-end", begin, false)
			}
			begun, begin = true, id
		case trace.KindMpiCollectiveEnd:
			if !begun {
				f.add("lost-collective-begin", id, true)
			}
			begun = false
		}
	}
	if begun {
		f.add("lost-collective-end", begin, true)
	}
}

func (f *findings) metrics(l *Location) {
	last := map[string]uint64{} // by metric and place
	for i, e := range l.Events {
		if e.Kind != trace.KindMetric {
			continue
		}
		id, values := EventID{l.ID, uint64(i)}, e.Words[2:]
		if _, defined := f.Definitions.Metrics[e.Words[0]]; !defined {
			continue
		}
		for _, d := range f.Definitions.Log {
			instance := d.Kind == trace.KindMetricInstance
			if (instance || d.Kind == trace.KindMetricClass) && d.Words[0] == e.Words[0] {
				if instance && d.Words[2] != l.ID {
					f.add("other-recorder", id, false)
				}
				break
			}
		}
		members := f.Definitions.MetricMembers(e.Words[0])
		if 2*len(members) != len(values) {
			f.add("other-number-of-values", id, false)
			continue
		}
		for n, member := range members {
			code, value := trace.ValueType(values[2*n]), values[2*n+1]
			m, defined := f.Definitions.Members[member]
			if defined && uint64(m.ValueType) != uint64(code) {
				f.add("other-type", id, false)
				continue
			}
			key := fmt.Sprint(e.Words[0], n)
			before, seen := last[key]
			if last[key] = value; defined && seen && m.Mode&15 == 0 && code.Compare(value, before) < 0 {
				f.add("counter-decreases", id, false)
			}
		}
	}
}

// pairs finds events that open and close nothing.
func (f *findings) pairs() {
	type key struct{ scope, values string }
	open := map[trace.PairFamily]map[key][]EventID{}
	for _, e := range f.Events() {
		spec := f.Meta.Table().Spec(e.Kind)
		for _, p := range spec.Pairs {
			if p.Family <= trace.PairCollectiveRequest || p.Family >= trace.PairArrow {
				continue
			}
			k := key{scope: f.scope(p.Family, e.Location)}
			for _, name := range p.Keys {
				k.values += fmt.Sprint(" ", e.Words[spec.Field(name)])
			}
			if open[p.Family] == nil {
				open[p.Family] = map[key][]EventID{}
			}
			of := open[p.Family][k]
			switch {
			case !p.Closes:
				of = append(of, e.ID())
			case len(of) == 0:
				if e.Kind != trace.KindRmaOpCompleteRemote { // which may follow another completion
					f.add("lost-opening", e.ID(), true)
				}
			case p.Rule == trace.ByKey:
				of = of[:len(of)-1]
			default:
				of = of[1:]
			}
			open[p.Family][k] = of
		}
	}
	for _, of := range open {
		for _, list := range of {
			for _, id := range list {
				f.add("open-pair", id, true)
			}
		}
	}
}
