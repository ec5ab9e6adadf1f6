package query

import (
	"errors"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/store/internal/merged"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/stacks"
)

// What is put in order at once is bounded, whatever a slice has: of a large one, spans of its merged order are taken one after the
// other. Its lanes are decoded for each of them, unless the cache has room for them all.

// Span is a slice, or what stands in it from one mark up to another, or what some lanes have of it.
type Span struct {
	Slice    uint64
	First    bool // of a window: calls and messages open at its begin belong to it
	part     bool // of a slice that is divided
	from, To merged.Mark
	pairs    *slicePairs // of the slice, if it is divided for its messages
	end      uint64      // of a stretch of slices, see longCalls and structureByLanes; 0 for one slice
	lanes    []uint32    // see someLanes and structureByLanes; nil otherwise
}

// Whole returns the span of all that a slice has.
func Whole(slice uint64, first bool) Span {
	return Span{Slice: slice, First: first, from: merged.Begin, To: merged.End}
}

// Has reports whether what stands at a place lies in the span.
func (s *Span) Has(m merged.Mark) bool { return s.from.Compare(m) <= 0 && m.Compare(s.To) < 0 }

// Cut returns which of the events of a location, of which the first ordinal and the times are known, lie in the span.
func (s *Span) Cut(times []int64, location uint32, first uint64) (from, to int) {
	return s.from.In(times, location, first), s.To.In(times, location, first)
}

// ErrTooMuch says that a slice has more than can be put in order at once.
var ErrTooMuch = errors.New("too much at once")

// large reports whether a span is one of those that are worked on alone: of a divided slice, or of one of many events. Some lanes of many are not.
func large(r *read.File, s *Span) bool {
	if len(s.lanes) > 1 || len(s.lanes) == 1 && r.LaneCount() >= max(2, r.AtOnce.ManyLanes) {
		return false
	}
	slice, err := r.Slice(s.Slice)
	return s.part || err == nil && slice.Events > uint64(r.AtOnce.Events)
}

// spans divides a slice.
func spans(r *read.File, s Span, lanes []uint32, n read.Needs) ([]Span, error) {
	lanes, err := r.Busy(s.Slice, lanes)
	if err != nil {
		return nil, err
	}
	var marks []merged.Mark
	for _, of := range []struct {
		is   bool
		most int
		note func(*merged.Marker, uint64, uint32) error
	}{
		{n.Calls, r.AtOnce.Calls, func(m *merged.Marker, slice uint64, lane uint32) error { return markCalls(r, m, slice, lane) }},
		{n.Events, r.AtOnce.Words, func(m *merged.Marker, slice uint64, lane uint32) error { return markEvents(r, m, slice, lane) }},
	} {
		if of.is {
			chosen, err := chooseMarks(r, s.Slice, lanes, of.most, of.note)
			if err != nil {
				return nil, err
			}
			marks = append(marks, chosen...)
		}
	}
	if n.Messages != nil {
		if s.pairs, err = SlicePairs(r, s.Slice, n.Messages); err != nil {
			return nil, err
		}
		marks = append(marks, s.pairs.marks(r.AtOnce.Messages)...)
	}
	marks = slices.DeleteFunc(marks, func(m merged.Mark) bool { return !s.Has(m) || m == s.from })
	slices.SortFunc(marks, merged.Mark.Compare)
	s.part = true
	return s.DividedAt(slices.Compact(marks)), nil
}

// DividedAt returns the spans of one between marks within it, which are in order.
func (s Span) DividedAt(marks []merged.Mark) (spans []Span) {
	for _, m := range marks {
		before := s
		before.To = m
		spans = append(spans, before)
		s.from, s.First = m, false
	}
	return append(spans, s)
}

// chooseMarks goes through the lanes of a slice, on all processors.
func chooseMarks(r *read.File, slice uint64, lanes []uint32, most int, note func(*merged.Marker, uint64, uint32) error) ([]merged.Mark, error) {
	runs, err := runsIn(r, slice, lanes)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	if s := Whole(slice, false); large(r, &s) {
		group.SetLimit(1)
	}
	of := make([]*merged.Marker, len(lanes))
	for i, lane := range lanes {
		of[i] = merged.NewMarker(most, runs)
		group.Go(func() error { return note(of[i], slice, lane) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	all := merged.NewMarker(most, runs)
	for _, m := range of {
		all.Add(m)
	}
	return all.Chosen(runs), nil
}

// runsIn returns how many locations have events in a slice.
func runsIn(r *read.File, slice uint64, lanes []uint32) (runs int, err error) {
	for _, lane := range lanes {
		t, err := r.Statistics(r.Root().GroupOf(slice), lane)
		if err != nil {
			return 0, err
		}
		if at := slice - t.Roster.First; at < uint64(len(t.Roster.Slices)) {
			runs += len(t.Roster.Slices[at])
		}
	}
	return runs, nil
}

// markCalls notes marks among the calls of a lane.
func markCalls(r *read.File, m *merged.Marker, slice uint64, lane uint32) error {
	calls, err := stacks.Kept(r, slice, lane)
	if err != nil {
		return err
	}
	for _, run := range calls.Runs {
		if run.Open {
			continue
		}
		starts, ordinals := calls.Starts[run.From:run.To], calls.Ordinals[run.From:run.To]
		at := func(i int) merged.Mark {
			return merged.Mark{Time: starts[i], Location: run.Location, Ordinal: ordinals[i]}
		}
		m.Run(run.To-run.From, at, func(i int) int { return i })
	}
	return nil
}

// markEvents notes marks among the events of a lane.
func markEvents(r *read.File, m *merged.Marker, slice uint64, lane uint32) error {
	e, err := r.Events(slice, lane)
	if err != nil || e == nil {
		return err
	}
	return r.InSlice(m.Events(e), slice, lane)
}
