package query

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Window is a half-open interval [from, to) of the trace's time, with filters. See
// [trace.Call.Overlaps] for the calls it contains. The With methods return a narrowed copy. Iterators yield an error as their last step.
type Window struct {
	Reader    *read.File
	From, To  int64
	Locations map[uint32]bool // nil for all
	lanes     []uint32        // of these, rising
	err       error           // they could not be found: each question of the window gets it
	Regions   map[uint64]bool
	kinds     kindSet
	Shortest  int64
}

// NewWindow returns the window [from, to), in ticks relative to the epoch.
func NewWindow(r *read.File, from, to int64) *Window {
	return &Window{Reader: r, From: from, To: to, Shortest: math.MinInt64}
}

// All returns the window of the whole trace.
func All(r *read.File) *Window { return NewWindow(r, r.Info().First, r.Info().Last+1) }

// WithContext returns the window for work that ends when a context is done.
func (w *Window) WithContext(ctx context.Context) *Window {
	c := *w
	c.Reader = w.Reader.WithContext(ctx)
	return &c
}

// WithLocations keeps what happens on the locations of these ids; messages need one end there. What the file says of these is read; if
// that cannot be done, the questions of the window return the error.
func (w *Window) WithLocations(ids ...uint64) *Window {
	some := map[uint32]bool{}
	for _, id := range ids {
		i, ok, err := w.Reader.FindLocation(id)
		if err != nil {
			c := *w
			c.Locations, c.err = some, err
			return &c
		}
		if ok && (w.Locations == nil || w.Locations[i]) {
			some[i] = true
		}
	}
	return w.Of(some)
}

// Of keeps what happens on some locations, which are known.
func (w *Window) Of(locations map[uint32]bool) *Window {
	c := *w
	c.Locations, c.lanes = locations, nil
	for l := range locations {
		if lane, ok := w.Reader.LaneOf(l); ok {
			c.lanes = append(c.lanes, lane)
		}
	}
	slices.Sort(c.lanes)
	c.lanes = slices.Compact(c.lanes)
	return &c
}

// WithRegions keeps calls of the regions of these ids.
func (w *Window) WithRegions(ids ...uint64) *Window {
	c := *w
	c.Regions = map[uint64]bool{}
	for _, id := range ids {
		if w.Regions == nil || w.Regions[id] {
			c.Regions[id] = true
		}
	}
	return &c
}

// WithKinds keeps events of these kinds.
func (w *Window) WithKinds(kinds ...trace.Kind) *Window {
	c := *w
	c.kinds = make(kindSet, int(slices.Max(append([]trace.Kind{0}, kinds...)))+1)
	for _, k := range kinds {
		c.kinds[k] = w.kinds.has(k)
	}
	return &c
}

// kindSet says of each kind up to the greatest whether it is wanted; nil for all.
type kindSet []bool

func (s kindSet) has(k trace.Kind) bool { return s == nil || int(k) < len(s) && s[k] }

// WithMinDuration keeps calls that last at least the given number of ticks.
func (w *Window) WithMinDuration(ticks int64) *Window {
	c := *w
	c.Shortest = max(c.Shortest, ticks)
	return &c
}

// Bounds returns the window's interval.
func (w *Window) Bounds() (from, to int64) { return w.From, w.To }

// Within returns the window [from, to) with the filters of this one.
func (w *Window) Within(from, to int64) *Window {
	c := *w
	c.From, c.To = from, to
	return &c
}

// LocationIDs returns the ids of the window's locations, in the order of definition.
func (w *Window) LocationIDs() ([]uint64, error) {
	if w.err != nil {
		return nil, w.err
	}
	if w.Locations == nil {
		return w.Reader.LocationIDs()
	}
	var ids []uint64
	for _, l := range slices.Sorted(maps.Keys(w.Locations)) {
		ids = append(ids, w.Reader.LocationID(l))
	}
	return ids, nil
}

// Lanes returns the lanes that have locations of the window, in rising order, and makes these locations known.
func (w *Window) Lanes() ([]uint32, error) {
	if w.err != nil {
		return nil, w.err
	}
	if w.Locations != nil {
		return w.lanes, nil // known since WithLocations
	}
	return w.Reader.AllLanes(), w.Reader.NeedLocations()
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
		lanes, err := w.Lanes()
		if err != nil {
			yield(nil, err)
			return
		}
		keep := w.isKept()
		all := Sweep(w, lanes, read.Needs{Events: true}, w.query(false), func(s Span) (spanRuns, error) { return w.runsOf(s, lanes, keep || s.part) })
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
	events, err := w.TouchedEvents()
	return err != nil || events < uint64(w.Reader.Cache().Budget)/share/eventBytes
}

// TouchedEvents returns about how many events the slices have that the window touches, of all locations: what may have to be decoded for a
// question about it. It reads no slice.
func (w *Window) TouchedEvents() (uint64, error) {
	w.Reader.LoadPages(w.From, w.To, read.NoDefinitions)
	first, last, err := w.Reader.Slices(w.From, w.To)
	return (last - first) * (w.Reader.Info().Events / max(w.Reader.Root().Slices, 1)), err
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
func (s *spanRuns) events(r *read.File, slice uint64, lane uint32, keep bool) (*slice.Events, error) {
	if keep {
		return r.Events(slice, lane)
	}
	ref, ok, err := r.Ref(slice, read.SliceKey(slice, lane))
	if err != nil || !ok {
		return nil, err
	}
	e, free, err := r.Borrow(slice, lane, ref)
	if err == nil {
		s.ends = append(s.ends, free)
	}
	return e, err
}

// runsOf returns the runs of a span. With keep, what they are made of stays in the cache.
func (w *Window) runsOf(s Span, lanes []uint32, keep bool) (found spanRuns, err error) {
	if lanes, err = w.Reader.Busy(s.Slice, lanes); err != nil {
		return spanRuns{}, err
	}
	events, words := 0, 0
	for _, lane := range lanes {
		e, err := found.events(w.Reader, s.Slice, lane, keep)
		if err != nil {
			return spanRuns{}, err
		}
		events, words = events+len(e.Leaves), words+e.Words()
		if err = checkTotal(w.Reader, s.Slice, events, words); err == nil && words > w.Reader.AtOnce.Words && !s.part {
			err = ErrTooMuch
		}
		if err == nil {
			found.runs, err = w.windowRuns(found.runs, e, &s)
		}
		if err != nil {
			return spanRuns{}, err
		}
	}
	slices.SortFunc(found.runs, func(a, b run) int { return cmp.Compare(a.location, b.location) })
	return found, nil
}

// checkTotal checks that the lanes of a slice have no more events together than the directory says, and no more words than the limit.
func checkTotal(r *read.File, slice uint64, events, words int) error {
	s, err := r.Slice(slice)
	if err == nil && uint64(events) > s.Events {
		err = r.InSlice(format.Corruptf("slice block", -1, "slice %d has more events than the %d that the directory says", slice, s.Events), slice, 0)
	}
	if words > r.Limits().SliceValues {
		err = r.InSlice(format.Corruptf("slice block", -1, "slice %d has %d words, more than the limit of %d", slice, words, r.Limits().SliceValues).Of(format.ErrLimit), slice, 0)
	}
	return err
}

// windowRuns appends those of a lane. Of a part of a slice they are copies: the lane need not be kept.
func (w *Window) windowRuns(runs []run, e *slice.Events, s *Span) ([]run, error) {
	for i := range e.Runs {
		r := &e.Runs[i]
		if w.Locations != nil && !w.Locations[r.Location] {
			continue
		}
		at, end := e.Span(i)
		times := e.Times[at:end]
		from, to := s.Cut(times, r.Location, r.First)
		from, to = max(from, layout.LowerBound(times, w.From)), min(to, layout.LowerBound(times, w.To))
		if from >= to {
			continue
		}
		b, err := e.Batch(i)
		if err != nil {
			return runs, w.Reader.InSlice(err, e.Number, e.Lane)
		}
		part := b.View(from, to)
		if s.part {
			part = &trace.Batch{Location: b.Location}
			part.AppendRange(b, from, to, w.Reader.Meta().Kinds)
		}
		runs = append(runs, run{batch: part, location: r.Location, first: r.First + uint64(from)})
	}
	return runs, nil
}

// Events yields the events of the window in merged order: by time, location (in the order of definition) and ordinal.
// Where one instant holds more events than a slice, they come slice by slice.
func (w *Window) Events() iter.Seq2[trace.Event, error] {
	return func(yield func(trace.Event, error) bool) {
		for runs, err := range w.sliceRuns() {
			if err != nil {
				yield(trace.Event{}, err)
				return
			}
			if !w.mergeEvents(runs, yield) {
				return
			}
		}
	}
}

// mergeEvents yields the events of a slice's runs in merged order; it returns false if it was told to stop.
func (w *Window) mergeEvents(runs []run, yield func(trace.Event, error) bool) bool {
	m := eventMerges.Get().(*eventMerge)
	defer eventMerges.Put(m)
	n, first, last := 0, int64(math.MaxInt64), int64(math.MinInt64)
	for i := range runs {
		times := runs[i].batch.Times
		n, first, last = n+len(times), min(first, times[0]), max(last, times[len(times)-1])
	}
	m.times, m.events = slices.Grow(m.times[:0], n), slices.Grow(m.events[:0], n)
	for i := range runs {
		m.add(uint32(i), runs[i].batch, w.kinds)
	}
	for _, key := range m.order.Sorted(m.times, first, last) {
		e := m.events[m.order.Number(key)]
		r := &runs[e.run]
		if !yield(trace.Event{Batch: r.batch, Index: int(e.at), Ordinal: r.first + uint64(e.at)}, nil) {
			return false
		}
	}
	return true
}

// eventMerge puts the events of runs in order.
type eventMerge struct {
	order  read.Merge
	times  []int64 // of the events that are chosen
	events []eventPlace
}

// add adds the events of a run that are of some kinds.
func (m *eventMerge) add(run uint32, b *trace.Batch, kinds kindSet) {
	for i, k := range b.Kinds {
		if kinds.has(k) {
			m.times, m.events = append(m.times, b.Times[i]), append(m.events, eventPlace{run, uint32(i)})
		}
	}
}

// eventPlace is where an event stands: in which run, and where in it.
type eventPlace struct{ run, at uint32 }

// eventMerges are merges that nobody needs any longer, with their memory.
var eventMerges = sync.Pool{New: func() any { return new(eventMerge) }}
