package query

import (
	"iter"
	"runtime"
	"sync"

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

// ahead does something with each of the spans that next gives, on all processors, and yields the results in order: while one is used, others
// are worked on. The one who uses the results works, too: it does a span itself whose turn comes before anybody has begun it, and has its results
// at hand. Of a span whose turn has not come, mostWaiting results wait, and then the worker does. When the
// iteration stops early, these spans have been worked on in vain. What is large is worked on alone, and not while the last result before it is used.
func ahead(r *read.File, next func() (s Span, ok bool, err error), do worker) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		processors := runtime.GOMAXPROCS(0)
		a := lookahead{r: r, next: next, do: do, most: processors + spareSpans, helpers: max(1, processors-1), stopped: make(chan struct{})}
		defer a.stop()
		for a.fill(false); len(a.tasks) > 0; a.fill(false) {
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
	most    int   // tasks at a time
	alone   bool  // the last one must be
	waits   *Span // the next one, which must be and cannot yet
	ended   bool
	stopped chan struct{} // closed when no more results are wanted

	mu      sync.Mutex
	tasks   []*task // whose results have not all been used
	helpers int     // that may still be started
}

// task is a span to work on, or an error in its place.
type task struct {
	span    Span
	err     error
	begun   bool
	results chan result
}

type result struct {
	value any
	err   error
}

// fill adds as many spans as may be under way, now or while a result is used. The first one is left to the one who uses the results, unless that is busy.
func (a *lookahead) fill(used bool) {
	for len(a.tasks) < a.most && (len(a.tasks) == 0 || !a.alone) {
		s, ok, err := a.take()
		if !ok && err == nil {
			return
		}
		if a.alone = err == nil && large(a.r, &s); a.alone && (used || len(a.tasks) > 0) {
			a.waits = &s
			return
		}
		a.mu.Lock()
		a.tasks = append(a.tasks, &task{span: s, err: err, results: make(chan result, mostWaiting)})
		if a.helpers > 0 && (used || len(a.tasks) > 1) {
			a.helpers--
			go a.help()
		}
		a.mu.Unlock()
	}
}

// help works on tasks as long as there are any that nobody has begun.
func (a *lookahead) help() {
	deepen(0)
	for t := a.begin(true); t != nil; t = a.begin(true) {
		a.work(t, func(r result) bool {
			select {
			case t.results <- r:
				return true
			case <-a.stopped:
				return false
			}
		})
		close(t.results)
	}
}

// begin returns the first task that nobody has begun, for one who is no helper only if it is the very first; nil if there is none: then there may be another helper.
func (a *lookahead) begin(helper bool) *task {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, t := range a.tasks {
		if !t.begun && (helper || i == 0) {
			t.begun = true
			return t
		}
	}
	if helper {
		a.helpers++
	}
	return nil
}

// work does a task. An error is its last result.
func (a *lookahead) work(t *task, give func(result) bool) {
	wanted, err := true, t.err
	if err == nil {
		err = a.do(t.span, func(v any) bool {
			wanted = wanted && give(result{value: v})
			return wanted
		})
	}
	if err != nil && wanted {
		give(result{err: err})
	}
}

// yield yields the results of the first span. It returns false if no more are wanted.
func (a *lookahead) yield(yield func(any, error) bool) bool {
	t, wanted := a.tasks[0], true
	if a.begin(false) == nil {
		return a.yieldMade(t, yield)
	}
	a.work(t, func(r result) bool {
		wanted = yield(r.value, r.err) && r.err == nil
		return wanted
	})
	a.pop()
	return wanted
}

// yieldMade yields the results of a task that others do. With the last one, which the next one or the end of the span tells, the next span is added.
func (a *lookahead) yieldMade(t *task, yield func(any, error) bool) bool {
	r, ok := <-t.results
	for ok {
		next, more := <-t.results
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

// pop removes the first task.
func (a *lookahead) pop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks = append(a.tasks[:0], a.tasks[1:]...)
}

// stop ends all work.
func (a *lookahead) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tasks = nil
	close(a.stopped)
}

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

// deepen makes the goroutine's stack as deep as decoding needs it, while there is hardly anything on it that must be moved: else it would
// be moved several times.
//
//go:noinline
func deepen(i int) byte {
	var room [12 << 10]byte
	return room[i]
}
