package waits_test

import (
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What a send waits for is known even if the receive is posted, and completed, behind all that was read for the window.
func TestReceivePostedBehindTheWindow(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	region := func(id uint64, name string) uint64 {
		text := src.String(name)
		src.Define(trace.KindRegion, id, text, undefined, undefined, 0, 0, text, 1, 4, 0)
		return id
	}
	ssend, irecv, wait := region(0, "MPI_Ssend"), region(1, "MPI_Irecv"), region(2, "MPI_Wait")
	sender, receiver := src.Location(0, src.Process("sender")), src.Location(1, src.Process("receiver"))
	src.CommLocations(0, 1)
	comm := src.Comm(src.CommGroup(0, 1))

	sender.Append(trace.KindEnter, 0, ssend)
	sender.Append(trace.KindMpiSend, 0, 1, comm, 7, 8)
	sender.Append(trace.KindLeave, 1, ssend)
	for i, request := range []uint64{3, 3} { // the number is used again; the first one is cancelled
		at := int64(5 + 10*i)
		receiver.Append(trace.KindEnter, at, irecv)
		receiver.Append(trace.KindMpiIrecvRequest, at+1, request)
		receiver.Append(trace.KindLeave, at+2, irecv)
		if i == 0 {
			receiver.Append(trace.KindMpiRequestCancelled, at+3, request)
		}
	}
	receiver.Append(trace.KindEnter, 30, wait)
	receiver.Append(trace.KindMpiIrecv, 31, 0, comm, 7, 8, 3)
	receiver.Append(trace.KindLeave, 32, wait)

	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	a := check(t, stored.Source(t, src, store.Options{}), m, 0, 1, waits.Options{})
	if len(a.waits) != 1 {
		t.Fatalf("waits: %q, want one", a.waits)
	}
}
