package query

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/read"
)

// Sweep does something with each slice of the window that may answer a query, on all processors, and yields the results in
// order; where do returns [ErrTooMuch], with one span of it after the other. What the slices need of some lanes is read before. The
// first slice is always among them.
func Sweep[T any](w *Window, lanes []uint32, n read.Needs, q index.Query, do func(s Span) (T, error)) iter.Seq2[T, error] {
	return ahead.Of[T](sweep(w, lanes, n, q, whole, ahead.Once(do)))
}

// whole divides no span.
func whole(s Span) ([]Span, error) { return []Span{s}, nil }

// sweepLanes is Sweep for what is done lane by lane: a slice of many events is worked on by some lanes after the others. Of 65,536 locations, a slice
// has some 700,000 events.
func sweepLanes[T any](w *Window, lanes []uint32, q index.Query, do func(slice uint64, lanes []uint32) (T, error)) iter.Seq2[T, error] {
	return ahead.Of[T](sweep(w, lanes, read.Needs{Events: true}, q, w.someLanes(lanes), ahead.Once(func(s Span) (T, error) { return do(s.Slice, s.lanes) })))
}

// someLanes divides slices of many events into spans of some lanes.
func (w *Window) someLanes(lanes []uint32) func(Span) ([]Span, error) {
	return func(s Span) ([]Span, error) {
		of, err := w.Reader.Slice(s.Slice)
		if err != nil {
			return nil, err
		}
		return w.byLanes(s, lanes, of.Events), nil
	}
}

// byLanes divides a span of a number of events, in all its lanes, into spans of some lanes, such that not too many events are at hand at once.
func (w *Window) byLanes(s Span, lanes []uint32, events uint64) (list []Span) {
	parts := int(min(uint64(len(lanes)), events/uint64(max(1, w.Reader.AtOnce.Lanes))+1))
	for some := range slices.Chunk(lanes, max(1, (len(lanes)+parts-1)/max(1, parts))) {
		s.lanes = some
		list = append(list, s)
	}
	return list
}

// sweep does something with spans of slices, as divide gives them.
func sweep(w *Window, lanes []uint32, n read.Needs, q index.Query, divide func(Span) ([]Span, error), do ahead.Work[Span]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		w.Reader.LoadPages(w.From, w.To, definitionsOf(n))
		first, last, err := w.Reader.Slices(w.From, w.To)
		if err != nil {
			yield(nil, err)
			return
		}
		if last-first <= fewSlices {
			q = nil // to ask takes longer than to read them
		}
		w.Reader.FetchPostings(q, lanes, first, last)
		at, spans := first, []Span(nil)
		next := func() (s Span, ok bool, err error) {
			if len(spans) == 0 {
				if at > first {
					at, err = w.Reader.NextSlice(q, lanes, at, last)
				}
				if err != nil || at >= last {
					return s, false, err
				}
				if spans, err = divide(Whole(at, at == first)); err != nil || len(spans) == 0 {
					return s, false, err
				}
				at++
			}
			s, spans = spans[0], spans[1:]
			return s, true, nil
		}
		l := newLoader(w.Reader, lanes, n, q, first, last)
		results := divided(w.Reader, lanes, n, next, func(s Span, give func(any) bool) error {
			l.wait(s.Slice)
			return do(s, give)
		}, false)
		results(yield)
	}
}

// definitionsOf returns what definitions a sweep looks at.
func definitionsOf(n read.Needs) read.View {
	switch {
	case n.Messages != nil:
		return read.Links
	case n.Calls:
		return read.Contexts
	}
	return read.NoDefinitions
}

// fewSlices is the number of slices in a window up to which all are read, whatever they have.
const fewSlices = 32

// sweepBack is sweep from the last slice to the first, and reads nothing ahead.
func sweepBack[T any](w *Window, lanes []uint32, n read.Needs, q index.Query, do func(s Span) (T, error)) iter.Seq2[T, error] {
	return ahead.Of[T](func(yield func(any, error) bool) {
		if w.Reader.Far {
			w.Reader.LoadPages(w.From, w.To, definitionsOf(n))
		}
		first, last, err := w.Reader.Slices(w.From, w.To)
		if err != nil {
			yield(nil, err)
			return
		}
		w.Reader.FetchPostings(q, lanes, first, last)
		at := last // one behind the slice that is next
		next := func() (s Span, ok bool, err error) {
			if at <= first {
				return s, false, nil
			}
			at, ok, err = w.Reader.PreviousSlice(q, lanes, at-1)
			return Whole(at, false), ok && at >= first, err
		}
		divided(w.Reader, lanes, n, next, ahead.Once(func(s Span) (T, error) {
			w.Reader.FetchSlices(lanes, n, s.Slice)
			return do(s)
		}), true)(yield)
	})
}

// inOrder works ahead on spans, of which large ones are worked on alone.
func inOrder(r *read.File, next func() (Span, bool, error), do ahead.Work[Span]) iter.Seq2[any, error] {
	return ahead.Each(next, func(s *Span) bool { return large(r, s) }, do)
}

// divided is inOrder, and where do returns [ErrTooMuch] for a slice, does it with one span of it after the other, or from the last to the first.
func divided(r *read.File, lanes []uint32, n read.Needs, next func() (Span, bool, error), do ahead.Work[Span], back bool) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for v, err := range inOrder(r, next, attempt(do)) {
			if s, ok := v.(tooMuch); ok {
				if !inSpans(r, Span(s), lanes, n, do, back, yield) {
					return
				}
			} else if !yield(v, err) {
				return
			}
		}
	}
}

// tooMuch is a slice that was too much.
type tooMuch Span

func attempt(do ahead.Work[Span]) ahead.Work[Span] {
	return func(s Span, give func(any) bool) error {
		err := do(s, give)
		if errors.Is(err, ErrTooMuch) {
			give(tooMuch(s))
			return nil
		}
		return err
	}
}

// inSpans does something with the spans of a slice. It returns false if it was told to stop.
func inSpans(r *read.File, s Span, lanes []uint32, n read.Needs, do ahead.Work[Span], back bool, yield func(any, error) bool) bool {
	if s.lanes != nil {
		lanes = s.lanes
	}
	spans, err := spans(r, s, lanes, n)
	if err != nil {
		yield(nil, err)
		return false
	}
	if back {
		slices.Reverse(spans)
	}
	next := func() (s Span, ok bool, err error) {
		if len(spans) > 0 {
			s, spans, ok = spans[0], spans[1:], true
		}
		return s, ok, nil
	}
	for v, err := range inOrder(r, next, do) {
		if !yield(v, err) || err != nil {
			return false
		}
	}
	return true
}

// loader reads the blocks of slices in chunks, one ahead of what is waited for. It is safe for concurrent use.
type loader struct {
	r     *read.File
	lanes []uint32
	needs read.Needs
	query index.Query
	limit int64 // bytes of a chunk

	mu         sync.Mutex
	next, last uint64 // slices that are not planned yet
	chunks     []chunk
}

// chunk is some slices, up to end, that are read together; done is closed when that has been done.
type chunk struct {
	end  uint64
	done chan struct{}
}

func newLoader(r *read.File, lanes []uint32, n read.Needs, q index.Query, first, last uint64) *loader {
	if r.Far && n.Messages != nil && r.LaneCount() <= read.MostMessageLanes {
		lanes = r.AllLanes()
	}
	return &loader{r: r, lanes: lanes, needs: n, query: q, next: first, last: last, limit: min(read.ChunkBytes, r.Cache().Budget/8)}
}

// wait returns when the blocks of a slice have been read. Slices are waited for about in their order.
func (l *loader) wait(slice uint64) {
	if l.limit < read.MinChunkBytes {
		return
	}
	l.mu.Lock()
	for l.next <= slice {
		l.start()
	}
	i := len(l.chunks) - 1
	for i > 0 && l.chunks[i-1].end > slice {
		i--
	}
	done := l.chunks[i].done
	if i == len(l.chunks)-1 && l.next < l.last {
		l.start()
	}
	l.mu.Unlock()
	<-done
}

// skip passes over the slices behind the next one that cannot answer the query.
func (l *loader) skip(p *read.Plan) {
	next, err := l.r.NextSlice(l.query, l.lanes, l.next+1, l.last)
	if err != nil {
		p.Err = err
		return
	}
	l.next = min(next, l.last) - 1
}

// start plans the next chunk and begins to read it.
func (l *loader) start() {
	p := read.Plan{R: l.r, Lanes: l.lanes, Noted: map[uint64]bool{}}
	before := uint64(math.MaxUint64) // the slice that was planned before
	for ; l.next < l.last && p.Err == nil && p.Size < l.limit; l.next++ {
		p.Slice(l.next, l.needs, !l.r.Share(before, l.next))
		before = l.next
		if len(l.query) > 0 {
			l.skip(&p)
		}
	}
	if p.Err != nil {
		l.next = l.last // who needs it will see the error
	}
	c := chunk{end: l.next, done: make(chan struct{})}
	l.chunks = append(l.chunks, c)
	if len(p.Refs) == 0 {
		close(c.done)
		return
	}
	go func() {
		defer close(c.done)
		l.r.Load(p.Refs)
	}()
}
