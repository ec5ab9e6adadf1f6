package store

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Begun yields the calls that begin in the window, in order of start, location and ordinal. Only slices that have calls of the window's
// regions and locations are read, so that the next call of a region is found at once, however far it is.
func (w *Window) Begun() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		for c, err := range w.Calls() {
			if err == nil && c.Start < w.from {
				continue
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// BegunBackward yields what Begun does, the last one first.
func (w *Window) BegunBackward() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		lanes := w.lanes()
		all := sweepBack(w, lanes, needs{calls: true}, w.query(true), func(s span) (*callMerger, error) { return w.spanCalls(s, lanes, false) })
		for c, err := range all {
			if err != nil {
				yield(trace.Call{}, err)
				return
			}
			for i := len(c.merged) - 1; i >= 0; i-- {
				if c.merged[i].Start >= w.from && !yield(c.merged[i], nil) {
					return
				}
			}
			callMergers.Put(c)
		}
	}
}

// EventsBackward yields what Events does, the last one first. Where one instant holds more events than a slice, they come slice by slice.
func (w *Window) EventsBackward() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lanes := w.lanes()
		all := sweepBack(w, lanes, needs{events: true}, w.query(false), func(s span) ([]Event, error) {
			found, err := w.runsOf(s, lanes, true)
			var events []Event
			w.mergeEvents(found.runs, func(e Event, _ error) bool { events = append(events, e); return true })
			return events, err
		})
		for events, err := range all {
			if err != nil {
				yield(Event{}, err)
				return
			}
			for i := len(events) - 1; i >= 0; i-- {
				if !yield(events[i], nil) {
					return
				}
			}
		}
	}
}

// Longest returns the n longest calls of the window, by their whole duration, the longest first; among equal ones the earlier.
// Slices in which no call can be long enough are not read.
func (w *Window) Longest(n int) ([]trace.Call, error) {
	if n <= 0 {
		return nil, nil
	}
	best := longest{n: n}
	numbers, lengths, err := w.byLength(&best)
	if err != nil {
		return nil, err
	}
	lanes := w.lanes()
	next := func() (s span, ok bool, err error) {
		if len(numbers) == 0 || best.full() && lengths[0] < best.least() {
			return s, false, nil
		}
		s = whole(numbers[0], false)
		numbers, lengths = numbers[1:], lengths[1:]
		return s, true, nil
	}
	in := func(s span) (*callMerger, error) { return w.spanCalls(s, lanes, false) }
	for c, err := range divided(w.reader, lanes, needs{calls: true}, next, in, false) {
		if err != nil {
			return nil, err
		}
		for i := range c.merged {
			best.add(&c.merged[i], w)
		}
		callMergers.Put(c)
	}
	return best.calls, nil
}

// byLength returns the slices of the window that may have its calls, the longest in time first, with their lengths. A call that
// begins in a slice and outlasts it may be longer: such calls, and those open when the window begins, are added at once.
func (w *Window) byLength(best *longest) (numbers []uint64, lengths []int64, err error) {
	first, last, err := w.reader.slices(w.from, w.to)
	if err != nil {
		return nil, nil, err
	}
	if err := w.addSpanning(best, first, last); err != nil {
		return nil, nil, err
	}
	q := w.query(true)
	length := map[uint64]int64{}
	for slice := first; slice < last; slice++ {
		if slice, err = w.reader.nextSlice(q, slice); err != nil {
			return nil, nil, err
		}
		if slice >= last {
			break
		}
		s, err := w.reader.slice(slice)
		if err != nil {
			return nil, nil, err
		}
		numbers = append(numbers, slice)
		length[slice] = s.End - s.Start
	}
	slices.SortStableFunc(numbers, func(a, b uint64) int { return cmp.Compare(length[b], length[a]) })
	for _, slice := range numbers {
		lengths = append(lengths, length[slice])
	}
	return numbers, lengths, nil
}

// addSpanning adds the calls that cross borders between slices: those of all nodes with slices of the window.
func (w *Window) addSpanning(best *longest, first, last uint64) error {
	for _, lane := range w.lanes() {
		for level := 1; level <= w.reader.tree.Levels(w.reader.root.Slices); level++ {
			width := w.reader.tree.Width(level)
			for slice := first; slice < last; slice = (slice/width + 1) * width {
				if err := w.addNode(best, level, slice, lane, first, last); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (w *Window) addNode(best *longest, level int, slice uint64, lane uint32, first, last uint64) error {
	items, err := w.reader.appendCalls(nil, w.reader.node(level, slice), lane, first, last-1)
	if err != nil {
		return err
	}
	d, err := w.reader.Definitions()
	if err != nil {
		return err
	}
	f := follower{reader: w.reader, definitions: d}
	for i := range items {
		if c := f.call(&items[i]); w.takes(&items[i], &c) && best.wants(&c) {
			if c, err = w.whole(&items[i]); err != nil {
				return err
			}
			best.add(&c, w)
		}
	}
	return nil
}

func (w *Window) takes(item *index.Call, c *trace.Call) bool {
	return (w.locations == nil || w.locations[item.Location]) && w.has(c)
}

// whole returns a spanning call with its depth and parent, which its item does not tell.
func (w *Window) whole(item *index.Call) (trace.Call, error) {
	calls, err := w.reader.calls(item.StartSlice, w.reader.info.Locations[item.Location].Lane)
	if err != nil {
		return trace.Call{}, err
	}
	defer callRoom.Put(calls)
	id := w.reader.info.Locations[item.Location].ID
	for i := range calls.begin {
		if c := &calls.begin[i]; c.Location == id && c.Ordinal == item.Ordinal {
			return *c, nil
		}
	}
	return trace.Call{}, format.At(format.Corruptf("calls block", -1, "location %d has no enter at event %d", id, item.Ordinal), w.reader.name, -1)
}

// longest keeps the n longest calls, in order.
type longest struct {
	n     int
	calls []trace.Call
}

func (l *longest) full() bool { return len(l.calls) == l.n }

// least returns the duration of the shortest one.
func (l *longest) least() int64 { return l.calls[len(l.calls)-1].Duration() }

func (l *longest) wants(c *trace.Call) bool { return !l.full() || c.Duration() >= l.least() }

func (l *longest) add(c *trace.Call, w *Window) {
	if !l.wants(c) {
		return
	}
	order := func(a, b *trace.Call) int {
		return cmp.Or(cmp.Compare(b.Duration(), a.Duration()), cmp.Compare(a.Start, b.Start),
			cmp.Compare(w.reader.byID[a.Location], w.reader.byID[b.Location]), cmp.Compare(a.Ordinal, b.Ordinal))
	}
	at := sort.Search(len(l.calls), func(i int) bool { return order(&l.calls[i], c) >= 0 })
	if at < len(l.calls) && order(&l.calls[at], c) == 0 {
		return // it crosses a border, and was added before
	}
	l.calls = slices.Insert(l.calls, at, *c)
	l.calls = l.calls[:min(len(l.calls), l.n)]
}

// Unmatched yields the sends and receives of the window that never found their partner, in order of location and ordinal.
func (w *Window) Unmatched() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for i := range w.reader.root.Entries {
			e := &w.reader.root.Entries[i]
			if e.Kind != format.BlockUnmatched {
				continue
			}
			ends, err := w.reader.unmatched(e.Ref)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for j := range ends {
				if !w.hasEnd(&ends[j].End) {
					continue
				}
				event, err := w.reader.eventAt(&ends[j].End)
				if !yield(event, err) || err != nil {
					return
				}
			}
		}
	}
}

func (w *Window) hasEnd(e *index.End) bool {
	return e.Time >= w.from && e.Time < w.to && (w.locations == nil || w.locations[e.Location])
}

func (r *Reader) unmatched(ref format.Ref) ([]unmatchedEnd, error) {
	b, err := r.block(format.BlockUnmatched, ref)
	if err != nil {
		return nil, err
	}
	ends, err := parseUnmatched(b, len(r.info.Locations), r.root.Slices)
	return ends, format.At(err, r.name, int64(ref.Offset))
}

// eventAt returns the event of an end.
func (r *Reader) eventAt(end *index.End) (Event, error) {
	e, err := r.events(end.Slice, r.info.Locations[end.Location].Lane)
	if err != nil {
		return Event{}, err
	}
	for i := 0; e != nil && i < len(e.Runs); i++ {
		run := &e.Runs[i]
		if run.Location != end.Location || end.Ordinal < run.First || end.Ordinal-run.First >= uint64(run.Events) {
			continue
		}
		b, err := e.Batch(i)
		if err == nil && b.Times[end.Ordinal-run.First] != end.Time {
			break
		}
		return Event{Batch: b, Index: int(end.Ordinal - run.First), Ordinal: end.Ordinal}, format.At(err, r.name, -1)
	}
	return Event{}, format.At(format.Corruptf("unmatched block", -1, "location %d has no event %d at %d in slice %d",
		r.info.Locations[end.Location].ID, end.Ordinal, end.Time, end.Slice), r.name, -1)
}
