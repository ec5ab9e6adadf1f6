package calltree

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
)

// Name is the number of a name in a [Forest], or in [Names].
type Name uint32

// Node is the number of a call in a [Forest]. Calls of the same name that have the same calls inside of them, in the same order, have the
// same number.
type Node uint32

// Run is a number of equal calls, one after the other. Count is at least 1.
type Run struct {
	Node  Node
	Count uint64
}

// Forest holds the structure of calls, without their values: a call is a name and the calls directly inside of it, as runs. Each distinct
// call is kept once, so that the calls of many locations and of several traces are small beside each other, and calls of equal structure
// are recognised by their number. A location is a call of its own, whose name is empty.
//
// Numbers of calls saturate at 2^64-1. A Forest is not safe for concurrent use while calls are added.
type Forest struct {
	names   []string
	byName  map[string]Name
	calls   []call
	runs    []Run
	bags    []Surplus
	seed    maphash.Seed
	buckets map[uint64]Node // by hash: the latest call of it
	counts  []uint64        // by name: memory of bag
	seen    []Name          // names that counts has
}

// call is what the forest knows of a call. Calls refer to those that were added before them.
type call struct {
	name     Name
	runs     uint32 // number
	first    uint64 // place of the first in Forest.runs
	bag      uint64 // place of its first entry in Forest.bags
	names    uint32 // number of entries
	depth    uint32
	size     uint64
	sameHash Node // the call before in its bucket, itself if there is none
}

// Surplus is a number of calls of a name.
type Surplus struct {
	Name  Name
	Calls uint64
}

// NewForest returns a forest without calls. The name 0 is empty: that of locations.
func NewForest() *Forest {
	f := &Forest{byName: map[string]Name{}, seed: maphash.MakeSeed(), buckets: map[uint64]Node{}}
	f.Named("")
	return f
}

// Named returns the number of a name, which is added if it is new.
func (f *Forest) Named(name string) Name {
	n, ok := f.byName[name]
	if !ok {
		n = Name(len(f.names))
		f.names = append(f.names, name)
		f.byName[name] = n
		f.counts = append(f.counts, 0)
	}
	return n
}

// NameOf returns a name by its number.
func (f *Forest) NameOf(n Name) string { return f.names[n] }

// Names returns the number of names.
func (f *Forest) Names() int { return len(f.names) }

// Len returns the number of distinct calls.
func (f *Forest) Len() int { return len(f.calls) }

// Name returns the name of a call.
func (f *Forest) Name(n Node) Name { return f.calls[n].name }

// Runs returns the calls directly inside of a call, in order. Neighbouring runs are of different calls. The list must not be changed.
func (f *Forest) Runs(n Node) []Run {
	c := &f.calls[n]
	return f.runs[c.first : c.first+uint64(c.runs) : c.first+uint64(c.runs)]
}

// Size returns the number of calls: the call itself and all inside of it.
func (f *Forest) Size(n Node) uint64 { return f.calls[n].size }

// Depth returns the number of levels of a call: 1 for one without calls inside.
func (f *Forest) Depth(n Node) int { return int(f.calls[n].depth) }

// Bag returns how many calls of each name a call has, itself included, by rising name. The list must not be changed.
func (f *Forest) Bag(n Node) []Surplus {
	c := &f.calls[n]
	return f.bags[c.bag : c.bag+uint64(c.names) : c.bag+uint64(c.names)]
}

// Add returns the number of a call with calls inside of it, which are those of the forest. Neighbouring runs of the same call become one;
// the list is not kept.
func (f *Forest) Add(name Name, inside []Run) Node {
	inside = joined(inside)
	hash := f.hash(name, inside)
	before, ok := f.buckets[hash]
	for n := before; ok; n = f.calls[n].sameHash {
		if f.calls[n].name == name && slices.Equal(f.Runs(n), inside) {
			return n
		}
		if f.calls[n].sameHash == n {
			break
		}
	}
	n := Node(len(f.calls))
	c := call{name: name, runs: uint32(len(inside)), first: uint64(len(f.runs)), sameHash: n, size: 1, depth: 1}
	if ok {
		c.sameHash = before
	}
	for _, r := range inside {
		in := &f.calls[r.Node]
		c.size = plus(c.size, times(in.size, r.Count))
		c.depth = max(c.depth, in.depth+1)
	}
	c.bag = uint64(len(f.bags))
	f.runs = append(f.runs, inside...)
	f.appendBag(name, inside)
	c.names = uint32(uint64(len(f.bags)) - c.bag)
	f.calls = append(f.calls, c)
	f.buckets[hash] = n
	return n
}

// joined returns runs of which no neighbours are of the same call: the list itself if it is so.
func joined(runs []Run) []Run {
	twice := func(i int) bool { return runs[i].Node == runs[i-1].Node }
	for i := 1; i < len(runs); i++ {
		if !twice(i) {
			continue
		}
		out := slices.Clone(runs[:i])
		for _, r := range runs[i:] {
			if last := &out[len(out)-1]; last.Node == r.Node {
				last.Count = plus(last.Count, r.Count)
			} else {
				out = append(out, r)
			}
		}
		return out
	}
	return runs
}

// hash returns a hash of a call's content.
func (f *Forest) hash(name Name, inside []Run) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	maphash.WriteComparable(&h, name)
	for _, r := range inside {
		maphash.WriteComparable(&h, r)
	}
	return h.Sum64()
}

// appendBag appends the bag of a call that has some inside.
func (f *Forest) appendBag(name Name, inside []Run) {
	count := func(n Name, calls uint64) {
		if f.counts[n] == 0 {
			f.seen = append(f.seen, n)
		}
		f.counts[n] = plus(f.counts[n], calls)
	}
	count(name, 1)
	for _, r := range inside {
		for _, s := range f.Bag(r.Node) {
			count(s.Name, times(s.Calls, r.Count))
		}
	}
	slices.Sort(f.seen)
	for _, n := range f.seen {
		f.bags = append(f.bags, Surplus{n, f.counts[n]})
		f.counts[n] = 0
	}
	f.seen = f.seen[:0]
}

// plus adds, at most to 2^64-1.
func plus(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// times multiplies, at most to 2^64-1.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}
