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

// A cell is what items of a node are sorted by. Those that cross one border only, from the last slice of child m-1 to the first one of child m,
// are the *near* items of cell m. All others are *far* items, and have the cell fanout + n, with n the number of their place.

// cellOf returns the cell in a node of an item that has the slices first to last, 0 if the node does not contain it.
func (t Tree) cellOf(n Node, first, last uint64) uint64 {
	if first > last || t.Ancestor(first, n.Level) != n.Index || t.Ancestor(last, n.Level) != n.Index {
		return 0
	}
	from, to := t.Child(n.Level, n.Index, first), t.Child(n.Level, n.Index, last)
	if last == first+1 && to > from {
		return uint64(to)
	}
	return t.Fanout + uint64(t.bucket(from, to))
}

// cell returns which slices a cell covers, and the middle one. Ok is false if there is no such cell.
func (t Tree) cell(n Node, cell uint64) (low, middle, high uint64, ok bool) {
	width := t.Width(n.Level - 1)
	slice := func(child uint64) uint64 { return (n.Index*t.Fanout + child) * width }
	if cell > 0 && cell < t.Fanout {
		m := slice(cell)
		return m - 1, m, m + 1, true
	}
	from, to, ok := t.bucketSpan(cell - t.Fanout)
	return slice(uint64(from)), slice(uint64(from+to) / 2), slice(uint64(to)), ok && cell > t.Fanout
}

// cells returns the cells of a node that cover some of the slices first to last, in ascending order.
func (t Tree) cells(n Node, first, last uint64) (cells []uint64) {
	width := t.Width(n.Level - 1)
	begin := n.Index * t.Fanout * width
	if last < begin || first >= begin+t.Fanout*width {
		return nil
	}
	from, to := (max(first, begin)-begin)/width, min((last-begin)/width, t.Fanout-1)
	for m := max(from, 1); m < min(to+2, t.Fanout); m++ {
		if low, _, high, _ := t.cell(n, m); low <= last && first < high {
			cells = append(cells, m)
		}
	}
	return t.farCells(cells, from, to)
}

// farCells appends the cells of far items of the places that have some of the children from to to.
func (t Tree) farCells(cells []uint64, from, to uint64) []uint64 {
	type span struct{ place, low, high uint64 }
	for row := []span{{1, 0, t.Fanout}}; len(row) > 0; {
		var next []span
		for _, s := range row {
			if s.low > to || s.high <= from {
				continue
			}
			cells = append(cells, t.Fanout+s.place)
			if m := (s.low + s.high) / 2; s.high-s.low > 1 {
				next = append(next, span{2 * s.place, s.low, m}, span{2*s.place + 1, m, s.high})
			}
		}
		row = next
	}
	return cells
}
