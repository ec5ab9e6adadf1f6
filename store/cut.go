package store

import (
	"math"
	"slices"
	"sort"
)

// cut closes slices as long as enough is known: the cut advances to the time that all locations cover, and slices
// of the budgeted number of events are taken from what lies before. Where a slice ends depends on the events alone.
func (w *Writer) cut() error {
	for w.pendingEvents >= w.nextCheck {
		budget := w.options.sliceBudget(w.busy)
		before := w.coverage()
		n := w.countBefore(before)
		var err error
		switch {
		case n >= budget:
			err = w.cutAt(before, budget)
		case w.pendingEvents >= 2*budget && w.countBefore(before+1) >= 2*budget:
			err = w.cutAt(before+1, budget) // one instant that does not end
		default:
			w.nextCheck = w.pendingEvents + max(1, (budget-n)/2, budget/8)
			return nil
		}
		if err != nil {
			return err
		}
		w.nextCheck = 0
	}
	return nil
}

// drain puts all that is pending into slices; no more events will come.
func (w *Writer) drain() error {
	for w.pendingEvents > 0 {
		budget := w.options.sliceBudget(w.busy)
		if err := w.cutAt(math.MaxInt64, budget); err != nil {
			return err
		}
	}
	return nil
}

// coverage returns the time before which no location will have further events.
func (w *Writer) coverage() int64 {
	if len(w.unfinished) == 0 {
		return math.MaxInt64
	}
	return w.unfinished[0].covered
}

func (w *Writer) countBefore(t int64) int {
	n := 0
	for _, l := range w.locations {
		n += lowerBound(l.times(), t)
	}
	return n
}

// lowerBound returns the number of times before t.
func lowerBound(times []int64, t int64) int {
	if len(times) == 0 || times[0] >= t {
		return 0
	}
	return sort.Search(len(times), func(i int) bool { return times[i] >= t })
}

// cutAt closes a slice of about `budget` events, of which at least so many lie before the given time. An instant is
// not divided, unless it is much larger than the budget.
func (w *Writer) cutAt(before int64, budget int) error {
	if t := w.earliest(); w.sliceCount > 0 && t < w.sliceEnd {
		return w.takeInstant(t, budget) // the rest of an instant
	}
	t := w.timeOf(budget, before)
	earlier, through := w.countBefore(t), w.countBefore(t+1)
	switch {
	case through <= budget+budget/2:
		return w.takeBefore(t + 1)
	case earlier > 0:
		return w.takeBefore(t)
	default:
		return w.takeInstant(t, budget)
	}
}

// earliest returns the time of the first pending event.
func (w *Writer) earliest() int64 {
	t := int64(math.MaxInt64)
	for _, l := range w.locations {
		if l.len() > 0 {
			t = min(t, l.times()[0])
		}
	}
	return t
}

// timeOf returns the time of the n-th pending event in merged order; the last one if there are fewer. It
// looks no further than `before`. It is a binary search over time in which each location's candidates shrink with every step.
func (w *Writer) timeOf(n int, before int64) int64 {
	low, high := w.earliest(), min(before-1, w.latest)
	from, to := w.searchFrom[:0], w.searchTo[:0]
	for _, l := range w.locations {
		from, to = append(from, 0), append(to, l.len())
	}
	w.searchFrom, w.searchTo = from, to
	middle := slices.Clone(from)
	for low < high {
		t := low + int64(uint64(high-low)/2)
		count := 0
		for i, l := range w.locations {
			middle[i] = from[i] + lowerBound(l.times()[from[i]:to[i]], t+1)
			count += middle[i]
		}
		if count >= n {
			high = t
			copy(to, middle)
		} else {
			low = t + 1
			copy(from, middle)
		}
	}
	return low
}

// takeBefore closes a slice with all pending events before t.
func (w *Writer) takeBefore(t int64) error {
	start := w.sliceEnd
	if w.sliceCount == 0 {
		start = w.earliest()
	}
	take := make([]int, len(w.locations))
	for i, l := range w.locations {
		take[i] = lowerBound(l.times(), t)
	}
	w.instant = false
	return w.closeSlice(start, t, take)
}

// takeInstant closes a slice with at most `budget` of the events at time t, in order of their locations. The rest
// follows in further slices with the same bounds.
func (w *Writer) takeInstant(t int64, budget int) error {
	take := make([]int, len(w.locations))
	for i, l := range w.locations {
		take[i] = min(budget, lowerBound(l.times(), t+1))
		budget -= take[i]
	}
	w.instant = true
	return w.closeSlice(t, t+1, take)
}
