package layout

import "github.com/pandotrace/pando/trace"

// Pace is how many events of a lane make a slice where a trace has coarse times; 0 if the options say how many. Its events take few bits, and what each slice takes
// besides weighs all the more: the heads of its blocks, what spans its borders, its place in the tree. So slices get longer, until one has about as many bytes as those of
// other traces.
type Pace int

// Bounds of the pace.
const (
	pacedBytes  = 8 << 10  // of a lane in a slice
	firstPace   = 64 << 10 // events, as long as nothing is known but that cells are short
	shortCell   = 1000     // ns; the first pace doubles with each ten of cells that are longer
	leastPace   = 16 << 10
	mostPace    = 240 << 10 // less than a lane of a slice may have, so that one that ends with an instant, where there are many events, is not divided
	stepsOfPace = 4         // largest factor between the paces of groups
)

// NewPace returns the pace that a trace begins with.
func NewPace(meta *trace.Meta, o *Options) Pace {
	times, ok := meta.Loss.Times()
	if !ok || times.Cell == 0 || o.SliceEvents > 0 {
		return 0
	}
	first := firstPace
	for width := 1e9 * float64(times.Cell) / float64(max(meta.Resolution, 1)); width >= shortCell && first < mostPace; width /= 10 {
		first *= 2
	}
	return Pace(first)
}

// Learn looks at how many bytes the events of a group of slices took.
func (p *Pace) Learn(events, bytes int) {
	if *p == 0 || bytes == 0 {
		return
	}
	wanted := int(int64(events) * pacedBytes / int64(bytes))
	wanted = min(max(wanted, int(*p)/stepsOfPace), int(*p)*stepsOfPace)
	*p = Pace(min(max(wanted, leastPace), mostPace))
}

// Budget is the number of events in a slice, given the number of lanes with events.
func (p Pace) Budget(o *Options, lanes int) int {
	if p == 0 {
		return o.SliceBudget(lanes)
	}
	return min(int(p)*max(lanes, 1), MaxSliceEvents)
}

// TableFifths is what tables of summaries and bins may take, in fifths of what they take usually. Where times are coarse there are few slices, which tables tell
// about as they tell of single calls elsewhere: two fifths are enough.
func TableFifths(meta *trace.Meta, o *Options) int {
	if NewPace(meta, o) > 0 {
		return 2 * o.SummaryFactor
	}
	return 5 * o.SummaryFactor
}
