package calltree

import (
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
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
// A call with more than 64 runs inside of it has a run of a group instead: a Node that is no call, but stands for the runs inside of it,
// some of which may be of groups again. What groups a list has depends on its calls alone, and mostly on their names: long lists that are
// equal but for some places have most of their groups in common. [Forest.Flat] returns the runs of calls.
//
// Numbers of calls saturate at 2^64-1. A Forest is not safe for concurrent use while calls are added.
type Forest struct {
	seed    uint64
	names   []string
	keys    []uint64 // of names
	byName  map[string]Name
	ends    map[string]Name // those of messages
	calls   pages[call]
	runs    []Run
	bags    []Surplus
	buckets buckets
	counts  []uint64 // by name: memory of bag
	seen    []Name   // names that counts has
	bare    bool     // calls have no bags
}

// call is what the forest knows of a call. Calls refer to those that were added before them.
type call struct {
	name    Name
	runs    uint32 // number
	first   uint64 // place of the first in Forest.runs
	bag     uint64 // place of its first entry in Forest.bags
	names   uint32 // number of entries
	depth   uint32
	size    uint64
	direct  uint64 // calls directly inside
	flat    uint64 // runs of these, at most
	key     uint64 // of the name, and for groups of the keys inside, counts left out
	content uint64 // of all that the call is
}

// Surplus is a number of calls of a name.
type Surplus struct {
	Name  Name
	Calls uint64
}

// NewForest returns a forest without calls. The name 0 is empty: that of locations.
func NewForest() *Forest {
	f := &Forest{seed: rand.Uint64(), byName: map[string]Name{}, ends: map[string]Name{}}
	f.Named("")
	return f
}

// NewBareForest returns a forest that keeps no bags: where calls have many names inside of them, these are half of its memory.
func NewBareForest() *Forest {
	f := NewForest()
	f.bare = true
	return f
}

// HasBags reports whether the forest keeps bags.
func (f *Forest) HasBags() bool { return !f.bare }

// Named returns the number of a name, which is added if it is new.
func (f *Forest) Named(name string) Name { return f.named(f.byName, name, keyOf(name)) }

// ofMessage returns the number of a message's name, which is not that of a region.
func (f *Forest) ofMessage(name string) Name {
	return f.named(f.ends, name, mixed(messageKey, keyOf(name)))
}

// messageKey makes the keys of messages others than those of regions.
const messageKey = 1

func (f *Forest) named(of map[string]Name, name string, key uint64) Name {
	n, ok := of[name]
	if !ok {
		n = Name(len(f.names))
		f.names = append(f.names, name)
		f.keys = append(f.keys, key)
		of[name] = n
		f.counts = append(f.counts, 0)
	}
	return n
}

// IsMessage reports whether a name is that of messages.
func (f *Forest) IsMessage(n Name) bool {
	number, ok := f.ends[f.names[n]]
	return ok && number == n
}

// NameOf returns a name by its number.
func (f *Forest) NameOf(n Name) string { return f.names[n] }

// Names returns the number of names.
func (f *Forest) Names() int { return len(f.names) }

// Len returns the number of distinct calls.
func (f *Forest) Len() int { return f.calls.n }

// groupName is what groups have for a name.
const groupName = math.MaxUint32

func (f *Forest) call(n Node) *call { return f.calls.at(uint32(n)) }

// IsGroup reports whether a number is that of a group.
func (f *Forest) IsGroup(n Node) bool { return f.call(n).name == groupName }

// Memory returns about how many bytes the forest takes.
func (f *Forest) Memory() int64 {
	return int64(f.calls.n)*(callBytes+bucketBytes) + runBytes*int64(len(f.runs)+len(f.bags)) + nameBytes*int64(len(f.names))
}

// What parts of a forest take, in bytes.
const (
	callBytes = 72
	nameBytes = 120
)

// Name returns the name of a call. Groups have none.
func (f *Forest) Name(n Node) Name { return f.call(n).name }

// Runs returns what is directly inside of a call, in order: calls, or a group of them. Neighbouring runs are different. The list must
// not be changed.
func (f *Forest) Runs(n Node) []Run {
	c := f.call(n)
	return f.runs[c.first : c.first+uint64(c.runs) : c.first+uint64(c.runs)]
}

// Size returns the number of calls: the call itself and all inside of it.
func (f *Forest) Size(n Node) uint64 { return f.call(n).size }

// Depth returns the number of levels of a call: 1 for one without calls inside.
func (f *Forest) Depth(n Node) int { return int(f.call(n).depth) }

// Deepest returns the largest number of levels of a call.
func (f *Forest) Deepest() (levels int) {
	for i := range f.calls.n {
		levels = max(levels, int(f.call(Node(i)).depth))
	}
	return levels
}

// Bag returns how many calls of each name a call has, itself included, by rising name. In a bare forest it is empty. The list must not be changed.
func (f *Forest) Bag(n Node) []Surplus {
	c := f.call(n)
	return f.bags[c.bag : c.bag+uint64(c.names) : c.bag+uint64(c.names)]
}

// Add returns the number of a call with calls inside of it, which are those of the forest. Neighbouring runs of the same call become one;
// the list is not kept.
func (f *Forest) Add(name Name, inside []Run) Node {
	var c content
	for _, r := range inside {
		f.pushRun(&c, r)
	}
	return f.close(name, &c)
}

// add returns the number of a call or group with runs inside of it, of which no neighbours are equal. The list is not kept.
func (f *Forest) add(name Name, inside []Run) Node {
	content, hash := f.hashes(name, inside)
	if n, ok := f.buckets.find(hash, func(n Node) bool { return f.call(n).name == name && slices.Equal(f.Runs(n), inside) }); ok {
		return n
	}
	n := Node(f.calls.n)
	c := call{name: name, runs: uint32(len(inside)), first: uint64(len(f.runs)), bag: uint64(len(f.bags)), content: content}
	if name != groupName {
		c.size, c.key = 1, f.keys[name]
	}
	for _, r := range inside {
		in := f.call(r.Node)
		c.size = shape.Plus(c.size, shape.Times(in.size, r.Count))
		c.depth = max(c.depth, in.depth)
		calls, runs := f.Direct([]Run{r})
		c.direct, c.flat = shape.Plus(c.direct, calls), shape.Plus(c.flat, runs)
		if name == groupName {
			c.key = mixed(c.key, in.key)
		}
	}
	if name != groupName {
		c.depth++
	}
	f.runs = append(f.runs, inside...)
	if !f.bare {
		f.appendBag(name, inside)
	}
	c.names = uint32(uint64(len(f.bags)) - c.bag)
	f.calls.add(c)
	f.buckets.put(hash, n)
	return n
}

// Direct returns how many calls a list has, and how many runs of calls, those in groups included. Both saturate at 2^64-1.
func (f *Forest) Direct(list []Run) (calls, runs uint64) {
	for _, r := range list {
		if c := f.call(r.Node); c.name == groupName {
			calls, runs = shape.Plus(calls, shape.Times(c.direct, r.Count)), shape.Plus(runs, shape.Times(c.flat, r.Count))
		} else {
			calls, runs = shape.Plus(calls, r.Count), shape.Plus(runs, 1)
		}
	}
	return calls, runs
}

// Flat returns the runs of calls directly inside of a call or a group, without groups; ok is false if they are more than a number.
func (f *Forest) Flat(n Node, most int) (runs []Run, ok bool) {
	return f.AppendFlat(nil, f.Runs(n), most)
}

// AppendFlat appends runs without groups; ok is false if that makes more than a number.
func (f *Forest) AppendFlat(dst, runs []Run, most int) (flat []Run, ok bool) {
	for _, r := range runs {
		if !f.IsGroup(r.Node) {
			dst = withRun(dst, r)
		} else {
			for range r.Count {
				if dst, ok = f.AppendFlat(dst, f.Runs(r.Node), most); !ok {
					return dst, false
				}
			}
		}
		if len(dst) > most {
			return dst, false
		}
	}
	return dst, true
}

// hashes returns two hashes of a call's content: one that is the same in each forest and process, and one whose seed nobody can guess, for
// buckets.
func (f *Forest) hashes(name Name, inside []Run) (content, bucket uint64) {
	content = groupName
	if name != groupName {
		content = f.keys[name]
	}
	bucket = mixed(f.seed, uint64(name))
	for _, r := range inside {
		content = mixed(mixed(content, f.call(r.Node).content), r.Count)
		bucket = mixed(bucket, uint64(r.Node)^bits.RotateLeft64(r.Count, 32))
	}
	return content, bucket
}

// keyOf returns the key of a name.
func keyOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return mixed(0, h.Sum64())
}

// mixed returns a hash of a hash and a number.
func mixed(h, n uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, n^0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(h, 23)
}

// appendBag appends the bag of a call that has some inside.
func (f *Forest) appendBag(name Name, inside []Run) {
	count := func(n Name, calls uint64) {
		if f.counts[n] == 0 {
			f.seen = append(f.seen, n)
		}
		f.counts[n] = shape.Plus(f.counts[n], calls)
	}
	if name != groupName {
		count(name, 1)
	}
	for _, r := range inside {
		for _, s := range f.Bag(r.Node) {
			count(s.Name, shape.Times(s.Calls, r.Count))
		}
	}
	slices.Sort(f.seen)
	for _, n := range f.seen {
		f.bags = append(f.bags, Surplus{n, f.counts[n]})
		f.counts[n] = 0
	}
	f.seen = f.seen[:0]
}
