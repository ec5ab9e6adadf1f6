package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// A program that ends soon need not collect what it will not use again: below some size of the heap, collections take more time than
// the new memory that they save.

// Sizes of the heap, in bytes.
const (
	firstHeap = 16 << 20 // at the first collection of most verbs: the start alone takes 4 MiB, Go's least
	leastHeap = 4 << 20  // is what Go takes the percentage of at least
)

// usualGarbage is Go's own percentage of garbage.
const usualGarbage = 100

// firstCollection is what is done at the first collection.
var firstCollection runtime.Cleanup

// collectFrom lets the heap reach n bytes before it is collected. Then, and from then on, so much garbage may gather, in percent of what
// is in use.
func collectFrom(n int64, percent int) {
	rounds.Add(1)
	collectThen(n, percent, func() { debug.SetGCPercent(percent) })
}

// collectWithin is collectFrom, except that less garbage may gather where the heap would grow beyond most bytes with it, and that pages
// which nothing uses are given back where the process would take more than limit bytes. Garbage of an eighth of what is in use may
// gather in any case, also beyond the limit: collecting takes time in proportion to what is in use, and would never rest.
func collectWithin(n int64, percent int, most, limit int64) {
	debug.SetMemoryLimit(limit)
	round := rounds.Add(1)
	var next func()
	next = func() {
		if rounds.Load() == round {
			used := inUse()
			debug.SetGCPercent(garbageWithin(used, percent, most))
			debug.SetMemoryLimit(max(limit, used+2*used*leastGarbage/100))
			runtime.AddCleanup(new([64]byte), func(next func()) { next() }, next)
		}
	}
	collectThen(n, percent, next)
}

// rounds counts the calls of collectWithin and collectFrom: those before count no more.
var rounds atomic.Int64

func collectThen(n int64, percent int, then func()) {
	firstCollection.Stop()
	debug.SetGCPercent(max(percent, int(n*100/leastHeap)))
	firstCollection = runtime.AddCleanup(new([64]byte), func(then func()) { then() }, then)
}

// leastGarbage is the least percentage of garbage.
const leastGarbage = 12

// garbageWithin returns how much garbage may gather, in percent of what is in use.
func garbageWithin(used int64, percent int, most int64) int {
	return max(leastGarbage, min(percent, int(100*(most-used)/max(used, leastHeap))))
}

// inUse returns the bytes that the latest collection left.
func inUse() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}
