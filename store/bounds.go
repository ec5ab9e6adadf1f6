package store

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// limits are those of a reader by default. The writer stays within them: what it cannot divide, it refuses to write.
var limits = format.Limits{}.WithDefaults()

// maxSliceEvents is the greatest budget of a slice: one may have half as many events again, see cutAt.
var maxSliceEvents = limits.SliceEvents * 2 / 3

// maxDepth is the greatest number of calls that contain each other: those of a location are not divided among pages of items.
var maxDepth = limits.NodeItems - 1<<16

// fits reports whether a reader takes a slice of the first take[i] pending events of each location.
func (w *Writer) fits(take []int) (bool, error) {
	events, words, of := w.sizes(take, (*pending).mostWords)
	switch {
	case events <= limits.LaneEvents && words <= limits.LaneValues:
		return true, nil
	case events > limits.SliceEvents:
		return false, nil
	}
	if err := w.needLanes(); err != nil {
		return false, err
	}
	if words > limits.SliceValues || !w.lanesFit(take, of) {
		_, words, of = w.sizes(take, (*pending).words)
	}
	return words <= limits.SliceValues && w.lanesFit(take, of), nil
}

// sizes returns how many events and words a slice has, and the words of each location.
func (w *Writer) sizes(take []int, words func(p *pending, n int) int) (events, all int, of []int) {
	of = make([]int, len(take))
	for i, l := range w.locations {
		if take[i] > 0 {
			of[i] = words(&l.pending, take[i])
			events, all = events+take[i], all+of[i]
		}
	}
	return events, all, of
}

// lanesFit reports whether that is so for each lane. The events of a location have so many words.
func (w *Writer) lanesFit(take, of []int) bool {
	events, words := make([]int, len(w.lanes)), make([]int, len(w.lanes))
	for i, l := range w.locations {
		if take[i] > 0 {
			events[l.lane] += take[i]
			words[l.lane] += of[i]
		}
	}
	return slices.Max(events) <= limits.LaneEvents && slices.Max(words) <= limits.LaneValues
}
