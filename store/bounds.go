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
	events, words, of := 0, 0, make([]int, len(take))
	for i, l := range w.locations {
		if take[i] > 0 {
			of[i] = l.pending.words(take[i])
			events, words = events+take[i], words+of[i]
		}
	}
	if events <= limits.LaneEvents && words <= limits.LaneValues {
		return true, nil
	}
	if events > limits.SliceEvents || words > limits.SliceValues {
		return false, nil
	}
	if err := w.settle(); err != nil { // what takes a slice apart looks at the lanes
		return false, err
	}
	w.layOutLanes()
	return w.lanesFit(take, of), nil
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
