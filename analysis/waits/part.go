package waits

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// part is what a part of the window has of waits: the ends of messages and the like, and the calls around them. All else is left out.
type part struct {
	runs     []run
	messages []trace.Message
	events   int64
	to       int64 // end of the window
}

// run is what a part has of a location, in order.
type run struct {
	location uint64
	acts     []act
	inside   bool  // an event lies in the window
	last     int64 // the time of the last one
}

// act is an event that counts for waits.
type act struct {
	kind    trace.Kind
	time    int64
	ordinal uint64
	// a to c are fields of the event. Of calls, a is the region or context. Of ends of messages and requests it is the number of the request. Of
	// the ends of collective operations, a is the operation, b the communicator, c the root, and d the request of those that do not block.
	a, b, c, d uint64
}

// acting says which events count.
var acting = func() (list [256]bool) {
	for _, k := range []trace.Kind{
		trace.KindEnter, trace.KindLeave, trace.KindCallingContextEnter, trace.KindCallingContextLeave, trace.KindMpiSend, trace.KindMpiIsend,
		trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiRecv, trace.KindMpiIrecv, trace.KindMpiRequestCancelled,
		trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete,
	} {
		list[k] = true
	}
	return list
}()

// partOf takes what counts out of a part of a window that ends at some time; events behind that are read as well.
func partOf(p *store.Part, to int64) (*part, error) {
	x := &part{to: to}
	err := p.Batches(func(b *trace.Batch, first uint64) { x.add(b, first) })
	if err == nil {
		x.messages, err = p.Messages()
	}
	return x, err
}

// add adds the events of a batch. A call in which nothing counts, and which is left by its own leave, is left out: it changes nothing.
func (x *part) add(b *trace.Batch, first uint64) {
	r := run{location: b.Location}
	if n, _ := slices.BinarySearch(b.Times, x.to); n > 0 {
		r.inside, r.last = true, b.Times[n-1]
	}
	var open []int // places of enters in acts
	for i, k := range b.Kinds {
		if int(k) >= len(acting) || !acting[k] {
			continue
		}
		switch k {
		case trace.KindEnter, trace.KindCallingContextEnter:
			open = append(open, len(r.acts))
		case trace.KindLeave, trace.KindCallingContextLeave:
			if top := len(open) - 1; top >= 0 {
				at := open[top]
				if at == len(r.acts)-1 && r.acts[at].closedBy(k, b.Words[b.Starts[i]]) {
					r.acts, open = r.acts[:at], open[:top]
					continue
				}
				if r.acts[at].closedBy(k, b.Words[b.Starts[i]]) {
					open = open[:top]
				} else {
					open = open[:0] // calls that are not left in order stay
				}
			}
		}
		r.acts = append(r.acts, actOf(b, i, first))
	}
	x.runs = append(x.runs, r)
	x.events += int64(b.Len())
}

// closedBy reports whether an enter is one that a leave belongs to.
func (a *act) closedBy(k trace.Kind, key uint64) bool {
	return a.a == key && (a.kind == trace.KindEnter) == (k == trace.KindLeave)
}

func actOf(b *trace.Batch, i int, first uint64) act {
	a := act{kind: b.Kinds[i], time: b.Times[i], ordinal: first + uint64(i)}
	f := b.Fields(i)
	switch a.kind {
	case trace.KindMpiSend, trace.KindMpiRecv:
	case trace.KindMpiIsend, trace.KindMpiIrecv:
		a.a = f[4]
	case trace.KindMpiCollectiveEnd:
		a.a, a.b, a.c = f[0], f[1], f[2]
	case trace.KindNonBlockingCollectiveComplete:
		a.a, a.b, a.c, a.d = f[0], f[1], f[2], f[5]
	default:
		a.a = f[0]
	}
	return a
}
