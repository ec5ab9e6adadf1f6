package trace

// Numbers gives ids numbers, from 0 in the order in which they come. Ids of most traces are small, so that a number is found at its id;
// the memory of these places is at most in proportion to the number of ids. The zero Numbers is empty.
type Numbers struct {
	dense  []uint32 // by id: number + 1, 0 if it has none here
	sparse map[uint64]uint32
	count  uint32
}

// leastPlaces is how large small ids may be while there are few.
const leastPlaces = 256

// Len returns how many ids have numbers.
func (n *Numbers) Len() int { return int(n.count) }

// Of returns the number of an id.
func (n *Numbers) Of(id uint64) (number uint32, ok bool) {
	if id < uint64(len(n.dense)) && n.dense[id] > 0 {
		return n.dense[id] - 1, true
	}
	if n.sparse == nil {
		return 0, false
	}
	number, ok = n.sparse[id]
	return number, ok
}

// Add gives the next number to an id that has none.
func (n *Numbers) Add(id uint64) (number uint32) {
	number = n.count
	n.count++
	if id >= 2*uint64(number)+leastPlaces {
		if n.sparse == nil {
			n.sparse = map[uint64]uint32{}
		}
		n.sparse[id] = number
		return number
	}
	if id >= uint64(len(n.dense)) {
		n.dense = append(n.dense, make([]uint32, int(id)+1-len(n.dense))...)
	}
	n.dense[id] = number + 1
	return number
}
