package otf

import "math/bits"

// lookup is a hash table from numbers to numbers, with linear probing, at most half full.
type lookup struct {
	slots []struct{ key, value, used uint32 }
	shift uint8
}

// newLookup makes a table with room for n keys.
func newLookup(n int) *lookup {
	size := uint8(bits.Len(uint(2*n + 1)))
	return &lookup{slots: make([]struct{ key, value, used uint32 }, 1<<size), shift: 32 - min(size, 32)}
}

func (l *lookup) slot(key uint32) int {
	i := int(key * 0x9e3779b1 >> l.shift)
	for l.slots[i].used != 0 && l.slots[i].key != key {
		i = (i + 1) & (len(l.slots) - 1)
	}
	return i
}

// add gives a key its value; the first one counts.
func (l *lookup) add(key, value uint32) {
	if s := &l.slots[l.slot(key)]; s.used == 0 {
		s.key, s.value, s.used = key, value, 1
	}
}

// find returns the value of a key. A nil table has none.
func (l *lookup) find(key uint32) (value uint32, ok bool) {
	if l == nil {
		return 0, false
	}
	s := &l.slots[l.slot(key)]
	return s.value, s.used != 0
}
