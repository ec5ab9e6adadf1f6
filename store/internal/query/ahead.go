package query

import (
	"iter"
	"runtime"

	"github.com/pandotrace/pando/store/internal/read"
)

// ahead does something with each of the spans that next gives, on all processors, and yields the results in order: while one is used, as many
// spans as there are processors are worked on. When the iteration stops early, these have been worked on in vain. What is large is worked on
// alone, and not while the result before it is used.
func ahead[T any](r *read.File, next func() (s Span, ok bool, err error), do func(s Span) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		a := lookahead[T]{r: r, next: next, do: do, running: make([]chan result[T], 0, runtime.GOMAXPROCS(0))}
		for a.fill(false); len(a.running) > 0; a.fill(false) {
			r, alone := <-a.running[0], a.alone
			a.running = append(a.running[:0], a.running[1:]...)
			if a.ended = a.ended || r.err != nil; !alone {
				a.fill(true)
			}
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}

// lookahead is what is worked on, in order.
type lookahead[T any] struct {
	r       *read.File
	next    func() (s Span, ok bool, err error)
	do      func(s Span) (T, error)
	running []chan result[T]
	alone   bool  // the last one must be
	waits   *Span // the next one, which must be and cannot yet
	ended   bool
}

// fill starts as many spans as may run, now or while a result is used.
func (a *lookahead[T]) fill(used bool) {
	for len(a.running) < cap(a.running) && (len(a.running) == 0 || !a.alone) {
		s, ok, err := a.take()
		if !ok && err == nil {
			return
		}
		if a.alone = err == nil && large(a.r, &s); a.alone && (used || len(a.running) > 0) {
			a.waits = &s
			return
		}
		a.running = append(a.running, start(s, err, a.do))
	}
}

// take returns the next span.
func (a *lookahead[T]) take() (s Span, ok bool, err error) {
	if a.waits != nil {
		s, a.waits = *a.waits, nil
		return s, true, nil
	}
	if !a.ended {
		s, ok, err = a.next()
		a.ended = !ok || err != nil
	}
	return s, ok, err
}

type result[T any] struct {
	value T
	err   error
}

// start does something with a span, unless there is an error already.
func start[T any](s Span, err error, do func(s Span) (T, error)) chan result[T] {
	c := make(chan result[T], 1)
	if err != nil {
		c <- result[T]{err: err}
		return c
	}
	go func() {
		deepen(0)
		v, err := do(s)
		c <- result[T]{v, err}
	}()
	return c
}

// deepen makes the goroutine's stack as deep as decoding needs it, while there is hardly anything on it that must be moved: else it would
// be moved several times.
//
//go:noinline
func deepen(i int) byte {
	var room [12 << 10]byte
	return room[i]
}
