package clog2

import (
	"math/bits"
	"math/rand/v2"
)

// maxLines bounds the number of lines of a file: each takes some hundred bytes.
const maxLines = 1 << 18

// lineTable numbers lines in the order in which they come.
type lineTable struct {
	keys   []lineKey
	counts []uint64  // records, by line
	slots  []int32   // of a hash table: number + 1, or 0
	shift  int       // 64 - log2(len(slots))
	latest [64]int32 // by rank: number of the line that was asked for last, if there is any
}

// spread is drawn anew by each process, so that no file can choose lines that all fall onto one place.
var spread = [3]uint64{rand.Uint64() | 1, rand.Uint64() | 1, rand.Uint64() | 1}

// find returns the number of a line, -1 if it is not there, and the slot where it stands or belongs.
func (t *lineTable) find(k lineKey) (line int32, slot int) {
	h := uint64(uint32(k.comm))*spread[0] + uint64(uint32(k.rank))*spread[1] + uint64(uint32(k.thread))*spread[2]
	for at := int(h * spread[0] >> t.shift); ; at++ {
		at &= len(t.slots) - 1
		n := t.slots[at] - 1
		if n < 0 || t.keys[n] == k {
			return n, at
		}
	}
}

// number returns the number of a line, which it gets if it is new.
func (t *lineTable) number(k lineKey) int32 {
	latest := &t.latest[uint32(k.rank)%uint32(len(t.latest))]
	if n := *latest; int(n) < len(t.keys) && t.keys[n] == k {
		return n
	}
	if 2*len(t.keys) >= len(t.slots) {
		t.grow()
	}
	n, slot := t.find(k)
	if n < 0 {
		n = int32(len(t.keys))
		t.keys, t.counts = append(t.keys, k), append(t.counts, 0)
		t.slots[slot] = n + 1
	}
	*latest = n
	return n
}

func (t *lineTable) grow() {
	size := max(16, 2*len(t.slots))
	t.slots, t.shift = make([]int32, size), 64-bits.Len(uint(size-1))
	for n, k := range t.keys {
		_, slot := t.find(k)
		t.slots[slot] = int32(n + 1)
	}
}

// forget empties the table.
func (t *lineTable) forget() {
	t.keys, t.counts = t.keys[:0], t.counts[:0]
	clear(t.slots)
}
