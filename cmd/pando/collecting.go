package main

import (
	"runtime"
	"runtime/debug"
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
	firstCollection.Stop()
	debug.SetGCPercent(max(percent, int(n*100/leastHeap)))
	firstCollection = runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, percent)
}
