package ahead

import (
	"iter"
	"runtime"
)

// Work does something with an item, and gives the results in order, until it is told to stop: give returns false then.
type Work[S any] func(s S, give func(any) bool) error

// Once makes work of what has one result.
func Once[S, T any](do func(s S) (T, error)) Work[S] {
	return func(s S, give func(any) bool) error {
		v, err := do(s)
		if err == nil {
			give(v)
		}
		return err
	}
}

// spare is how many more items than there are processors are under way. One that is done waits for its turn, and its processor goes on: the one
// that uses the results takes time, too. Windows of 1.5 million calls take a quarter less time with two spare spans, and no less with four.
const spare = 2

// AtOnce is the number of items that are under way.
func AtOnce() int { return runtime.GOMAXPROCS(0) + spare }

// Each does something with each of the items that next gives, on all processors, and yields the results in order: while one is used, others
// are worked on. Of an item whose turn has not come, mostWaiting results wait, and then its work does. When the
// iteration stops early, items have been worked on in vain. What must be alone is worked on alone, and not while the last result before it is used.
func Each[S any](next func() (s S, ok bool, err error), alone func(*S) bool, do Work[S]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		a := lookahead[S]{next: next, mustBeAlone: alone, do: do, running: make([]chan result, 0, AtOnce()), stopped: make(chan struct{})}
		defer close(a.stopped)
		for a.fill(); len(a.running) > 0; a.fill() {
			if !a.yield(yield) {
				return
			}
		}
	}
}

// Of yields results that are known to be of a type. Each is made once, and not for each type: there are many. Inlined into all callers of all windows, it would make the program 0.1 MB larger.
//
//go:noinline
func Of[T any](all iter.Seq2[any, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range all {
			t, _ := v.(T)
			if !yield(t, err) {
				return
			}
		}
	}
}
