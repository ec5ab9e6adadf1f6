package edit

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// requestKey names what does not block and is under way on a location.
type requestKey struct{ location, id uint64 }

// requestKinds are the kinds of events by which sends and receives that do not block are posted, completed and given up.
var requestKinds = []trace.Kind{
	trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiIrecv, trace.KindMpiRequestCancelled,
}

// requestOf returns what an event of these kinds is about.
func requestOf(e *trace.Event) requestKey {
	words := e.Batch.Fields(e.Index)
	if k := e.Batch.Kinds[e.Index]; k == trace.KindMpiIsend || k == trace.KindMpiIrecv {
		return requestKey{e.Batch.Location, words[4]}
	}
	return requestKey{e.Batch.Location, words[0]}
}

// request is a send or receive that does not block.
type request struct {
	post, finish remote
	isSend       bool
	finished     bool  // finish is there: neither was the id posted anew before, nor did the trace end
	end          int64 // when it was over, whatever the reason
}

// openAt reports whether it was posted before a time and not over then.
func (r *request) openAt(t int64) bool { return r.post.time < t && r.end >= t }

// message returns the event that is an end of its message; ok is false if the trace has none.
func (r *request) message() (end remote, ok bool) {
	if r.isSend {
		return r.post, true
	}
	return r.finish, r.finished
}

// mostRequests bounds the requests that are followed at once. Requests beyond the bound are not followed.
const mostRequests = 1 << 20

// follower goes through the events about requests from the trace's begin, and keeps the requests that matter.
type follower struct {
	*edges
	wanted  map[eventID]bool // ends of messages whose requests matter
	cuts    []int64          // times at which open requests matter
	until   int64            // last time at which something that matters may begin, or end that began before
	pending map[requestKey]*request
	waiting int // pending requests whose ends have to be known
	kept    []request
}

// follow returns the requests that are open at some times, and those of ends of messages.
func (e *edges) follow(cuts []int64, wanted []remote) ([]request, error) {
	info := e.reader.Info()
	if !slices.ContainsFunc(info.Kinds, func(k store.KindCount) bool { return slices.Contains(requestKinds, k.Kind) }) {
		return nil, nil
	}
	f := follower{edges: e, cuts: cuts, wanted: map[eventID]bool{}, until: math.MinInt64, pending: map[requestKey]*request{}}
	for _, t := range cuts {
		f.until = max(f.until, t-1)
	}
	for _, r := range wanted {
		f.wanted[r.id()] = true
		f.until = max(f.until, r.time)
	}
	w := e.reader.All().WithKinds(requestKinds...)
	if e.selection.Locations != nil {
		w = w.WithLocations(e.selection.Locations...)
	}
	for event, err := range w.Events() {
		if err != nil {
			return nil, err
		}
		if event.Batch.Times[event.Index] > f.until && f.waiting == 0 {
			break
		}
		f.event(&event)
	}
	for _, r := range f.pending {
		f.over(r, math.MaxInt64)
	}
	return f.kept, nil
}

// event takes in the next event: a completion ends what was posted last with its id, if that is of its sort.
func (f *follower) event(e *trace.Event) {
	k, kind := requestOf(e), e.Batch.Kinds[e.Index]
	at := remote{e.Batch.Location, e.Ordinal, e.Batch.Times[e.Index]}
	r := f.pending[k]
	posts := kind == trace.KindMpiIsend || kind == trace.KindMpiIrecvRequest
	switch {
	case r == nil:
	case posts:
		f.over(r, at.time)
		delete(f.pending, k)
	case kind == trace.KindMpiRequestCancelled || r.isSend == (kind == trace.KindMpiIsendComplete):
		r.finish, r.finished = at, true
		f.over(r, at.time)
		delete(f.pending, k)
	}
	if posts && len(f.pending) < mostRequests {
		r := &request{post: at, isSend: kind == trace.KindMpiIsend, end: math.MaxInt64}
		f.pending[k] = r
		if f.mayMatter(r) {
			f.waiting++
		}
	}
}

// mayMatter reports whether it has to be known how a request ends, even if that is late.
func (f *follower) mayMatter(r *request) bool {
	return f.wanted[r.post.id()] || slices.ContainsFunc(f.cuts, func(t int64) bool { return r.post.time < t })
}

// over keeps a request that is over if it matters.
func (f *follower) over(r *request, end int64) {
	if f.mayMatter(r) {
		f.waiting--
	}
	r.end = end
	if f.wanted[r.post.id()] || r.finished && f.wanted[r.finish.id()] || slices.ContainsFunc(f.cuts, r.openAt) {
		f.kept = append(f.kept, *r)
	}
}
