package read

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// numbers gives small numbers to regions, and to what enters and their leaves agree in, in the order in which a reader meets
// them. It is safe for concurrent use.
type numbers struct {
	mu      sync.Mutex
	keys    map[callKey]CallNumber
	regions map[uint64]uint32
	ids     []uint64 // of regions, by number
	rank    []uint32 // of regions, by number: the place in the order of ids
}

// Numbering gives small numbers to keys, in the order in which a reader meets them. It is safe for concurrent use.
type Numbering[K comparable] struct {
	mu      sync.Mutex
	numbers map[K]uint32
	keys    []K // by number
}

func (n *Numbering[K]) Of(k K) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	number, ok := n.numbers[k]
	if !ok {
		if n.numbers == nil {
			n.numbers = map[K]uint32{}
		}
		number = uint32(len(n.keys))
		n.numbers[k], n.keys = number, append(n.keys, k)
	}
	return number
}

// All returns the keys by number.
func (n *Numbering[K]) All() []K {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.keys
}

// CallNumber is the number of a call's key, and that of its region.
type CallNumber struct{ Key, RegionNumber uint32 }

// region returns the number of a region.
func (n *numbers) region(id uint64) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.regionOf(id)
}

func (n *numbers) regionOf(id uint64) uint32 {
	number, ok := n.regions[id]
	if !ok {
		if n.regions == nil {
			n.regions, n.keys = map[uint64]uint32{}, map[callKey]CallNumber{}
		}
		number = uint32(len(n.ids))
		n.regions[id], n.ids = number, append(n.ids, id)
	}
	return number
}

// callKey is what an enter and its leave agree in.
type callKey struct {
	key     uint64
	context bool
}

// CallNumber returns the numbers of a spanning call.
func (r *File) CallNumber(d *trace.Definitions, c *index.Call) CallNumber {
	return r.Numbers.call(d, callKey{c.Key, c.Context})
}

// call returns the numbers of a key.
func (n *numbers) call(d *trace.Definitions, k callKey) CallNumber {
	n.mu.Lock()
	defer n.mu.Unlock()
	number, ok := n.keys[k]
	if !ok {
		region, _ := regionOf(d, k)
		number = CallNumber{RegionNumber: n.regionOf(region)}
		number.Key = uint32(len(n.keys))
		n.keys[k] = number
	}
	return number
}

// Ranks returns the regions by number, and of each its place in the order of ids.
func (n *numbers) Ranks() (ids []uint64, rank []uint32) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.rank) < len(n.ids) { // more may be appended, but what there is does not change
		n.rank = ranksOf(n.ids)
	}
	return n.ids, n.rank
}

func ranksOf(ids []uint64) (rank []uint32) {
	order := make([]uint32, len(ids))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(ids[a], ids[b]) })
	rank = make([]uint32, len(ids))
	for i, region := range order {
		rank[region] = uint32(i)
	}
	return rank
}
