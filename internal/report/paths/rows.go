// Package paths lays out call trees: tables of which each row stands behind its parent, the lines before the names of a tree in text, and
// trees for the formats of package stacks.
package paths

import (
	"cmp"
	"slices"
)

// Row is a row of a tree.
type Row interface {
	// Place returns the number of the row's path and that of its parent, -1 for outermost ones.
	Place() (path, parent int)
}

// Without returns the rows without some of them, and without what is below these. Rows must follow their parents.
func Without[R Row](rows []R, which func(R) bool) (left []R) {
	gone := map[int]bool{}
	for i := range rows {
		path, parent := rows[i].Place()
		if gone[path] = gone[parent] || which(rows[i]); !gone[path] {
			left = append(left, rows[i])
		}
	}
	return left
}

// InTree puts each row behind its parent. Those of one parent keep their order.
func InTree[R Row](rows []R) []R {
	below := map[int][]R{}
	for _, r := range rows {
		_, parent := r.Place()
		below[parent] = append(below[parent], r)
	}
	stack := slices.Clone(below[-1])
	slices.Reverse(stack)
	inTree := make([]R, 0, len(rows))
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		inTree, stack = append(inTree, r), stack[:len(stack)-1]
		path, _ := r.Place()
		for _, child := range slices.Backward(below[path]) {
			stack = append(stack, child)
		}
	}
	return inTree
}

// Largest returns the n largest rows in the order in which they stand. None may be larger than its parent, which has the smaller number:
// then they are a tree.
func Largest[R Row](rows []R, n int, compare func(a, b R) int) (largest []R) {
	if n >= len(rows) {
		return rows
	}
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, _ := rows[a].Place()
		y, _ := rows[b].Place()
		return cmp.Or(compare(rows[b], rows[a]), cmp.Compare(x, y))
	})
	slices.Sort(order[:n])
	for _, i := range order[:n] {
		largest = append(largest, rows[i])
	}
	return largest
}

// Lines draws what stands before the names of a tree, in which rows follow their parents.
func Lines[R Row](rows []R) []string {
	last := make([]bool, len(rows)) // the last one of its parent
	at := map[int]int{}             // of the last child so far, by parent
	for i, r := range rows {
		_, parent := r.Place()
		if before, ok := at[parent]; ok {
			last[before] = false
		}
		at[parent], last[i] = i, true
	}
	lines := make([]string, len(rows))
	below := map[int]string{} // what stands before the children of a path
	for i, r := range rows {
		path, parent := r.Place()
		switch before := below[parent]; {
		case parent < 0:
		case last[i]:
			lines[i], below[path] = before+"└─ ", before+"   "
		default:
			lines[i], below[path] = before+"├─ ", before+"│  "
		}
	}
	return lines
}
