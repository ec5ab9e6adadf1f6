// Package heap decides when the garbage of the program is collected: a program that ends soon need not collect memory that it will not use
// again. Below some size of the heap, collections take more time than the new memory that they save.
package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// Sizes of the heap, in bytes.
const (
	firstHeap = 16 << 20 // at the first collection of most verbs: the start alone takes 4 MiB, Go's least
	leastHeap = 4 << 20  // the least size that Go takes percentages of
)

// usualGarbage is Go's own percentage of garbage.
const usualGarbage = 100

// Start lets the heap of a verb grow to 16 MiB before its first collection. Garbage does not make it larger than 512 MiB, except for a third
// of the memory in use: a file of very many definitions takes up to 1 GiB to be read, and would take twice that.
func Start() {
	collectWithin(firstHeap, garbageBounds{percent: usualGarbage, least: 33, most: 512 << 20, limit: math.MaxInt64})
}

// Within sets the heap up for work that may take about n bytes of memory: the first quarter of it is filled without a collection, in huge
// pages where the system has them, and near n garbage is collected more and more often.
func Within(n int64) {
	firstCollection.Stop() // the allocation of huge pages is not the first one of the work
	preferHugePages(n / hugeShare)
	collectWithin(n/hugeShare, garbageBounds{percent: garbage, least: leastGarbage, most: n * looseSixteenths / 16, limit: n * keptSixteenths / 16})
}

// Below sets the heap up for work that keeps about half of n bytes of memory in use: garbage may fill the rest, so that the process takes about n.
func Below(n int64) {
	firstCollection.Stop()
	collectWithin(firstHeap, garbageBounds{percent: garbage, least: leastGarbage, most: n * filledSixteenths / 16, limit: n * filledSixteenths / 16})
}

// Lasting sets the heap up for a server, which keeps up to about half of n bytes of memory in use for a long time: what it keeps changes slowly, so that less garbage
// costs little. Near n bytes, garbage is collected more and more often.
func Lasting(n int64) {
	collectWithin(firstHeap, garbageBounds{percent: lastingGarbage, least: leastGarbage, most: n * filledSixteenths / 16, limit: n})
}

// lastingGarbage is the garbage of a server, in percent of the memory in use. 200 views of NPB LU with 10^8 events: 267 MB with 60 where 301 MB were resident with 100, at
// equal processor time.
const lastingGarbage = 60

// filledSixteenths is how much of the memory of [Below] the heap takes. The program itself, its stacks and what collections need take the rest.
const filledSixteenths = 13

// garbage is the garbage that may gather far from the limit, in percent of the memory in use. Most conversions need a fifth of their budget:
// collecting as often as Go does by itself costs a twentieth of the time.
const garbage = 300

// Near its memory, a conversion would collect garbage all the time. So garbage fills no more than looseSixteenths of the memory, and the
// process keeps no pages of collected garbage beyond keptSixteenths: 200,000 threads took 330 MB with 8 and 15 of them, and take 300.
const (
	looseSixteenths = 7
	keptSixteenths  = 8
)

// hugeShare is the share of the memory that is preferred in huge pages. Near the limit, parts of huge pages are given back and needed again:
// with 10,000 locations and half of the memory in huge pages, that takes as much time as the pages save elsewhere.
const hugeShare = 4

// givenLimit is the limit of memory that the environment names: GOMEMLIMIT.
var givenLimit = debug.SetMemoryLimit(-1)

// firstCollection runs at the first collection.
var firstCollection runtime.Cleanup

// garbageBounds say how much garbage may gather. A collection takes time in proportion to the memory in use, so that it would never rest
// without a least percentage, which gathers also beyond the limit.
type garbageBounds struct {
	percent, least int   // of the memory in use
	most           int64 // bytes of the heap, garbage beyond the least percentage included
	limit          int64 // bytes of the process from which on unused pages are given back
}

// collectWithin lets the heap reach n bytes before it is collected, and garbage gather within bounds from then on.
func collectWithin(n int64, b garbageBounds) {
	debug.SetMemoryLimit(min(b.limit, givenLimit))
	round := rounds.Add(1)
	var next func()
	next = func() {
		if rounds.Load() == round {
			used, besides := inUse()
			debug.SetGCPercent(b.within(used))
			debug.SetMemoryLimit(min(max(b.limit, used+besides+2*used*int64(b.least)/100), givenLimit))
			runtime.AddCleanup(new([64]byte), func(next func()) { next() }, next)
		}
	}
	collectThen(n, b.percent, next)
}

// rounds counts the calls of collectWithin: bounds of a call before the last one count no more.
var rounds atomic.Int64

func collectThen(n int64, percent int, then func()) {
	firstCollection.Stop()
	debug.SetGCPercent(max(percent, int(n*100/leastHeap)))
	firstCollection = runtime.AddCleanup(new([64]byte), func(then func()) { then() }, then)
}

// leastGarbage is the least percentage of garbage of a conversion.
const leastGarbage = 12

// within returns the garbage that may gather, in percent of the memory in use.
func (b *garbageBounds) within(used int64) int {
	return max(b.least, min(b.percent, int(100*(b.most-used)/max(used, leastHeap))))
}

// inUse returns the bytes that the latest collection left, and those that the process has besides them for good: parts of pages that are not in use,
// stacks, what the collector keeps of the heap. With very many small objects that is a third of them. A limit that leaves it out makes the collector
// run without a rest: of 100,000 locations, it took a fifth of the time.
func inUse() (live, besides int64) {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(s)
	n := func(i int) int64 { return int64(s[i].Value.Uint64()) }
	return n(0), n(1) - n(2) - n(3) - n(4)
}
