package read

import (
	"hash/maphash"
)

// table is a hash table of numbers: open addressing, without pointers, at most three quarters full. Its user keeps the keys, by number, and
// hashes them with the seed, which no file can know.
type table struct {
	seed  maphash.Seed
	slots []uint32 // number + 1, 0 if there is none
	used  int
}

// leastSlots is the number of slots of a table that is not empty, at least.
const leastSlots = 16

// start returns the slot to begin with; those behind it follow.
func (t *table) start(hash uint64) int { return int(hash & uint64(len(t.slots)-1)) }

// next returns the slot behind one.
func (t *table) next(slot int) int { return (slot + 1) & (len(t.slots) - 1) }

// crowded reports whether the table must grow before another number is put into it.
func (t *table) crowded() bool { return 4*(t.used+1) > 3*len(t.slots) }

// grow empties the table and gives it twice the slots. All numbers must be put into it again.
func (t *table) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots, t.used = make([]uint32, max(leastSlots, 2*len(t.slots))), 0
}

// put puts a number that is not in the table into it.
func (t *table) put(hash uint64, number uint32) {
	slot := t.start(hash)
	for t.slots[slot] != 0 {
		slot = t.next(slot)
	}
	t.slots[slot] = number + 1
	t.used++
}
