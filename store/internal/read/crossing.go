package read

import (
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// CrossingCall is a call that crosses a border between slices, and the slice in which it begins.
type CrossingCall struct {
	trace.Call
	StartSlice uint64
}

// CrossingCalls returns the calls of a lane of at least a duration that cross a border of the slices from first to end-1, ordered by location and
// ordinal. It decodes no slice: a call that encloses one of them crosses the same border and lasts as long, so that depth and parent are known.
func (r *File) CrossingCalls(first, end uint64, lane uint32, shortest int64) (calls []CrossingCall, err error) {
	var all []index.Call
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		width := r.tree.Width(level)
		for slice := first; slice < end; slice = (slice/width + 1) * width {
			from := len(all)
			if all, err = r.AppendCalls(all, r.Node(level, slice), lane, first, end-1); err != nil {
				return nil, err
			}
			long := slices.DeleteFunc(all[from:], func(c index.Call) bool { return c.End-c.Start < shortest })
			all = all[:from+len(long)]
		}
	}
	if err := r.CheckCalls(all, lane); err != nil {
		return nil, r.InSlice(err, first, lane)
	}
	slices.SortFunc(all, func(a, b index.Call) int { return a.Compare(&b) })
	return r.nest(all)
}

// nest makes calls of items, which are ordered by location and ordinal.
func (r *File) nest(all []index.Call) ([]CrossingCall, error) {
	d, err := r.View(Contexts)
	if err != nil {
		return nil, err
	}
	calls, open := make([]CrossingCall, len(all)), []int{}
	for i := range all {
		if i > 0 && all[i-1].Location != all[i].Location {
			open = open[:0]
		}
		for len(open) > 0 && all[open[len(open)-1]].EndOrdinal < all[i].Ordinal {
			open = open[:len(open)-1]
		}
		c := &calls[i]
		c.Call, c.StartSlice = r.ItemCall(d, &all[i]), all[i].StartSlice
		if c.Depth = len(open); len(open) > 0 {
			c.Parent = all[open[len(open)-1]].Ordinal
		}
		open = append(open, i)
	}
	return calls, nil
}
