package layout

import "github.com/pandotrace/pando/trace"

// Pace is how many events of a lane make a slice where a trace has coarse times; 0 if the options say how many. Its events take few bits, and what each slice takes
// besides weighs all the more: the heads of its blocks, what spans its borders, its place in the tree. So slices get longer, until one has about [PacedBytes].
type Pace int

// Bounds of the pace.
const (
	laneBytes   = 4 << 10  // of a lane in a slice
	memberBytes = 80       // and of each of its locations, which may have a call open at both ends
	firstPace   = 72 << 10 // events, as long as nothing is known but that cells are short
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

// PacedBytes returns how many bytes a lane with some locations should take in a slice.
func PacedBytes(locations int) int { return laneBytes + memberBytes*locations }

// Learn looks at how many bytes the events of a group of slices took. A lane should take the wanted ones in a slice.
func (p *Pace) Learn(events, bytes, wanted int) {
	if *p == 0 || bytes == 0 {
		return
	}
	next := int(int64(events) * int64(wanted) / int64(bytes))
	next = min(max(next, int(*p)/stepsOfPace), int(*p)*stepsOfPace)
	*p = Pace(min(max(next, leastPace), mostPace))
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
