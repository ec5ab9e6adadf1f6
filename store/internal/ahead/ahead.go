package query

import (
	"iter"
	"runtime"

	"github.com/pandotrace/pando/store/internal/read"
)

// worker does something with a span, and gives the results in order, until it is told to stop: give returns false then.
type worker func(s Span, give func(any) bool) error

// once makes a worker of what has one result.
func once[T any](do func(s Span) (T, error)) worker {
	return func(s Span, give func(any) bool) error {
		v, err := do(s)
		if err == nil {
			give(v)
		}
		return err
	}
}

// spareSpans is how many more spans than there are processors are under way. A span that is done waits for its turn, and its processor goes on: the one
// that uses the results takes time, too. Windows of 1.5 million calls take a quarter less time with two spare spans, and no less with four.
const spareSpans = 2

// atOnce is the number of spans that are under way.
func atOnce() int { return runtime.GOMAXPROCS(0) + spareSpans }

// ahead does something with each of the spans that next gives, on all processors, and yields the results in order: while one is used, others
// are worked on. Of a span whose turn has not come, mostWaiting results wait, and then the worker does. When the
// iteration stops early, these spans have been worked on in vain. What is large is worked on alone, and not while the last result before it is used.
func ahead(r *read.File, next func() (s Span, ok bool, err error), do worker) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		a := lookahead{r: r, next: next, do: do, running: make([]chan result, 0, atOnce()), stopped: make(chan struct{})}
		defer close(a.stopped)
		for a.fill(false); len(a.running) > 0; a.fill(false) {
			if !a.yield(yield) {
				return
			}
		}
	}
}

// typed yields what is known to be of a type. What works ahead is made once, and not for each type: there are many.
func typed[T any](all iter.Seq2[any, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			t, _ := v.(T)
			if !yield(t, err) {
				return
			}
		}
	}
}

// mostWaiting is the number of results of a span that wait for their turn.
const mostWaiting = 8

// lookahead is what is worked on, in order.
type lookahead struct {
	r       *read.File
	next    func() (s Span, ok bool, err error)
	do      worker
	running []chan result
	alone   bool  // the last one must be
	waits   *Span // the next one, which must be and cannot yet
	ended   bool
	stopped chan struct{} // closed when no more results are wanted
}

// fill starts as many spans as may run, now or while a result is used.
func (a *lookahead) fill(used bool) {
	for len(a.running) < cap(a.running) && (len(a.running) == 0 || !a.alone) {
		s, ok, err := a.take()
		if !ok && err == nil {
			return
		}
		if a.alone = err == nil && large(a.r, &s); a.alone && (used || len(a.running) > 0) {
			a.waits = &s
			return
		}
		a.running = append(a.running, a.start(s, err))
	}
}

// yield yields the results of the first span. With the last one, which the next one or the end of the span tells, the next span is started. It
// returns false if no more are wanted.
func (a *lookahead) yield(yield func(any, error) bool) bool {
	r, ok := <-a.running[0]
	for ok {
		next, more := <-a.running[0]
		if !more {
			alone := a.alone
			a.pop()
			if a.ended = a.ended || r.err != nil; !alone {
				a.fill(true)
			}
		}
		if !yield(r.value, r.err) || r.err != nil {
			return false
		}
		if !more {
			return true
		}
		r = next
	}
	a.pop()
	return true
}

// pop removes the first span.
func (a *lookahead) pop() { a.running = append(a.running[:0], a.running[1:]...) }

// take returns the next span.
func (a *lookahead) take() (s Span, ok bool, err error) {
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

type result struct {
	value any
	err   error
}

// start does something with a span, unless there is an error already.
func (a *lookahead) start(s Span, err error) chan result {
	c := make(chan result, mostWaiting)
	give := func(r result) bool {
		select {
		case c <- r:
			return true
		case <-a.stopped:
			return false
		}
	}
	go func() {
		defer close(c)
		if err == nil {
			deepen(0)
			err = a.do(s, func(v any) bool { return give(result{value: v}) })
		}
		if err != nil {
			give(result{err: err})
		}
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
