package calltree

// pairs is a map from pairs of a node and a name to a node: an open hash table, since each enter of a trace asks it. Keys are never 0.
type pairs struct {
	slots []pair
	used  int
	shift uint // of hashes, so that they are below the number of slots
}

type pair struct {
	key   uint64
	value uint32
}

// pairOf returns the key of a pair. The nodes of keys are at most 2^32-2.
func pairOf(node uint32, name Name) uint64 { return uint64(node+1)<<32 | uint64(name) }

// get returns the value of a key, 0 if there is none.
func (p *pairs) get(key uint64) uint32 {
	if p.used == 0 {
		return 0
	}
	for at := p.hash(key); ; at = (at + 1) & (len(p.slots) - 1) {
		switch s := &p.slots[at]; s.key {
		case key:
			return s.value
		case 0:
			return 0
		}
	}
}

func (p *pairs) hash(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> p.shift) }

// put adds a key that is not there.
func (p *pairs) put(key uint64, value uint32) {
	if 2*p.used >= len(p.slots) {
		old := p.slots
		n := max(64, 2*len(old))
		p.slots, p.used, p.shift = make([]pair, n), 0, 64
		for size := n; size > 1; size >>= 1 {
			p.shift--
		}
		for _, s := range old {
			if s.key != 0 {
				p.put(s.key, s.value)
			}
		}
	}
	at := p.hash(key)
	for p.slots[at].key != 0 {
		at = (at + 1) & (len(p.slots) - 1)
	}
	p.slots[at] = pair{key, value}
	p.used++
}
