package store

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Window is a half-open interval [from, to) of the trace's time, with filters. What belongs to it is told at
// [trace.Call.Overlaps]. The With methods return a narrowed copy. Iterators yield an error as their last step.
type Window struct {
	reader    *Reader
	from, to  int64
	locations map[uint32]bool // nil for all
	regions   map[uint64]bool
	kinds     map[trace.Kind]bool
	shortest  int64
}

// Window returns the window [from, to), in ticks relative to the epoch.
func (r *Reader) Window(from, to int64) *Window {
	return &Window{reader: r, from: from, to: to, shortest: math.MinInt64}
}

// All returns the window of the whole trace.
func (r *Reader) All() *Window { return r.Window(r.info.First, r.info.Last+1) }

// WithLocations keeps what happens on the locations of these ids; messages need one end there.
func (w *Window) WithLocations(ids ...uint64) *Window {
	c := *w
	c.locations = map[uint32]bool{}
	for _, id := range ids {
		if i, ok := w.reader.byID[id]; ok && (w.locations == nil || w.locations[i]) {
			c.locations[i] = true
		}
	}
	return &c
}

// WithRegions keeps calls of the regions of these ids.
func (w *Window) WithRegions(ids ...uint64) *Window {
	c := *w
	c.regions = map[uint64]bool{}
	for _, id := range ids {
		if w.regions == nil || w.regions[id] {
			c.regions[id] = true
		}
	}
	return &c
}

// WithKinds keeps events of these kinds.
func (w *Window) WithKinds(kinds ...trace.Kind) *Window {
	c := *w
	c.kinds = map[trace.Kind]bool{}
	for _, k := range kinds {
		if w.kinds == nil || w.kinds[k] {
			c.kinds[k] = true
		}
	}
	return &c
}

// WithMinDuration keeps calls that last at least so many ticks.
func (w *Window) WithMinDuration(ticks int64) *Window {
	c := *w
	c.shortest = max(c.shortest, ticks)
	return &c
}

// Bounds returns the window's interval.
func (w *Window) Bounds() (from, to int64) { return w.from, w.to }

// Within returns the window [from, to) with the filters of this one.
func (w *Window) Within(from, to int64) *Window {
	c := *w
	c.from, c.to = from, to
	return &c
}

// lanes returns the lanes that have locations of the window.
func (w *Window) lanes() []uint32 {
	var lanes []uint32
	for lane, locations := range w.reader.lanes {
		if w.locations == nil || slices.ContainsFunc(locations, func(l uint32) bool { return w.locations[l] }) {
			lanes = append(lanes, uint32(lane))
		}
	}
	return lanes
}

// Batches yields the events of the window slice by slice, large ones in parts, location by location: the fastest way to go through all.
// Events of all kinds are in them. A batch is valid until the next step and must not be changed.
func (w *Window) Batches() iter.Seq2[*trace.Batch, error] {
	return func(yield func(*trace.Batch, error) bool) {
		for s, err := range w.sliceRuns() {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range s {
				if !yield(r.batch, nil) {
					return
				}
			}
		}
	}
}

// run is the window's part of the events of one location in one slice.
type run struct {
	batch    *trace.Batch
	location uint32
	first    uint64 // ordinal of the batch's first event
}

// sliceRuns yields the runs of each slice in the order of their locations, without filtering kinds.
func (w *Window) sliceRuns() iter.Seq2[[]run, error] {
	return func(yield func([]run, error) bool) {
		lanes, keep := w.lanes(), w.isKept()
		all := sweep(w, lanes, needs{events: true}, w.query(false), func(s span) (spanRuns, error) { return w.runsOf(s, lanes, keep || s.part) })
		for s, err := range all {
			if (err != nil || len(s.runs) > 0) && !yield(s.runs, err) {
				return
			}
			s.free()
		}
	}
}

// isKept reports whether the events of the window are kept in the cache for the next question. Those of a large one would drive out what
// others need, and to decode them again into the same memory is hardly slower than to keep them in new memory.
func (w *Window) isKept() bool {
	const eventBytes, share = 64, 8 // bytes of memory for an event, mostly less
	r := w.reader
	first, last, err := r.slices(w.from, w.to)
	return err != nil || (last-first)*(r.info.Events/max(r.root.Slices, 1)) < uint64(r.cache.budget)/share/eventBytes
}

// spanRuns are the runs of a span, in the order of their locations.
type spanRuns struct {
	runs []run
	ends []func() // of their use: what they were decoded into is not kept
}

// free ends the use of the runs.
func (s *spanRuns) free() {
	for _, end := range s.ends {
		end()
	}
}

// events returns the events of a lane in a slice, which are of use until free is called, or kept.
func (s *spanRuns) events(r *Reader, slice uint64, lane uint32, keep bool) (*encode.Events, error) {
	if keep {
		return r.events(slice, lane)
	}
	ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return nil, err
	}
	e, free, err := r.borrow(slice, lane, ref)
	if err == nil {
		s.ends = append(s.ends, free)
	}
	return e, err
}

// runsOf returns the runs of a span. With keep, what they are made of stays in the cache.
func (w *Window) runsOf(s span, lanes []uint32, keep bool) (found spanRuns, err error) {
	if lanes, err = w.reader.busy(s.slice, lanes); err != nil {
		return spanRuns{}, err
	}
	events, words := 0, 0
	for _, lane := range lanes {
		e, err := found.events(w.reader, s.slice, lane, keep)
		if err != nil {
			return spanRuns{}, err
		}
		events, words = events+len(e.Leaves), words+e.Words()
		if err = w.reader.checkTotal(s.slice, events, words); err == nil && words > w.reader.atOnce.words && !s.part {
			err = errTooMuch
		}
		if err == nil {
			found.runs, err = w.laneRuns(found.runs, e, &s)
		}
		if err != nil {
			return spanRuns{}, err
		}
	}
	slices.SortFunc(found.runs, func(a, b run) int { return cmp.Compare(a.location, b.location) })
	return found, nil
}

// checkTotal checks that the lanes of a slice have no more events together than the directory says, and no more words than the limit.
func (r *Reader) checkTotal(slice uint64, events, words int) error {
	s, err := r.slice(slice)
	if err == nil && uint64(events) > s.Events {
		err = format.At(format.Corruptf("slice block", -1, "slice %d has more events than the %d that the directory says", slice, s.Events), r.name, -1)
	}
	if words > r.limits.SliceValues {
		err = format.At(format.Corruptf("slice block", -1, "slice %d has %d words, more than the limit of %d", slice, words, r.limits.SliceValues), r.name, -1)
	}
	return err
}

// laneRuns appends those of a lane. Of a part of a slice they are copies: the lane need not be kept.
func (w *Window) laneRuns(runs []run, e *encode.Events, s *span) ([]run, error) {
	for i := range e.Runs {
		r := &e.Runs[i]
		if w.locations != nil && !w.locations[r.Location] {
			continue
		}
		at, end := e.Span(i)
		times := e.Times[at:end]
		from, to := s.cut(times, r.Location, r.First)
		from, to = max(from, lowerBound(times, w.from)), min(to, lowerBound(times, w.to))
		if from >= to {
			continue
		}
		b, err := e.Batch(i)
		if err != nil {
			return runs, format.At(err, w.reader.name, -1)
		}
		part := b.View(from, to)
		if s.part {
			part = &trace.Batch{Location: b.Location}
			part.AppendRange(b, from, to, w.reader.meta.Kinds)
		}
		runs = append(runs, run{batch: part, location: r.Location, first: r.First + uint64(from)})
	}
	return runs, nil
}

// Event is one event of an iteration; it is valid until the next step.
type Event struct {
	// Batch holds the event's fields, Index is its place in it.
	Batch *trace.Batch
	Index int
	// Ordinal is the event's number among those of its location.
	Ordinal uint64
}

// Events yields the events of the window in merged order: by time, location (in the order of definition) and ordinal.
// Where one instant holds more events than a slice, they come slice by slice.
func (w *Window) Events() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for runs, err := range w.sliceRuns() {
			if err != nil {
				yield(Event{}, err)
				return
			}
			if !w.mergeEvents(runs, yield) {
				return
			}
		}
	}
}

// mergeEvents yields the events of a slice's runs in merged order; it returns false if it was told to stop.
func (w *Window) mergeEvents(runs []run, yield func(Event, error) bool) bool {
	m := eventMerges.Get().(*merge)
	defer eventMerges.Put(m)
	n := 0
	for i := range runs {
		n += runs[i].batch.Len()
	}
	m.reset(n)
	for i := range runs {
		b := runs[i].batch
		for j, t := range b.Times {
			if w.kinds == nil || w.kinds[b.Kinds[j]] {
				m.add(t, i, j)
			}
		}
	}
	for _, o := range m.sorted() {
		r := &runs[o.run]
		if !yield(Event{Batch: r.batch, Index: int(o.at), Ordinal: r.first + uint64(o.at)}, nil) {
			return false
		}
	}
	return true
}

// eventMerges are merges that nobody needs any longer, with their memory.
var eventMerges = sync.Pool{New: func() any { return new(merge) }}
