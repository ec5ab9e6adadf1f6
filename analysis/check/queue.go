package check

import "cmp"

// jointKind is what an event means to other locations.
type jointKind uint8

const (
	sends         jointKind = iota // a message
	posts                          // a receive, whose sender is known when it is completed
	receives                       // a message, by a call that blocks
	completes                      // a receive that was posted
	cancels                        // a receive that was posted, or a send
	settles                        // a send that does not block: it can no longer be cancelled
	partEnds                       // a location's part of a collective operation that blocks
	partBegins                     // one of an operation that does not block
	partCompletes                  // the end of such a part
	pairs                          // something of a process opens or closes
	forks                          // a thread forks
	joins                          // a fork ends
	works                          // a thread begins or ends its part in a team
)

// jointEvent is an event that concerns several locations. What the fields mean depends on the kind.
type jointEvent struct {
	at   Place
	kind jointKind
	lane *lane
	// peer, comm, tag and length are those of a message. request is the ordinal of the event that began what is completed, cancelled or settled; of a
	// part, it is the id of the request.
	peer, comm, tag, length, request uint64
	open                             bool // a send that may still be cancelled
	// begin, operation, root, sent and received are those of a part; comm is its communicator. begun is false if the begin is not known.
	begin                           Place
	begun                           bool
	operation, root, sent, received uint64
	pair                            *joinedPair
}

// compare puts events in the order in which a trace is merged: of time, then of locations as they are defined, then of events.
func (e *jointEvent) compare(o *jointEvent) int {
	return cmp.Or(cmp.Compare(e.at.Time, o.at.Time), cmp.Compare(e.lane.order, o.lane.order), cmp.Compare(e.at.Ordinal, o.at.Ordinal))
}

// queue is a heap of events, the earliest on top.
type queue []jointEvent

func (q *queue) push(e *jointEvent) {
	*q = append(*q, *e)
	list := *q
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if list[up].compare(&list[i]) <= 0 {
			return
		}
		list[up], list[i] = list[i], list[up]
		i = up
	}
}

func (q *queue) pop() jointEvent {
	list := *q
	top, last := list[0], len(list)-1
	list[0] = list[last]
	*q = list[:last]
	list = list[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return top
		}
		if down+1 < last && list[down+1].compare(&list[down]) < 0 {
			down++
		}
		if list[i].compare(&list[down]) <= 0 {
			return top
		}
		list[i], list[down] = list[down], list[i]
		i = down
	}
}
