package model_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// ranks returns a trace of n processes with one location each, numbered 10, 20, …, in one communicator (number 0).
func ranks(n int) (src *tracegen.Trace, locations []*trace.Batch) {
	src = tracegen.New(trace.Meta{})
	var ids []uint64
	for i := range n {
		id := uint64(10 * (i + 1))
		ids = append(ids, id)
		locations = append(locations, src.Location(id, src.Process("rank")))
	}
	src.Comm(src.CommLocations(ids...))
	return src, locations
}

type matching struct{ messages, sends, receives, cancelled []string }

func expectMatching(t *testing.T, src *tracegen.Trace, want matching) {
	t.Helper()
	got := load(t, src).Match()
	expect(t, "messages", got.Messages, printMessage, want.messages...)
	expect(t, "unmatched sends", got.UnmatchedSends, printID, want.sends...)
	expect(t, "unmatched receives", got.UnmatchedReceives, printID, want.receives...)
	expect(t, "cancelled sends", got.CancelledSends, printID, want.cancelled...)
}

func TestMatchInOrderOfEachChannel(t *testing.T) {
	src, l := ranks(3)
	put(l[0], send(1, 1, 0, 5, 100), send(2, 1, 0, 6, 200), send(3, 1, 0, 5, 300), send(3, 2, 0, 5, 400), send(9, 1, 0, 5, 500))
	put(l[1], recv(4, 0, 0, 6, 200), recv(5, 0, 0, 5, 100), recv(6, 2, 0, 5, 1), recv(7, 0, 0, 5, 300))
	put(l[2], recv(2, 0, 0, 5, 401))
	expectMatching(t, src, matching{
		messages: []string{
			"L10.0@1 -> L20.1@5 comm 0 tag 5 length 100/100",
			"L10.1@2 -> L20.0@4 comm 0 tag 6 length 200/200",
			"L10.3@3 -> L30.0@2 comm 0 tag 5 length 400/401", // received before it was sent, and longer
			"L10.2@3 -> L20.3@7 comm 0 tag 5 length 300/300",
		},
		sends:    []string{"L10.4"},
		receives: []string{"L20.2"},
	})
	if n := load(t, src).Match().Suspicious(); n != 1 {
		t.Errorf("%d suspicious messages, want 1", n)
	}
}

// Receives count in the order in which they were posted, not in that of their completion.
func TestMatchByPosting(t *testing.T) {
	src, l := ranks(2)
	put(l[0], isend(1, 1, 0, 0, 1, 7), isend(2, 1, 0, 0, 2, 8), send(3, 1, 0, 0, 3), send(4, 1, 0, 0, 4),
		isendComplete(5, 8), isendComplete(6, 7))
	put(l[1], irecvRequest(1, 100), irecvRequest(2, 101), recv(10, 0, 0, 0, 3), irecv(11, 0, 0, 0, 2, 101),
		irecv(12, 0, 0, 0, 1, 100), irecv(13, 0, 0, 0, 4, 100)) // the last has no request any more
	expectMatching(t, src, matching{messages: []string{
		"L10.0@1 -> L20.4@12 comm 0 tag 0 length 1/1",
		"L10.1@2 -> L20.3@11 comm 0 tag 0 length 2/2",
		"L10.2@3 -> L20.2@10 comm 0 tag 0 length 3/3",
		"L10.3@4 -> L20.5@13 comm 0 tag 0 length 4/4",
	}})
}

func TestCancelledRequests(t *testing.T) {
	src, l := ranks(2)
	put(l[0],
		isend(1, 1, 0, 0, 1, 7), cancelled(2, 7), // cancelled
		isend(3, 1, 0, 0, 2, 7), isendComplete(4, 7), cancelled(5, 7), // too late
		isend(6, 1, 0, 0, 3, 7), isend(7, 1, 0, 0, 4, 7), cancelled(8, 7), // only the second
		isend(9, 1, 0, 0, 5, 7), irecvRequest(10, 7), cancelled(11, 7), // the receive request took the number over
		isend(12, 1, 0, 0, 6, 7), cancelled(13, 8), irecv(14, 1, 0, 0, 60, 7), cancelled(15, 7), // irecv ends no send
		isend(16, 9, 0, 0, 7, 7), cancelled(17, 7)) // cancelled, though its rank means nothing
	put(l[1],
		cancelled(20, 7), // another location's request is not this one
		recv(21, 0, 0, 0, 2), recv(22, 0, 0, 0, 3), recv(23, 0, 0, 0, 5), recv(24, 0, 0, 0, 1),
		send(25, 0, 0, 0, 60))
	expectMatching(t, src, matching{
		messages: []string{
			"L10.2@3 -> L20.1@21 comm 0 tag 0 length 2/2",
			"L10.5@6 -> L20.2@22 comm 0 tag 0 length 3/3",
			"L10.8@9 -> L20.3@23 comm 0 tag 0 length 5/5",
			"L20.5@25 -> L10.13@14 comm 0 tag 0 length 60/60",
		},
		receives:  []string{"L20.4"},
		cancelled: []string{"L10.0", "L10.6", "L10.11", "L10.15"},
	})
}

// A receive keeps its posting place only until its request is cancelled, replaced, or completed.
func TestReusedReceiveRequests(t *testing.T) {
	src, l := ranks(2)
	put(l[0], send(1, 1, 0, 0, 1), send(2, 1, 0, 0, 2), send(3, 1, 0, 0, 3), send(4, 1, 0, 0, 4), send(5, 1, 0, 0, 5))
	put(l[1],
		irecvRequest(10, 1), irecvRequest(11, 2), irecvRequest(12, 3), irecvRequest(13, 4),
		cancelled(20, 1),         // 1 is gone
		irecvRequest(21, 2),      // 2 is posted anew
		isend(22, 9, 0, 0, 0, 3), // 3 is a send now
		isendComplete(23, 4),     // ends no receive
		recv(24, 0, 0, 0, 3),
		irecv(30, 0, 0, 0, 4, 1), // at its own place
		irecv(31, 0, 0, 0, 2, 2), // posted at 21
		irecv(32, 0, 0, 0, 5, 3), // at its own place
		irecv(33, 0, 0, 0, 1, 4)) // posted at 13
	expectMatching(t, src, matching{
		messages: []string{
			"L10.0@1 -> L20.12@33 comm 0 tag 0 length 1/1",
			"L10.1@2 -> L20.10@31 comm 0 tag 0 length 2/2",
			"L10.2@3 -> L20.8@24 comm 0 tag 0 length 3/3",
			"L10.3@4 -> L20.9@30 comm 0 tag 0 length 4/4",
			"L10.4@5 -> L20.11@32 comm 0 tag 0 length 5/5",
		},
		sends: []string{"L20.6"},
	})
}

func TestMessagesToOneself(t *testing.T) {
	src, l := ranks(2)
	self := src.Comm(src.SelfGroup())
	put(l[1], send(1, 1, 0, 0, 1), irecvRequest(2, 0), isend(3, 0, self, 0, 2, 1), recv(4, 1, 0, 0, 1),
		irecv(5, 0, self, 0, 2, 0), send(6, 1, self, 0, 3))
	expectMatching(t, src, matching{
		messages: []string{
			"L20.0@1 -> L20.3@4 comm 0 tag 0 length 1/1",
			"L20.2@3 -> L20.4@5 comm 1 tag 0 length 2/2",
		},
		sends: []string{"L20.5"}, // such a communicator has only rank 0
	})
}

// Threads of a process share its channels: endpoints of equal time count in order of definition, not of id.
func TestThreadsShareChannels(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	p, q := src.Process("p"), src.Process("q")
	p1, q1 := src.Location(11, p), src.Location(21, q)
	p0, q0 := src.Location(10, p), src.Location(20, q)
	src.Comm(src.CommLocations(11, 20)) // any thread stands for its process
	put(p1, send(1, 1, 0, 0, 1), send(5, 1, 0, 0, 3))
	put(p0, send(1, 1, 0, 0, 2), send(6, 1, 0, 0, 4))
	put(q1, irecvRequest(8, 1), recv(9, 0, 0, 0, 4), irecv(20, 0, 0, 0, 2, 1))
	put(q0, recv(7, 0, 0, 0, 1), irecv(8, 0, 0, 0, 3, 1)) // requests are those of a location
	expectMatching(t, src, matching{messages: []string{
		"L11.0@1 -> L20.0@7 comm 0 tag 0 length 1/1",
		"L10.0@1 -> L21.2@20 comm 0 tag 0 length 2/2",
		"L11.1@5 -> L20.1@8 comm 0 tag 0 length 3/3",
		"L10.1@6 -> L21.1@9 comm 0 tag 0 length 4/4",
	}})
}

// On an inter-communicator a rank is one of the other group.
func TestInterCommunicator(t *testing.T) {
	src, l := ranks(4)
	inter := src.InterComm(src.CommGroup(2, 0), src.CommGroup(3, 1))
	put(l[0], send(1, 0, inter, 0, 1), recv(9, 1, inter, 0, 2)) // rank 0 of the other group is world rank 3
	put(l[1], send(2, 1, inter, 0, 2), send(3, 0, inter, 0, 3), send(4, 2, inter, 0, 4))
	put(l[2], recv(8, 1, inter, 0, 3))
	put(l[3], recv(7, 1, inter, 0, 1))
	expectMatching(t, src, matching{
		messages: []string{
			"L10.0@1 -> L40.0@7 comm 1 tag 0 length 1/1",
			"L20.0@2 -> L10.1@9 comm 1 tag 0 length 2/2",
			"L20.1@3 -> L30.0@8 comm 1 tag 0 length 3/3",
		},
		sends: []string{"L20.2"},
	})
}

// Endpoints whose rank or communicator means nothing are unmatched, and so is what differs in the communicator.
func TestUnresolvedEndpoints(t *testing.T) {
	src, l := ranks(2)
	same := src.Comm(src.GlobalGroup(1, 0))
	put(l[0], send(1, 2, 0, 0, 1), send(2, 1, 99, 0, 1), send(3, 1<<32-1, 0, 0, 1), send(4, 1, 0, 0, 1), send(5, 1, same, 0, 2))
	put(l[1], recv(6, 2, 0, 0, 1), recv(7, 0, 99, 0, 1), recv(8, 0, same, 0, 2))
	put(src.Events(0), recv(9, 0, 0, 0, 1)) // a location 0 must not get what has no receiver
	expectMatching(t, src, matching{
		messages: []string{"L10.4@5 -> L20.2@8 comm 1 tag 0 length 2/2"},
		sends:    []string{"L10.0", "L10.1", "L10.2", "L10.3"},
		receives: []string{"L20.0", "L20.1", "L0.0"},
	})
}

// A location that is not defined is a process of its own, even where its number is that of a location group.
func TestUndefinedLocation(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	p, q := src.Process("0"), src.Process("1")
	l0, l1 := src.Location(10, p), src.Location(20, q)
	stray := src.Events(1) // numbered like process q
	src.Comm(src.CommLocations(10, 20, 1))
	put(l0, send(1, 2, 0, 0, 1), send(2, 1, 0, 0, 2))
	put(l1, recv(3, 0, 0, 0, 2))
	put(stray, recv(4, 0, 0, 0, 1), send(6, 2, 0, 0, 3), recv(7, 2, 0, 0, 3))
	expectMatching(t, src, matching{messages: []string{
		"L10.0@1 -> L1.0@4 comm 0 tag 0 length 1/1",
		"L10.1@2 -> L20.0@3 comm 0 tag 0 length 2/2",
		"L1.1@6 -> L1.2@7 comm 0 tag 0 length 3/3",
	}})
}
