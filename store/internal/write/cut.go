package write

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store/internal/layout"
)

// cut closes slices as long as enough is known: the cut advances to the time that all locations cover, and slices
// of the budgeted number of events are taken from what lies before. Where a slice ends depends on the events alone.
func (w *Writer) cut() error {
	for w.pendingEvents >= w.nextCheck {
		budget := w.backlog.pace.Budget(&w.options, w.busy)
		before := w.coverage()
		n := w.aboutBefore(before)
		if n >= budget {
			n = w.countBefore(before)
		}
		var err error
		switch {
		case n >= budget:
			err = w.cutAt(before, budget)
		case w.pendingEvents >= 2*budget && w.countBefore(before+1) >= 2*budget:
			err = w.cutAt(before+1, budget) // one instant that does not end
		default:
			w.nextCheck = w.pendingEvents + max(1, (budget-n)*3/4, budget/16)
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
		budget := w.backlog.pace.Budget(&w.options, w.busy)
		if err := w.cutAt(math.MaxInt64, budget); err != nil {
			return err
		}
	}
	return nil
}

// coverage returns the time before which no location will have further events.
func (w *Writer) coverage() int64 {
	if l := w.first(); l != nil {
		return l.covered
	}
	return math.MaxInt64
}

// countBefore returns how many pending events lie before t.
func (w *Writer) countBefore(t int64) (n int) {
	for _, l := range w.locations {
		n += l.Pending.before(t)
	}
	return n
}

// aboutBefore guesses that, and does not look at the times themselves.
func (w *Writer) aboutBefore(t int64) (n int) {
	for _, l := range w.locations {
		n += l.Pending.aboutBefore(t)
	}
	return n
}

// taking is what a slice is made of: the first events[i] pending events of each location.
type taking struct {
	start, end int64
	instant    bool // it may be a part of an instant
	events     []int
}

// cutAt closes a slice of about `budget` events, if as many lie before the given time; of fewer, if these are more of
// one lane, or have more words, than a reader takes.
func (w *Writer) cutAt(before int64, budget int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	for ; ; budget -= max(budget/4, 1) {
		t := w.taking(before, budget)
		switch fits, err := w.fits(t.events); {
		case err != nil:
			return err
		case fits:
			w.instant = t.instant
			return w.closeSlice(t.start, t.end, t.events)
		case budget == 1:
			return layout.Overf("store: an event with more than %d words and attributes at %d: no reader takes it", layout.Limits.LaneValues, t.start)
		}
	}
}

// taking chooses the events of a slice. An instant is not divided, unless it is much larger than the budget.
func (w *Writer) taking(before int64, budget int) taking {
	s := &w.search
	last := min(before-1, w.latest)
	s.begin(w.locations)
	defer s.end()
	if w.sliceCount > 0 && s.first < w.sliceEnd {
		return w.takeInstant(s.first, budget) // the rest of an instant
	}
	t := s.timeOf(budget, last)
	earlier, at := s.sums()
	switch {
	case earlier+at <= budget+budget/2:
		s.include()
		return w.takeBefore(t + 1)
	case earlier > 0:
		return w.takeBefore(t)
	default:
		return w.takeInstant(t, budget)
	}
}

// takeBefore takes all pending events before t, which the search has counted.
func (w *Writer) takeBefore(t int64) taking {
	start := w.sliceEnd
	if w.sliceCount == 0 {
		start = w.search.first
	}
	return taking{start: start, end: t, events: slices.Clone(w.search.before)}
}

// takeInstant takes at most `budget` of the events at time t, in order of their locations. The rest follows in further slices with
// the same bounds.
func (w *Writer) takeInstant(t int64, budget int) taking {
	take := make([]int, len(w.locations))
	for i, l := range w.locations {
		take[i] = min(budget, l.Pending.before(t+1))
		budget -= take[i]
	}
	return taking{start: t, end: t + 1, instant: true, events: take}
}
