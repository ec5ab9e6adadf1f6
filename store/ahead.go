package store

import (
	"iter"
	"runtime"
)

// ahead does something with each of the slices that next gives, on all processors, and yields the results in order. When the
// iteration stops early, at most one slice per processor has been worked on in vain.
func ahead[T any](next func() (slice uint64, ok bool, err error), do func(slice uint64) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		running := make([]chan result[T], 0, runtime.GOMAXPROCS(0)) // in order
		ended := false
		for {
			for !ended && len(running) < cap(running) {
				slice, ok, err := next()
				if ended = !ok || err != nil; !ended || err != nil {
					running = append(running, start(slice, err, do))
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

// start does something with a slice, unless there is an error already.
func start[T any](slice uint64, err error, do func(slice uint64) (T, error)) chan result[T] {
	c := make(chan result[T], 1)
	if err != nil {
		c <- result[T]{err: err}
		return c
	}
	go func() {
		v, err := do(slice)
		c <- result[T]{v, err}
	}()
	return c
}
