package parts

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// requestKey names what does not block and is under way on a location.
type requestKey struct{ location, id uint64 }

// requestKinds are the kinds of events by which receives that do not block are posted, completed and given up; sends use the same ids.
var requestKinds = []trace.Kind{
	trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiIrecv, trace.KindMpiRequestCancelled,
}

// requestOf returns what an event of these kinds is about.
func requestOf(e *store.Event) requestKey {
	words := e.Batch.Fields(e.Index)
	if k := e.Batch.Kinds[e.Index]; k == trace.KindMpiIsend || k == trace.KindMpiIrecv {
		return requestKey{e.Batch.Location, words[4]}
	}
	return requestKey{e.Batch.Location, words[0]}
}

// requests returns the requests before the window of receives that are completed in it: where they stand decides which message is received.
func (e *edges) requests() (list []remote, err error) {
	info := e.reader.Info()
	if !slices.ContainsFunc(info.Kinds, func(k store.KindCount) bool { return k.Kind == trace.KindMpiIrecvRequest }) {
		return nil, nil
	}
	wanted, err := e.completed()
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	for b, err := range e.within(info.First, e.selection.From).EventsBackward() {
		if err != nil {
			return nil, err
		}
		k, kind := requestOf(&b), b.Batch.Kinds[b.Index]
		if wanted[k] && kind != trace.KindMpiIsendComplete {
			if kind == trace.KindMpiIrecvRequest {
				list = append(list, remote{b.Batch.Location, b.Ordinal, b.Batch.Times[b.Index]})
			}
			if delete(wanted, k); len(wanted) == 0 {
				break
			}
		}
	}
	return list, nil
}

// mostDecided bounds the requests of which it is remembered that they were posted in the window. With more, a receive that is completed
// twice may bring a request from before that nothing needs.
const mostDecided = 1 << 20

// completed returns the requests of receives in the window that are not posted there. It keeps those that are under way, and those from before.
func (e *edges) completed() (map[requestKey]bool, error) {
	posted, wanted := map[requestKey]trace.Kind{}, map[requestKey]bool{}
	for b, err := range e.within(e.selection.From, e.selection.To).Events() {
		if err != nil {
			return nil, err
		}
		k, kind := requestOf(&b), b.Batch.Kinds[b.Index]
		by, here := posted[k]
		switch {
		case kind == trace.KindMpiIsend || kind == trace.KindMpiIrecvRequest:
			posted[k] = kind
			if _, decided := wanted[k]; !decided && len(wanted) < mostDecided {
				wanted[k] = false
			}
		case here && (kind == trace.KindMpiRequestCancelled || (kind == trace.KindMpiIrecv) == (by == trace.KindMpiIrecvRequest)):
			delete(posted, k)
		case !here && kind != trace.KindMpiIsendComplete:
			if _, decided := wanted[k]; !decided {
				wanted[k] = kind == trace.KindMpiIrecv // the first use of what was posted before
			}
		}
	}
	for k, open := range wanted {
		if !open {
			delete(wanted, k)
		}
	}
	return wanted, nil
}

// within returns the selected locations' requests in a window.
func (e *edges) within(from, to int64) *store.Window {
	w := e.reader.Window(from, to).WithKinds(requestKinds...)
	if e.selection.Locations != nil {
		w = w.WithLocations(e.selection.Locations...)
	}
	return w
}
