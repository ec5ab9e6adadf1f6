package instep

import (
	"container/heap"
	"errors"
	"io"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"
)

// MostBatch is the number of records of a stream beyond which a larger batch saves no time.
const MostBatch = 4096

// BatchSize returns the number of records to read from each stream at once, for a number of streams that are read in step. The batches
// of all streams together hold the records of a few slices.
func BatchSize(streams int) int {
	const all, least = 1 << 17, 64
	return min(max(all/(streams+1), least), MostBatch)
}

// Run advances several things through the time of a trace, in `workers` goroutines. Each worker takes the thing that is furthest behind
// and calls step, which reads a part of the thing and returns the time up to which the thing is read, or io.EOF at its end. Any other
// error ends Run, which returns it.
func Run[T any](workers int, things []T, step func(T) (covered int64, err error)) error {
	w := &schedule[T]{step: step}
	for _, t := range things {
		w.waiting = append(w.waiting, runner[T]{t, math.MinInt64})
	}
	var running errgroup.Group
	for range workers {
		running.Go(w.work)
	}
	return running.Wait()
}

// schedule holds the things that no worker has at the moment and that are not at their ends.
type schedule[T any] struct {
	step func(T) (int64, error)

	mu      sync.Mutex
	waiting runners[T]
	failed  bool
}

func (w *schedule[T]) work() error {
	for {
		r, ok := w.next()
		if !ok {
			return nil
		}
		var err error
		r.covered, err = w.step(r.thing)
		if w.give(r, err); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}

// next takes out the thing that is furthest behind. ok is false if none is waiting, or after an error.
func (w *schedule[T]) next() (r runner[T], ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 || w.failed {
		return r, false
	}
	return heap.Pop(&w.waiting).(runner[T]), true
}

// give puts a thing back after a step, unless the step returned an error.
func (w *schedule[T]) give(r runner[T], err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		heap.Push(&w.waiting, r)
	} else {
		w.failed = w.failed || !errors.Is(err, io.EOF)
	}
}

// runner is a thing with the time up to which it is read.
type runner[T any] struct {
	thing   T
	covered int64
}

// runners is a heap; the runner that is furthest behind is on top.
type runners[T any] []runner[T]

func (r runners[T]) Len() int           { return len(r) }
func (r runners[T]) Less(i, j int) bool { return r[i].covered < r[j].covered }
func (r runners[T]) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push implements heap.Interface.
func (r *runners[T]) Push(x any) { *r = append(*r, x.(runner[T])) }

// Pop implements heap.Interface.
func (r *runners[T]) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}
