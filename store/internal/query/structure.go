package query

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/layout"
)

// LaneStructure is the structure of the events of a lane of locations in one slice: calls as counted shapes, without times and other values.
// It is valid until the next step of the iteration and must not be changed.
type LaneStructure struct {
	Slice uint64
	Lane  uint32
	// Start and End are the slice's interval of time.
	Start, End int64
	// Shapes are what tokens refer to. Lanes, and slices far from each other, have different ones.
	Shapes *shape.View
	// Runs are in the order of their locations.
	Runs []ShapeRun
}

// ShapeRun is the structure of the events of one location in one slice.
type ShapeRun struct {
	Location uint64 // id
	First    uint64 // ordinal of the first event
	Events   uint64
	Tokens   []shape.Token
}

// TimeRun is the times of the events of one location in one slice, without their other values. It is valid until the next step of the
// iteration and must not be changed.
type TimeRun struct {
	Slice    uint64
	Location uint64 // id
	First    uint64 // ordinal of the first event
	// Leaves are the events without their values, as numbers for Shapes.LeafID; Times are their times in ticks.
	Leaves []uint32
	Times  []int64
	Shapes *shape.View

	index uint32 // of the location
}

// allKinds returns the window without filters that structure does not know.
func (w *Window) allKinds() *Window {
	c := *w
	c.kinds = nil
	return &c
}

// Structure yields the structure of the window's locations, lane by lane. Those of a lane come in the order of slices; how lanes take turns is left
// open, but that slices which the window cuts come before all others, or behind them. Slices are whole: where one begins before the window or ends behind it, so do the events.
// No value is decoded, and no event laid out.
func (w *Window) Structure() iter.Seq2[*LaneStructure, error] {
	w = w.allKinds()
	return func(yield func(*LaneStructure, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(nil, err)
			return
		}
		all := sweepLanes(w, lanes, w.query(false), func(slice uint64, lanes []uint32) ([]*structureRoom, error) { return w.structureOf(nil, slice, lanes) })
		if len(lanes) >= w.Reader.AtOnce.ManyLanes && !w.Reader.Far { // on a server, blocks are read in the order in which they lie
			all = w.structureByLanes(lanes)
		}
		for part, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, l := range part {
				if !yield(&l.LaneStructure, nil) {
					return
				}
				structureRooms.Put(l)
			}
		}
	}
}

// structureByLanes returns the structure of lanes group by group, and of these some lanes after the others, each from slice to slice: its dictionary
// and statistics stay in the processor's cache, which those of all lanes do not fit into.
func (w *Window) structureByLanes(lanes []uint32) iter.Seq2[[]*structureRoom, error] {
	return func(yield func([]*structureRoom, error) bool) {
		first, last, err := w.Reader.Slices(w.From, w.To)
		if err != nil {
			yield(nil, err)
			return
		}
		root := w.Reader.Root()
		var spans []Span
		next := func() (s Span, ok bool, err error) {
			if len(spans) == 0 && first < last {
				end, err := w.together(first, min(last, root.FirstOf(root.GroupOf(first)+1)))
				if err != nil {
					return s, false, err
				}
				if spans, err = w.stretches(first, end, lanes); err != nil {
					return s, false, err
				}
				first = end
			}
			if len(spans) == 0 {
				return s, false, nil
			}
			s, spans = spans[0], spans[1:]
			return s, true, nil
		}
		do := ahead.Once(func(s Span) (all []*structureRoom, err error) {
			for lane := range slices.Chunk(s.lanes, 1) {
				for number := s.Slice; number < s.end; number++ {
					if all, err = w.structureOf(all, number, lane); err != nil {
						return nil, err
					}
				}
			}
			return all, nil
		})
		ahead.Of[[]*structureRoom](inOrder(w.Reader, next, do))(yield)
	}
}

// together returns the end of some slices from a first one on that are read lane by lane: one alone that the window cuts, and else those up to the next such one.
func (w *Window) together(first, last uint64) (end uint64, err error) {
	for end = first; end < last; end++ {
		s, err := w.Reader.Slice(end)
		if err != nil {
			return 0, err
		}
		if s.Start < w.From || s.End > w.To {
			return max(end, first+1), nil
		}
	}
	return end, nil
}

// stretches divides some slices into spans of some lanes.
func (w *Window) stretches(first, end uint64, lanes []uint32) ([]Span, error) {
	events := uint64(0)
	for number := first; number < end; number++ {
		of, err := w.Reader.Slice(number)
		if err != nil {
			return nil, err
		}
		events += of.Events
	}
	return w.byLanes(Span{Slice: first, end: end}, lanes, events), nil
}

// structureRoom is a structure with the memory that it stands in.
type structureRoom struct {
	LaneStructure
	decoded slice.Structure
}

// structureRooms have memory that nobody needs any longer.
var structureRooms = sync.Pool{New: func() any { return new(structureRoom) }}

// structureOf appends the structure of lanes in a slice, nothing if the slice lies outside the window.
func (w *Window) structureOf(all []*structureRoom, number uint64, lanes []uint32) ([]*structureRoom, error) {
	bounds, err := w.Reader.Slice(number)
	if err != nil || bounds.End <= w.From || bounds.Start >= w.To {
		return all, err
	}
	if lanes, err = w.Reader.Busy(number, lanes); err != nil {
		return nil, err
	}
	for _, lane := range lanes {
		l := structureRooms.Get().(*structureRoom)
		s := &l.decoded
		if ok, err := w.Reader.Structure(s, number, lane); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		l.LaneStructure = LaneStructure{Slice: number, Lane: lane, Start: s.Start, End: s.End, Shapes: s.Dictionary.View(), Runs: slices.Grow(l.Runs[:0], len(s.Runs))}
		for i := range s.Runs {
			if r := &s.Runs[i]; w.keeps(r.Location) {
				l.Runs = append(l.Runs, ShapeRun{w.Reader.LocationID(r.Location), r.First, uint64(r.Events), r.Tokens})
			}
		}
		if len(l.Runs) > 0 {
			all = append(all, l)
		}
	}
	return all, nil
}

// Times yields the times of the window's events in the order of slices: of each, some lanes after the others, those of their locations in order. Events of all kinds are in them. The
// values of a block are one stream, so that all of them are decoded; but no batch is made of them.
func (w *Window) Times() iter.Seq2[*TimeRun, error] {
	w = w.allKinds()
	return func(yield func(*TimeRun, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(nil, err)
			return
		}
		keep := w.isKept()
		all := sweepLanes(w, lanes, w.query(false), func(slice uint64, lanes []uint32) (spanTimes, error) { return w.timesOf(slice, lanes, keep) })
		for s, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range s.times {
				if !yield(&s.times[i], nil) {
					return
				}
			}
			s.free()
		}
	}
}

// spanTimes are the runs of times of a slice, in the order of their locations.
type spanTimes struct {
	spanRuns
	times []TimeRun
}

func (w *Window) timesOf(number uint64, lanes []uint32, keep bool) (found spanTimes, err error) {
	if lanes, err = w.Reader.Busy(number, lanes); err != nil {
		return spanTimes{}, err
	}
	events, words := 0, 0
	for _, lane := range lanes {
		e, err := found.events(w.Reader, number, lane, keep)
		if err != nil {
			return spanTimes{}, err
		}
		events, words = events+len(e.Leaves), words+e.Words()
		if err := checkTotal(w.Reader, number, events, words); err != nil {
			return spanTimes{}, err
		}
		at := 0
		for i := range e.Runs {
			r := &e.Runs[i]
			leaves, times := e.Leaves[at:at+r.Events], e.Times[at:at+r.Events]
			at += r.Events
			from, to := layout.LowerBound(times, w.From), layout.LowerBound(times, w.To)
			if from >= to || !w.keeps(r.Location) {
				continue
			}
			found.times = append(found.times, TimeRun{
				Slice: number, Location: w.Reader.LocationID(r.Location), First: r.First + uint64(from),
				Leaves: leaves[from:to], Times: times[from:to], Shapes: e.Dictionary.View(), index: r.Location,
			})
		}
	}
	slices.SortFunc(found.times, func(a, b TimeRun) int { return cmp.Compare(a.index, b.index) })
	return found, nil
}
