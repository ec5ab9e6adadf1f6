package clog2

// Event ids from firstDense up to lastDense are looked up in a table.
const (
	firstDense = -64
	lastDense  = 8192
	// maxEvents bounds the number of other event ids that occur.
	maxEvents = 1 << 16
)

// eventNumbers numbers event ids in the order in which they occur.
type eventNumbers struct {
	ids    []int32
	dense  []int32 // number + 1, or 0
	sparse map[int32]int32
}

func newEventNumbers() *eventNumbers {
	return &eventNumbers{dense: make([]int32, lastDense-firstDense), sparse: map[int32]int32{}}
}

// find returns the number of an event id, -1 if it never occurred.
func (n *eventNumbers) find(id int32) int32 {
	if i := int64(id) - firstDense; uint64(i) < uint64(len(n.dense)) {
		return n.dense[i] - 1
	}
	return n.sparse[id] - 1
}

// note returns the number of an event id that occurs, -1 if there are too many.
func (n *eventNumbers) note(id int32) int32 {
	if number := n.find(id); number >= 0 {
		return number
	}
	if len(n.sparse) >= maxEvents {
		return -1
	}
	n.ids = append(n.ids, id)
	number := int32(len(n.ids))
	if i := int64(id) - firstDense; uint64(i) < uint64(len(n.dense)) {
		n.dense[i] = number
	} else {
		n.sparse[id] = number
	}
	return number - 1
}
