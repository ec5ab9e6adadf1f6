package clog2

import (
	"math/bits"
	"math/rand/v2"
)

// maxLines bounds the number of lines of a file: each takes some hundred bytes.
const maxLines = 1 << 18

// lineTable numbers the lines of a file in the order in which they come.
type lineTable struct {
	keys   []lineKey
	counts []uint64 // records, by line
	slots  []int32  // of a hash table: number + 1, or 0
	latest int32    // number of the line that was counted last, if there is any
	shift  int      // 64 - log2(len(slots))
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

// count counts a record of a line, and returns the line's number; -1 if there are too many lines.
func (t *lineTable) count(k lineKey) int32 {
	if n := t.latest; int(n) < len(t.keys) && t.keys[n] == k {
		t.counts[n]++
		return n
	}
	if 2*len(t.keys) >= len(t.slots) {
		if len(t.keys) >= maxLines {
			return -1
		}
		t.grow()
	}
	n, slot := t.find(k)
	if n < 0 {
		n = int32(len(t.keys))
		t.keys, t.counts = append(t.keys, k), append(t.counts, 0)
		t.slots[slot] = n + 1
	}
	t.counts[n]++
	t.latest = n
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
