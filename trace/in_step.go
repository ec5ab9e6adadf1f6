package trace

import (
	"container/heap"
	"errors"
	"io"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"
)

// MostBatch is the most records that are worth reading of a stream at once.
const MostBatch = 4096

// BatchInStep returns how many records to read at once of each of so many streams that are read in step: those of all together hold a
// few slices' worth.
func BatchInStep(streams int) int {
	const all, least = 1 << 17, 64
	return min(max(all/(streams+1), least), MostBatch)
}

// InStep reads several things that go through a trace's time, in as many goroutines as there are workers: always next the one that is
// furthest behind. So a source that keeps the events of several locations together reads them once. step reads a little of a thing,
// and tells the time up to which it is read; io.EOF means that nothing is left of it. Any other error ends the work.
func InStep[T any](workers int, things []T, step func(T) (covered int64, err error)) error {
	w := &inStep[T]{step: step}
	for _, t := range things {
		w.waiting = append(w.waiting, runner[T]{t, math.MinInt64})
	}
	var running errgroup.Group
	for range workers {
		running.Go(w.work)
	}
	return running.Wait()
}

// inStep are those that are not at their ends.
type inStep[T any] struct {
	step func(T) (int64, error)

	mu      sync.Mutex
	waiting runners[T]
	failed  bool
}

func (w *inStep[T]) work() error {
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

// next returns the one that is furthest behind; ok is false if none is waiting.
func (w *inStep[T]) next() (r runner[T], ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 || w.failed {
		return r, false
	}
	return heap.Pop(&w.waiting).(runner[T]), true
}

// give puts one back, unless there was an error or its end.
func (w *inStep[T]) give(r runner[T], err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		heap.Push(&w.waiting, r)
	} else {
		w.failed = w.failed || !errors.Is(err, io.EOF)
	}
}

// runner is a thing, and the time up to which it is read.
type runner[T any] struct {
	thing   T
	covered int64
}

// runners is a heap of those, the one that is furthest behind on top.
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
