package write

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/trace"
)

// simple does the work of add for a whole call that begins with event i of the batch and ends before event `end`, if it is one with
// nothing inside, or with one event of point-to-point communication, as most are. It returns the number of events, 0 if there is no such
// call, or its leaves are not known.
func (r *runBuilder) simple(i, end int) (n int, err error) {
	kinds := r.batch.Kinds
	if i+1 >= end || kinds[i] != trace.KindEnter {
		return 0, nil
	}
	switch k := kinds[i+1]; {
	case k == trace.KindLeave:
		return r.bare(i), nil
	case match.IsPointToPoint(k) && i+2 < end && kinds[i+2] == trace.KindLeave:
		return r.around(i)
	}
	return 0, nil
}

// bareCall returns the call with nothing inside of which events i and j are enter and leave, nil if there is none.
func (r *runBuilder) bareCall(i, j int) *shape.BareCall {
	p := r.batch
	key := p.Words[p.Starts[i]]
	if p.Words[p.Starts[j]] != key || p.HasAttrs(i) || p.HasAttrs(j) {
		return nil
	}
	return r.lane.dictionary.Bare(key)
}

// bare takes a call with nothing inside.
func (r *runBuilder) bare(i int) (n int) {
	call := r.bareCall(i, i+1)
	if call == nil {
		return 0
	}
	r.enter(call, i)
	r.lane.folder.Call(call)
	r.leaveAt(call, i, i+1)
	return 2
}

// around takes a call with one event of point-to-point communication inside.
func (r *runBuilder) around(i int) (n int, err error) {
	call := r.bareCall(i, i+2)
	if call == nil {
		return 0, nil
	}
	r.enter(call, i)
	r.number = call.EnterNumber
	leaf, info, err := r.leaf(i + 1)
	if err != nil {
		return 0, err
	}
	r.endpoint(info.Class, i+1, r.batch.Times[i+1], r.begun+uint64(i+1-r.from))
	r.lane.folder.CallAround(call, leaf)
	r.leaveAt(call, i, i+2)
	return 3, nil
}

// enter takes the enter of a call, event i.
func (r *runBuilder) enter(call *shape.BareCall, i int) {
	r.leaves[i-r.from] = call.Enter
	r.stack.credit(&r.lane.bins, r.batch.Times[i])
}

// leaveAt takes the leave of a call, event j, whose enter is event i.
func (r *runBuilder) leaveAt(call *shape.BareCall, i, j int) {
	l, start, end := r.location, r.batch.Times[i], r.batch.Times[j]
	r.leaves[j-r.from] = call.Leave
	r.number = call.Number
	region := r.lane.totals.Region(r.w.Definitions, call.Enter, &r.lane.dictionary.Info()[call.Enter])
	r.lane.bins.Add(&r.stack.Busy, region, end)
	l.calls++
	l.depth = max(l.depth, uint64(len(r.stack.calls)+1))
	r.lane.totals.Bare(region, uint64(end-start), r.stack.leave(end-start))
}
