package store

import (
	"iter"
	"runtime"
)

// ahead does something with each of the spans that next gives, on all processors, and yields the results in order. When the
// iteration stops early, at most one span per processor has been worked on in vain.
func ahead[T any](next func() (s span, ok bool, err error), do func(s span) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		running := make([]chan result[T], 0, runtime.GOMAXPROCS(0)) // in order
		ended := false
		for {
			for !ended && len(running) < cap(running) {
				s, ok, err := next()
				if ended = !ok || err != nil; !ended || err != nil {
					running = append(running, start(s, err, do))
				}
			}
			if len(running) == 0 {
				return
			}
			r := <-running[0]
			running = append(running[:0], running[1:]...)
			ended = ended || r.err != nil
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}

type result[T any] struct {
	value T
	err   error
}

// start does something with a span, unless there is an error already.
func start[T any](s span, err error, do func(s span) (T, error)) chan result[T] {
	c := make(chan result[T], 1)
	if err != nil {
		c <- result[T]{err: err}
		return c
	}
	go func() {
		v, err := do(s)
		c <- result[T]{v, err}
	}()
	return c
}
