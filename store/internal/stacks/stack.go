package stacks

import (
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// At returns the calls that are open on a location after all its events at or before t, outermost first.
func At(r *read.File, location uint64, t int64) ([]trace.Call, error) {
	index, ok, err := r.FindLocation(location)
	if err != nil || !ok {
		return nil, err
	}
	lane, _ := r.LaneOf(index)
	if r.Far {
		r.LoadPages(t, t, read.Contexts)
	}
	slice, ok, err := r.SliceAt(t)
	if err != nil || !ok {
		return nil, err
	}
	r.FetchSlices([]uint32{lane}, read.Needs{Calls: true}, slice)
	calls, err := CallsOf(r, slice, lane)
	if err != nil {
		return nil, err
	}
	var stack []trace.Call
	for i := range calls.Len() { // those of a location that are open already come first
		c := calls.Call(i)
		if c.Location == location && c.Start <= t && (c.End > t || c.Flags&trace.CallOpen != 0) {
			stack = append(stack, c)
		}
	}
	Room.Put(calls)
	return stack, nil
}
