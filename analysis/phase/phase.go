package phase

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/trace"
)

// Phases are those of a window, in order.
type Phases struct {
	// Locations are ids, in the order of definition.
	Locations []uint64
	List      []Phase

	of map[uint64]int // places in Locations
}

// Phase is a part of the time of all locations.
type Phase struct {
	// Loop is what repeats in the phase; nil before, between and behind loops.
	Loop *Loop
	// From has for each location when the phase begins there, in ticks. It ends where the next one begins, and the last one with the window.
	From []int64
}

// Loop is calls that repeat.
type Loop struct {
	// Title is what people call them: "iterate", "the loop from a in b". Body are the names of the calls of one repetition, in order: those directly inside of
	// the region's calls, as most of these have them, or those of a group. There are at most 64 runs of calls in it, and Counts says how many calls each
	// has in most repetitions: 0 where that is not known.
	Title  string
	Body   []string
	Counts []uint64
	// Least and Most are how often they occur on the locations that have them. Locations are the ids of these, in ascending order.
	Least, Most int64
	Locations   []uint64
	// Ticks is the time of all of them together.
	Ticks trace.Sum

	region string // whose calls repeat; empty for a group
}

// At returns the phase that a time of a location lies in, the first one for locations that the window does not have.
func (p *Phases) At(location uint64, t int64) int {
	l, ok := p.of[location]
	if !ok {
		return 0
	}
	behind := sort.Search(len(p.List), func(i int) bool { return p.List[i].From[l] > t })
	return max(behind-1, 0)
}

// Bounds returns when the first location begins a phase and the last one ends it; to is the end of the window.
func (p *Phases) Bounds(phase int, to int64) (first, end int64) {
	if len(p.Locations) == 0 {
		return to, to
	}
	if phase+1 < len(p.List) {
		to = slices.Max(p.List[phase+1].From)
	}
	return slices.Min(p.List[phase].From), to
}
