package store

import (
	"iter"
	"math"
	"sync"

	"github.com/pandotrace/pando/index"
)

// chunkBytes is how much is read ahead in one round, and as much again while that is worked on.
const chunkBytes = 4 << 20

// sweep does something with each slice of the window that may answer a query, on all processors, and yields the results in
// order. What the slices need of some lanes is read before. The first slice is always among them, with open true.
func sweep[T any](w *Window, lanes []uint32, n needs, q index.Query, do func(slice uint64, open bool) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		w.reader.loadPages(w.from, w.to, n.calls || n.messages)
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
		next := func() (slice uint64, ok bool, err error) {
			if at > first {
				at, err = w.reader.nextSlice(q, at)
			}
			slice = at
			at++
			return slice, slice < last, err
		}
		l := newLoader(w.reader, lanes, n, q, first, last)
		results := ahead(next, func(slice uint64) (T, error) {
			l.wait(slice)
			return do(slice, slice == first)
		})
		for v, err := range results {
			if !yield(v, err) {
				return
			}
		}
	}
}

// fewSlices is the number of slices in a window up to which all are read, whatever they have.
const fewSlices = 32

// sweepBack is sweep from the last slice to the first, and reads nothing before.
func sweepBack[T any](w *Window, q index.Query, do func(slice uint64) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		first, last, err := w.reader.slices(w.from, w.to)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		at := last // one behind the slice that is next
		next := func() (slice uint64, ok bool, err error) {
			if at <= first {
				return 0, false, nil
			}
			slice, ok, err = w.reader.previousSlice(q, at-1)
			at = slice
			return slice, ok && slice >= first, err
		}
		for v, err := range ahead(next, do) {
			if !yield(v, err) {
				return
			}
		}
	}
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
