package write

import (
	"slices"

	"github.com/pandotrace/pando/store/internal/layout"
)

// fits reports whether a reader takes a slice of the first take[i] pending events of each location.
func (w *Writer) fits(take []int) (bool, error) {
	events, words, of := w.sizes(take, (*pending).mostWords)
	switch {
	case events <= layout.Limits.LaneEvents && words <= layout.Limits.LaneValues:
		return true, nil
	case events > layout.Limits.SliceEvents:
		return false, nil
	}
	if err := w.needLanes(); err != nil {
		return false, err
	}
	if words > layout.Limits.SliceValues || !w.lanesFit(take, of) {
		_, words, of = w.sizes(take, (*pending).words)
	}
	return words <= layout.Limits.SliceValues && w.lanesFit(take, of), nil
}

// sizes returns how many events and words a slice has, and the words of each location.
func (w *Writer) sizes(take []int, words func(p *pending, n int) int) (events, all int, of []int) {
	of = make([]int, len(take))
	for i, l := range w.locations {
		if take[i] > 0 {
			of[i] = words(&l.Pending, take[i])
			events, all = events+take[i], all+of[i]
		}
	}
	return events, all, of
}

// lanesFit reports whether that is so for each lane. of has the number of words of each location's events.
func (w *Writer) lanesFit(take, of []int) bool {
	events, words := make([]int, len(w.lanes)), make([]int, len(w.lanes))
	for i, l := range w.locations {
		if take[i] > 0 {
			events[l.Lane] += take[i]
			words[l.Lane] += of[i]
		}
	}
	return slices.Max(events) <= layout.Limits.LaneEvents && slices.Max(words) <= layout.Limits.LaneValues
}
