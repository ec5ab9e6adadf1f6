package cluster

import (
	"math/rand/v2"
	"slices"
)

// lists numbers lists of numbers. Lists are compared by content: equal ones have one number, and others never do. The empty list is 0.
type lists struct {
	numbers []uint32
	ends    []int             // by list: where it ends in numbers
	buckets map[uint64]uint32 // by hash: the latest list of it
	before  []uint32          // by list: the one before in its bucket
	seed    uint64
}

func newLists() *lists {
	return &lists{ends: []int{0}, before: []uint32{0}, buckets: map[uint64]uint32{}, seed: rand.Uint64()}
}

// at returns a list, which must not be changed.
func (l *lists) at(n uint32) []uint32 {
	if n == 0 {
		return nil
	}
	return l.numbers[l.ends[n-1]:l.ends[n]:l.ends[n]]
}

// of returns the number of a list, which is not kept.
func (l *lists) of(list []uint32) uint32 {
	if len(list) == 0 {
		return 0
	}
	h := l.seed
	for _, n := range list {
		h = mixed(h, uint64(n))
	}
	for n := l.buckets[h]; n != 0; n = l.before[n] {
		if slices.Equal(l.at(n), list) {
			return n
		}
	}
	n := uint32(len(l.ends))
	l.numbers = append(l.numbers, list...)
	l.ends = append(l.ends, len(l.numbers))
	l.before = append(l.before, l.buckets[h])
	l.buckets[h] = n
	return n
}

// What a list, and an entry of a map with numbers, take in bytes.
const (
	listBytes  = 52
	entryBytes = 40
)

func (l *lists) memory() int64 {
	return 4*int64(cap(l.numbers)) + listBytes*int64(len(l.ends))
}

// mixed returns a hash of a hash and a number.
func mixed(h, n uint64) uint64 {
	h = (h ^ n) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// pairOf returns a key of two numbers.
func pairOf(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

// results are results of two numbers that were made lately: those of other ones take their places. The zero value has none.
type results struct{ slots []result }

type result struct {
	key   uint64
	value uint32
}

// resultSlots is the number of results that are kept, a power of two.
const resultSlots = 1 << 14

func (r *results) slot(key uint64) *result {
	if r.slots == nil {
		r.slots = make([]result, resultSlots)
	}
	return &r.slots[mixed(0, key)>>(64-14)]
}

func (r *results) memory() int64 { return 16 * int64(len(r.slots)) }
