package query

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// CallsByStart yields the calls that begin in the window, in order of start, location and ordinal. Only slices that have calls of the window's
// regions and locations are read, so that the next call of a region is found at once, however far it is.
func (w *Window) CallsByStart() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		for c, err := range w.Calls() {
			if err == nil && c.Start < w.From {
				continue
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// CallsByStartBackward yields what CallsByStart does, the last one first.
func (w *Window) CallsByStartBackward() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(trace.Call{}, err)
			return
		}
		all := sweepBack(w, lanes, read.Needs{Calls: true}, w.query(true), func(s Span) (*mergedCalls, error) { return w.spanCalls(s, lanes, false, wholeCalls) })
		for c, err := range all {
			if err != nil {
				yield(trace.Call{}, err)
				return
			}
			for i := c.Len() - 1; i >= 0; i-- {
				if c.Starts[i] >= w.From && !yield(c.Call(i), nil) {
					return
				}
			}
			callRoom.Put(c)
		}
	}
}

// EventsBackward yields what Events does, the last one first. Where one instant holds more events than a slice, they come slice by slice.
func (w *Window) EventsBackward() iter.Seq2[trace.Event, error] {
	return func(yield func(trace.Event, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(trace.Event{}, err)
			return
		}
		all := sweepBack(w, lanes, read.Needs{Events: true}, w.query(false), func(s Span) ([]trace.Event, error) {
			found, err := w.runsOf(s, lanes, true)
			var events []trace.Event
			w.mergeEvents(found.runs, func(e trace.Event, _ error) bool { events = append(events, e); return true })
			return events, err
		})
		for events, err := range all {
			if err != nil {
				yield(trace.Event{}, err)
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

// LongestCalls returns the n longest calls of the window, by their whole duration, the longest first; among equal ones the earlier.
// Slices in which no call can be long enough are not read.
func (w *Window) LongestCalls(n int) ([]trace.Call, error) {
	if n <= 0 {
		return nil, nil
	}
	best := longest{n: n}
	lanes, err := w.Lanes()
	if err != nil {
		return nil, err
	}
	if w.Reader.Far {
		w.Reader.LoadPages(w.From, w.To, read.Contexts)
	}
	numbers, lengths, err := w.byLength(&best, lanes)
	if err != nil {
		return nil, err
	}
	fetched := 0
	next := func() (s Span, ok bool, err error) {
		if len(numbers) == 0 || best.full() && lengths[0] < best.least() {
			return s, false, nil
		}
		if fetched--; fetched < 0 {
			fetched = min(farSlices, len(numbers))
			w.Reader.FetchSlices(lanes, read.Needs{Calls: true}, numbers[:fetched]...)
		}
		s = Whole(numbers[0], false)
		numbers, lengths = numbers[1:], lengths[1:]
		return s, true, nil
	}
	in := func(s Span) (*mergedCalls, error) { return w.spanCalls(s, lanes, false, wholeCalls) }
	for c, err := range ahead.Of[*mergedCalls](divided(w.Reader, lanes, read.Needs{Calls: true}, next, ahead.Once(in), false)) {
		if err != nil {
			return nil, err
		}
		for i := range c.Len() {
			call := c.Call(i)
			best.add(&call, w)
		}
		callRoom.Put(c)
	}
	return best.calls, nil
}

// farSlices is the number of slices that are read together where what one has tells whether the next one is needed.
const farSlices = 8

// byLength returns the slices of the window that may have its calls, the longest in time first, with their lengths. A call that
// begins in a slice and outlasts it may be longer: such calls, and those open when the window begins, are added at once.
func (w *Window) byLength(best *longest, lanes []uint32) (numbers []uint64, lengths []int64, err error) {
	first, last, err := w.Reader.Slices(w.From, w.To)
	if err != nil {
		return nil, nil, err
	}
	q := w.query(true)
	w.fetchSpanning(q, lanes, first, last)
	if err := w.addSpanning(best, lanes, first, last); err != nil {
		return nil, nil, err
	}
	length := map[uint64]int64{}
	for slice := first; slice < last; slice++ {
		if slice, err = w.Reader.NextSlice(q, lanes, slice, last); err != nil {
			return nil, nil, err
		}
		if slice >= last {
			break
		}
		s, err := w.Reader.Slice(slice)
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

// nodesOf yields the nodes that have some of the slices from first to last-1.
func nodesOf(r *read.File, first, last uint64) iter.Seq[index.Node] {
	return func(yield func(index.Node) bool) {
		for level := 1; level <= r.Tree().Levels(r.Root().Slices); level++ {
			width := r.Tree().Width(level)
			for slice := first; slice < last; slice = (slice/width + 1) * width {
				if !yield(r.Node(level, slice)) {
					return
				}
			}
		}
	}
}

// fetchSpanning reads the calls that cross borders between slices, and the postings, of a file on a server: as much as may be asked for at once.
func (w *Window) fetchSpanning(q index.Query, lanes []uint32, first, last uint64) {
	if !w.Reader.Far {
		return
	}
	p := read.Plan{R: w.Reader, Lanes: lanes}
	for n := range nodesOf(w.Reader, first, last) {
		p.Node(format.BlockCalls, n, lanes, cache.Calls)
	}
	p.Postings(q, first, last)
	w.Reader.LoadSome(p.Refs)
}

// addSpanning adds the calls that cross borders between slices, some slices at a time.
func (w *Window) addSpanning(best *longest, lanes []uint32, first, last uint64) error {
	filter := w.filter()
	for _, lane := range lanes {
		for at := first; at < last; at += stretchSlices {
			shortest := int64(math.MinInt64)
			if best.full() {
				shortest = best.least()
			}
			calls, err := w.Reader.CrossingCalls(at, min(at+stretchSlices, last), lane, shortest)
			if err != nil {
				return err
			}
			for i := range calls {
				if c := &calls[i].Call; filter.HasLocation(w.Reader.KnownIndex(c.Location)) && filter.Has(c) {
					best.add(c, w)
				}
			}
		}
	}
	return nil
}

// longest keeps the n longest calls, in order.
type longest struct {
	n     int
	calls []trace.Call
}

func (l *longest) full() bool { return len(l.calls) == l.n }

// least returns the duration of the shortest one.
func (l *longest) least() int64 { return l.calls[len(l.calls)-1].Duration() }

func (l *longest) add(c *trace.Call, w *Window) {
	if l.full() && c.Duration() < l.least() {
		return
	}
	order := func(a, b *trace.Call) int {
		return cmp.Or(cmp.Compare(b.Duration(), a.Duration()), cmp.Compare(a.Start, b.Start),
			cmp.Compare(w.Reader.KnownIndex(a.Location), w.Reader.KnownIndex(b.Location)), cmp.Compare(a.Ordinal, b.Ordinal))
	}
	at := sort.Search(len(l.calls), func(i int) bool { return order(&l.calls[i], c) >= 0 })
	if at < len(l.calls) && order(&l.calls[at], c) == 0 {
		return // it crosses a border, and was added before
	}
	l.calls = slices.Insert(l.calls, at, *c)
	l.calls = l.calls[:min(len(l.calls), l.n)]
}

// UnmatchedMessageEnds yields the sends and receives of the window that never found their partner, in order of location and ordinal. Of
// very many, some are put in order at a time, and their blocks are read again for the next ones.
func (w *Window) UnmatchedMessageEnds() iter.Seq2[trace.Event, error] {
	return func(yield func(trace.Event, error) bool) {
		refs, in, err := w.unmatchedBlocks()
		var last *pairing.Unmatched
		for more := err == nil && len(refs) > 0; more; {
			var ends []pairing.Unmatched
			if ends, more, err = w.unmatchedAfter(refs, in, last); err != nil {
				break
			}
			if !w.yieldUnmatched(ends, yield) {
				return
			}
			if more {
				last = &ends[len(ends)-1]
			}
		}
		if err != nil {
			yield(trace.Event{}, err)
		}
	}
}

// unmatchedBlocks returns where ends without a partner stand, and the slices that they are wanted of.
func (w *Window) unmatchedBlocks() (refs []format.Ref, in read.SliceRange, err error) {
	if _, err := w.Lanes(); err != nil {
		return nil, in, err
	}
	if err := w.Reader.Alive(); err != nil {
		return nil, in, err
	}
	if refs = w.Reader.Listed(format.BlockUnmatched); len(refs) > 0 {
		loadUnmatched(w.Reader, refs)
		in.First, in.End, err = w.Reader.Slices(w.From, w.To)
	}
	return refs, in, err
}

// unmatchedAfter returns the next ends of some slices behind the last ones, in order, and whether there are more.
func (w *Window) unmatchedAfter(refs []format.Ref, in read.SliceRange, last *pairing.Unmatched) (next []pairing.Unmatched, more bool, err error) {
	order, most := func(a, b pairing.Unmatched) int { return a.CompareEvents(&b) }, min(max(w.Reader.AtOnce.Messages, 1), 1<<30)
	for _, ref := range refs {
		ends, err := Unmatched(w.Reader, ref)
		if err != nil {
			return nil, false, err
		}
		for i := range ends {
			e := &ends[i]
			if !in.Contain(e.Slice, e.Slice) || !w.keeps(e.Location) || last != nil && last.CompareEvents(e) >= 0 {
				continue
			}
			if len(next) == 2*most {
				slices.SortFunc(next, order)
				next, more = next[:most], true
			}
			next = append(next, *e)
		}
	}
	slices.SortFunc(next, order)
	if len(next) > most {
		next, more = next[:most], true
	}
	return next, more, nil
}

// yieldUnmatched yields the events of ends, as far as the window has them.
func (w *Window) yieldUnmatched(ends []pairing.Unmatched, yield func(trace.Event, error) bool) bool {
	fetched := 0
	for i := range ends {
		if i == fetched {
			fetched += fetchEnds(w.Reader, ends[i:])
		}
		event, err := eventAt(w.Reader, &ends[i])
		if err == nil {
			if t := event.Batch.Times[event.Index]; t < w.From || t >= w.To {
				continue
			}
		}
		if !yield(event, err) || err != nil {
			return false
		}
	}
	return true
}

// loadUnmatched reads the ends without a partner and the directory, of a file on a server: as much as may be asked for at once.
func loadUnmatched(r *read.File, refs []format.Ref) {
	if !r.Far || len(refs) == 0 {
		return
	}
	p := read.Plan{R: r}
	for _, ref := range refs {
		p.AddRef(ref, cache.Bytes)
	}
	p.Pages(read.SliceRange{First: 0, End: r.Root().Slices})
	r.LoadSome(p.Refs)
}

// fetchEnds reads what the events of some of the first ends need, of a file on a server, and returns the number of these.
func fetchEnds(r *read.File, ends []pairing.Unmatched) (n int) {
	if !r.Far {
		return len(ends)
	}
	p := read.Plan{R: r, Noted: map[uint64]bool{}}
	for ; n < len(ends) && p.Size < r.LoadLimit(); n++ {
		lane, _ := r.LaneOf(ends[n].Location)
		p.Lanes = []uint32{lane}
		p.Slice(ends[n].Slice, read.Needs{Events: true}, true)
	}
	r.Load(p.Refs)
	return n
}

// Unmatched reads a block of ends without a partner.
func Unmatched(r *read.File, ref format.Ref) ([]pairing.Unmatched, error) {
	b, err := r.Block(format.BlockUnmatched, ref)
	if err != nil {
		return nil, err
	}
	ends, err := pairing.ParseUnmatched(b, int(r.Info().Locations), r.Root().Slices)
	return ends, format.At(err, r.Name(), int64(ref.Offset))
}

// eventAt returns the event of an end.
func eventAt(r *read.File, end *pairing.Unmatched) (trace.Event, error) {
	lane, _ := r.LaneOf(end.Location)
	e, err := r.Events(end.Slice, lane)
	if err != nil {
		return trace.Event{}, err
	}
	for i := 0; e != nil && i < len(e.Runs); i++ {
		run := &e.Runs[i]
		if run.Location != end.Location || end.Ordinal < run.First || end.Ordinal-run.First >= uint64(run.Events) {
			continue
		}
		b, err := e.Batch(i)
		return trace.Event{Batch: b, Index: int(end.Ordinal - run.First), Ordinal: end.Ordinal}, r.InSlice(err, end.Slice, lane)
	}
	return trace.Event{}, r.InSlice(format.Corruptf("unmatched block", -1, "location %d has no event %d in slice %d",
		r.LocationID(end.Location), end.Ordinal, end.Slice), end.Slice, lane)
}
