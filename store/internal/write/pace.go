package write

import (
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// pace is how many events of a lane make a slice where a trace has coarse times. Its events take few bits, and what each slice takes besides weighs all the more: the
// heads of its blocks, what spans its borders, its place in the tree. So slices get longer, until one has about as many bytes as those of other traces. The events of a
// group pace those of the group after next: by then they are encoded in any case, so that pace depends on the trace alone.
type pace struct{ events int } // 0 if the options say how many

// Bounds of the pace.
const (
	pacedBytes  = 8 << 10  // of a lane in a slice
	firstPace   = 64 << 10 // events, as long as nothing is known but that cells are short
	shortCell   = 1000     // ns; the first pace doubles with each ten of cells that are longer
	leastPace   = 16 << 10
	mostPace    = 256 << 10
	stepsOfPace = 4 // largest factor between the paces of groups
)

func newPace(meta *trace.Meta, o *layout.Options) pace {
	if o.SliceEvents > 0 || declaredPeriod(meta.Loss) == 0 {
		return pace{}
	}
	times, _ := meta.Loss.Times()
	first := firstPace
	for width := 1e9 * float64(times.Cell) / float64(max(meta.Resolution, 1)); width >= shortCell && first < mostPace; width /= 10 {
		first *= 2
	}
	return pace{first}
}

// learn looks at what the blocks of an encoded group take.
func (p *pace) learn(j *job) {
	if p.events == 0 {
		return
	}
	events, bytes := 0, 0
	for _, l := range j.lanes {
		for i, s := range l.slices {
			events, bytes = events+s.events, bytes+l.blocks[i].Size()
		}
	}
	if bytes == 0 {
		return // of a group that failed, or has no events
	}
	wanted := int(int64(events) * pacedBytes / int64(bytes))
	wanted = min(max(wanted, p.events/stepsOfPace), p.events*stepsOfPace)
	p.events = min(max(wanted, leastPace), mostPace)
}

// sliceBudget is the number of events of a slice.
func (w *Writer) sliceBudget() int {
	budget := w.options.SliceBudget(w.busy)
	if p := w.backlog.pace.events; p > 0 {
		budget = min(p*max(w.busy, 1), layout.MaxSliceEvents)
	}
	return budget
}
