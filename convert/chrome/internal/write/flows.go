package write

import (
	"slices"
	"strconv"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Messages of a trace that came from trace events are flows, whose name, category and id are attributes of the events at both ends. So
// messages are gone through in parts; the events of a part are read once, and then its messages are written.

// partMessages is the number of messages of a part, whose ends take about 200 bytes each. Messages of one time are in one part, up to
// mostTogether.
const (
	partMessages = 1 << 14
	mostTogether = 1 << 18
)

// mostSteps bounds the steps of flows that are remembered until the messages that leave them come.
const mostSteps = 1 << 20

// flows writes the messages of flows.
type flows struct {
	*exporter
	part  []trace.Message
	ends  map[end]flowEnd
	from  int64        // the earliest time of the part
	to    int64        // its latest one
	last  int64        // the earlier time of its last message
	steps map[step]int // points that are written as ends of messages, from which others go on: how many
}

// flowEnd is an end of a message: its members, as JSON, with the comma before them, and whether it is a step of its flow.
type flowEnd struct {
	flow    string // category, name and id
	members string // all others
	step    bool
}

// step is a point of a flow that ends one message and begins the next one.
type step struct {
	location uint64
	time     int64
	flow     string
}

// isFlow reports whether a message is a flow that keeps its name.
func (x *exporter) isFlow(m *trace.Message) bool {
	return x.meta.Format == form.FormatName && x.defs.Name(trace.SpaceComm, m.Communicator) == form.FlowsComm
}

// add takes in a message.
func (f *flows) add(m *trace.Message) error {
	from, to := m.Span()
	if n := len(f.part); n >= partMessages && (from > f.last || n >= mostTogether) {
		if err := f.write(); err != nil {
			return err
		}
	}
	if len(f.part) == 0 {
		f.from, f.to = from, to
	}
	f.from, f.to, f.last = min(f.from, from), max(f.to, to), from
	f.part = append(f.part, *m)
	return nil
}

// write writes the messages of the part.
func (f *flows) write() error {
	if len(f.part) == 0 {
		return nil
	}
	f.ends = map[end]flowEnd{}
	var places []uint64
	for i := range f.part {
		m := &f.part[i]
		f.ends[end{m.SendLocation, m.SendOrdinal}], f.ends[end{m.ReceiveLocation, m.ReceiveOrdinal}] = flowEnd{}, flowEnd{}
		places = append(places, m.SendLocation, m.ReceiveLocation)
	}
	slices.Sort(places)
	for e, err := range f.reader.Window(f.from, f.to+1).WithLocations(slices.Compact(places)...).WithKinds(flowKinds...).Events() {
		if err == nil {
			err = f.ctx.Err()
		}
		if err != nil {
			return err
		}
		f.read(&e)
	}
	for i := range f.part { // of one time, the message that comes to a step may stand behind the one that leaves it
		m := &f.part[i]
		if to := f.ends[end{m.ReceiveLocation, m.ReceiveOrdinal}]; to.step && len(f.steps) < mostSteps {
			f.steps[step{m.ReceiveLocation, m.ReceiveTime, to.flow}]++
		}
	}
	for i := range f.part {
		f.message(&f.part[i])
	}
	f.part = f.part[:0]
	return nil
}

// flowKinds are ends of messages, and what stands before them and belongs to them.
var flowKinds = []trace.Kind{trace.KindAttributeBytes, trace.KindCutBefore, trace.KindCutAfter, trace.KindMpiSend, trace.KindMpiRecv, trace.KindMpiIrecv}

// read keeps the members of an event that is an end of a message of the part.
func (f *flows) read(e *trace.Event) {
	b := e.Batch
	k := end{b.Location, e.Ordinal}
	s := f.stack(b.Location)
	if s.next != e.Ordinal {
		s.settle() // what was read belonged to an event of another kind
	}
	switch s.next = e.Ordinal + 1; b.Kinds[e.Index] {
	case trace.KindAttributeBytes:
		f.attributeBytes(e)
		return
	case trace.KindCutBefore, trace.KindCutAfter:
		return
	}
	if _, ok := f.ends[k]; ok {
		from := len(f.out.b)
		for _, name := range []string{"cat", "name"} {
			f.out.add(`,"` + name + `":`)
			if !f.fieldAsItWas(e, name) {
				f.out.add(`""`)
			}
		}
		if !f.idAsItWas(e) {
			f.out.add(`""`)
		}
		at := len(f.out.b)
		f.attributes(e, f.arguments(e, k))
		text := string(f.out.b[from:])
		f.ends[k] = flowEnd{text[:at-from], text[at-from:], f.fieldAsItWas(e, "ph")}
		f.out.b = f.out.b[:from]
	}
	s.settle()
}

// arguments returns the arguments that became fields of the event, as JSON.
func (f *flows) arguments(e *trace.Event, k end) []byte {
	w := e.Batch.Fields(e.Index)
	args := slices.Clone(f.cuts[k])
	for _, a := range []struct {
		name  string
		value uint64
	}{{"tag", w[2]}, {"bytes", w[3]}} {
		if a.value != 0 && (a.name == "bytes" || e.Batch.Kinds[e.Index] == trace.KindMpiSend) {
			args = append(args, between(args, []byte{0})...)
			args = strconv.AppendUint(append(AppendString(args, a.name), ':'), a.value, 10)
		}
	}
	return args
}

// message writes both ends of a message. A step is written once, as the end of the message that comes to it.
func (f *flows) message(m *trace.Message) {
	from, to := f.ends[end{m.SendLocation, m.SendOrdinal}], f.ends[end{m.ReceiveLocation, m.ReceiveOrdinal}]
	if at := (step{m.SendLocation, m.SendTime, from.flow}); from.step && f.steps[at] > 0 {
		if f.steps[at]--; f.steps[at] == 0 {
			delete(f.steps, at)
		}
	} else {
		f.point('s', m.SendLocation, m.SendTime, &from)
	}
	phase := byte('f')
	if to.step {
		phase = 't'
	}
	f.point(phase, m.ReceiveLocation, m.ReceiveTime, &to)
}

func (f *flows) point(phase byte, location uint64, time int64, e *flowEnd) {
	f.out.open(phase, location, time)
	f.out.add(e.flow + e.members)
	f.out.close()
}
