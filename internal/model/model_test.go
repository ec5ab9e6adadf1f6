package model_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// event is one event of a hand-written trace: a time, a kind, its words.
type event struct {
	at    int64
	kind  trace.Kind
	words []uint64
}

func enter(at int64, region uint64) event { return event{at, trace.KindEnter, []uint64{region}} }
func leave(at int64, region uint64) event { return event{at, trace.KindLeave, []uint64{region}} }

func contextEnter(at int64, context uint64) event {
	return event{at, trace.KindCallingContextEnter, []uint64{context, 1}}
}

func contextLeave(at int64, context uint64) event {
	return event{at, trace.KindCallingContextLeave, []uint64{context}}
}

func other(at int64) event { return event{at, trace.KindMeasurementOnOff, []uint64{1}} }

func send(at int64, to, comm, tag, length uint64) event {
	return event{at, trace.KindMpiSend, []uint64{to, comm, tag, length}}
}

func isend(at int64, to, comm, tag, length, request uint64) event {
	return event{at, trace.KindMpiIsend, []uint64{to, comm, tag, length, request}}
}

func isendComplete(at int64, request uint64) event {
	return event{at, trace.KindMpiIsendComplete, []uint64{request}}
}

func recv(at int64, from, comm, tag, length uint64) event {
	return event{at, trace.KindMpiRecv, []uint64{from, comm, tag, length}}
}

func irecvRequest(at int64, request uint64) event {
	return event{at, trace.KindMpiIrecvRequest, []uint64{request}}
}

func irecv(at int64, from, comm, tag, length, request uint64) event {
	return event{at, trace.KindMpiIrecv, []uint64{from, comm, tag, length, request}}
}

func cancelled(at int64, request uint64) event {
	return event{at, trace.KindMpiRequestCancelled, []uint64{request}}
}

func put(b *trace.Batch, events ...event) {
	for _, e := range events {
		b.Append(e.kind, e.at, e.words...)
	}
}

func load(t *testing.T, src *tracegen.Trace) *model.Trace {
	t.Helper()
	if err := src.Check(); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func expect[T any](t *testing.T, what string, got []T, print func(T) string, want ...string) {
	t.Helper()
	var lines []string
	for _, x := range got {
		lines = append(lines, print(x))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// printCall writes location/region, times, exclusive time, children, depth, events, parent.
func printCall(c trace.Call) string {
	s := fmt.Sprintf("L%d r%s %d..%d excl %d kids %d depth %d events %d..%d in %s", c.Location, id(c.Region),
		c.Start, c.End, c.Exclusive, c.Children, c.Depth, c.Ordinal, c.EndOrdinal, id(c.Parent))
	if c.Context != trace.Undefined {
		s += fmt.Sprintf(" context %d", c.Context)
	}
	return s + map[trace.CallFlags]string{0: "", trace.CallOpen: " open", trace.CallCut: " cut"}[c.Flags]
}

func id(x uint64) string {
	if x == trace.Undefined {
		return "-"
	}
	return fmt.Sprint(x)
}

func printMessage(m trace.Message) string {
	return fmt.Sprintf("L%d.%d@%d -> L%d.%d@%d comm %d tag %d length %d/%d", m.SendLocation, m.SendOrdinal, m.SendTime,
		m.ReceiveLocation, m.ReceiveOrdinal, m.ReceiveTime, m.Communicator, m.Tag, m.SendLength, m.ReceiveLength)
}

func printID(e model.EventID) string { return fmt.Sprintf("L%d.%d", e.Location, e.Ordinal) }

func printEvent(e model.Event) string {
	return fmt.Sprintf("%d L%d.%d %s", e.Time, e.Location, e.Ordinal, e.Kind)
}
