package index

// Tree is the shape of a tree over slices: each node has the same number of children.
type Tree struct{ Fanout uint64 }

// Smallest returns the smallest node that contains the slices a <= b: its level (at least 1) and its index among the
// nodes of that level.
func (t Tree) Smallest(a, b uint64) (level int, node uint64) {
	for {
		level, a, b = level+1, a/t.Fanout, b/t.Fanout
		if a == b {
			return level, a
		}
	}
}

// Ancestor returns the index of the node of a level that contains a slice.
func (t Tree) Ancestor(slice uint64, level int) uint64 {
	for range level {
		slice /= t.Fanout
	}
	return slice
}

// Width returns the number of slices below a node of a level; it saturates.
func (t Tree) Width(level int) uint64 {
	w := uint64(1)
	for range level {
		if w > (1<<62)/t.Fanout {
			return 1 << 62
		}
		w *= t.Fanout
	}
	return w
}

// Levels returns the level of the root over n slices: the lowest level at which one node contains all. At least 1.
func (t Tree) Levels(n uint64) int {
	if n == 0 {
		return 1
	}
	level, _ := t.Smallest(0, n-1)
	return level
}

// Child returns which child of the node contains a slice.
func (t Tree) Child(level int, node, slice uint64) int {
	below := t.Ancestor(slice, level-1)
	return int(below - node*t.Fanout)
}

// bucket returns the number of the place for items from child a to child b (a <= b) in a binary subdivision of the
// node's children: 1 for those that cross the middle, 2n and 2n+1 for those on the left and right of place n.
// So a reader that wants one child decodes the places on the way down to it, and no others.
func (t Tree) bucket(a, b int) int {
	n, low, high := 1, 0, int(t.Fanout)
	for high-low > 1 {
		middle := (low + high) / 2
		switch {
		case b < middle:
			n, high = 2*n, middle
		case a >= middle:
			n, low = 2*n+1, middle
		default:
			return n
		}
	}
	return n
}

// bucketSpan returns the children that a place of the subdivision covers, ok is false if there is no such place.
func (t Tree) bucketSpan(n uint64) (low, high int, ok bool) {
	if n < 1 || n >= maxPlaces {
		return 0, 0, false
	}
	low, high = 0, int(t.Fanout)
	top := uint64(1)
	for top*2 <= n {
		top *= 2
	}
	for bit := top / 2; bit > 0; bit /= 2 {
		if high-low < 2 {
			return 0, 0, false
		}
		middle := (low + high) / 2
		if n&bit == 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return low, high, true
}

// maxPlaces is above the numbers of the places of a node.
const maxPlaces = 1 << 20

// placeOf returns the place in a node of an item that has the slices first to last, 0 if the node does not contain it.
func (t Tree) placeOf(n Node, first, last uint64) int {
	if first > last || t.Ancestor(first, n.Level) != n.Index || t.Ancestor(last, n.Level) != n.Index {
		return 0
	}
	return t.bucket(t.Child(n.Level, n.Index, first), t.Child(n.Level, n.Index, last))
}
