package store

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/index"
)

// chunkBytes is how much is read ahead in one round, and as much again while that is worked on.
const chunkBytes = 4 << 20

// sweep does something with each slice of the window that may answer a query, on all processors, and yields the results in
// order; where do returns errTooMuch, with one span of it after the other. What the slices need of some lanes is read before. The
// first slice is always among them.
func sweep[T any](w *Window, lanes []uint32, n needs, q index.Query, do func(s span) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		w.reader.loadPages(w.from, w.to, n.calls || n.messages != nil)
		first, last, err := w.reader.slices(w.from, w.to)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		if last-first <= fewSlices {
			q = nil // to ask takes longer than to read them
		}
		at := first
		next := func() (s span, ok bool, err error) {
			if at > first {
				at, err = w.reader.nextSlice(q, at)
			}
			s = whole(at, at == first)
			at++
			return s, s.slice < last, err
		}
		l := newLoader(w.reader, lanes, n, q, first, last)
		results := divided(w.reader, lanes, n, next, func(s span) (T, error) {
			l.wait(s.slice)
			return do(s)
		}, false)
		results(yield)
	}
}

// fewSlices is the number of slices in a window up to which all are read, whatever they have.
const fewSlices = 32

// sweepBack is sweep from the last slice to the first, and reads nothing before.
func sweepBack[T any](w *Window, lanes []uint32, n needs, q index.Query, do func(s span) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		first, last, err := w.reader.slices(w.from, w.to)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		at := last // one behind the slice that is next
		next := func() (s span, ok bool, err error) {
			if at <= first {
				return s, false, nil
			}
			at, ok, err = w.reader.previousSlice(q, at-1)
			return whole(at, false), ok && at >= first, err
		}
		divided(w.reader, lanes, n, next, do, true)(yield)
	}
}

// divided is ahead, and where do returns errTooMuch for a slice, does it with one span of it after the other, or from the last to the first.
func divided[T any](r *Reader, lanes []uint32, n needs, next func() (span, bool, error), do func(s span) (T, error), back bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for o, err := range ahead(r, next, func(s span) (outcome[T], error) { return attempt(s, do) }) {
			switch {
			case o.tooMuch && err == nil:
				if !inSpans(r, o.span, lanes, n, do, back, yield) {
					return
				}
			case !yield(o.value, err):
				return
			}
		}
	}
}

// outcome is what was made of a slice, unless it was too much.
type outcome[T any] struct {
	span    span
	value   T
	tooMuch bool
}

func attempt[T any](s span, do func(s span) (T, error)) (outcome[T], error) {
	v, err := do(s)
	if errors.Is(err, errTooMuch) {
		return outcome[T]{span: s, tooMuch: true}, nil
	}
	return outcome[T]{value: v}, err
}

// inSpans does something with the spans of a slice. It returns false if it was told to stop.
func inSpans[T any](r *Reader, s span, lanes []uint32, n needs, do func(s span) (T, error), back bool, yield func(T, error) bool) bool {
	spans, err := r.spans(s, lanes, n)
	if err != nil {
		var none T
		yield(none, err)
		return false
	}
	if back {
		slices.Reverse(spans)
	}
	next := func() (s span, ok bool, err error) {
		if len(spans) > 0 {
			s, spans, ok = spans[0], spans[1:], true
		}
		return s, ok, nil
	}
	for v, err := range ahead(r, next, do) {
		if !yield(v, err) || err != nil {
			return false
		}
	}
	return true
}

// loader reads the blocks of slices in chunks, one ahead of what is waited for. It is safe for concurrent use.
type loader struct {
	r     *Reader
	lanes []uint32
	needs needs
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

func newLoader(r *Reader, lanes []uint32, n needs, q index.Query, first, last uint64) *loader {
	return &loader{r: r, lanes: lanes, needs: n, query: q, next: first, last: last, limit: min(chunkBytes, r.cache.budget/8)}
}

// minChunkBytes is the least that is worth reading ahead.
const minChunkBytes = 64 << 10

// wait returns when the blocks of a slice have been read. Slices are waited for about in their order.
func (l *loader) wait(slice uint64) {
	if l.limit < minChunkBytes {
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
func (l *loader) skip(p *plan) {
	next, err := l.r.nextSlice(l.query, l.next+1)
	if err != nil {
		p.err = err
		return
	}
	l.next = min(next, l.last) - 1
}

// start plans the next chunk and begins to read it.
func (l *loader) start() {
	p := plan{r: l.r, lanes: l.lanes}
	group := uint64(math.MaxUint64) // of the slice before
	for ; l.next < l.last && p.err == nil && p.size < l.limit; l.next++ {
		p.slice(l.next, l.needs, l.next/l.r.root.Fanout != group)
		group = l.next / l.r.root.Fanout
		if len(l.query) > 0 {
			l.skip(&p)
		}
	}
	if p.err != nil {
		l.next = l.last // who needs it will see the error
	}
	c := chunk{end: l.next, done: make(chan struct{})}
	l.chunks = append(l.chunks, c)
	if len(p.refs) == 0 {
		close(c.done)
		return
	}
	go func() {
		defer close(c.done)
		l.r.load(p.refs)
	}()
}
