package align

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/analysis/calltree"
)

// tree is a call without sharing: what the oracles work on.
type tree struct {
	name   string
	inside []*tree
}

func (t *tree) size() int {
	n := 1
	for _, c := range t.inside {
		n += c.size()
	}
	return n
}

// node adds a tree to a forest.
func (t *tree) node(f *calltree.Forest) calltree.Node {
	var runs []calltree.Run
	for _, c := range t.inside {
		runs = append(runs, calltree.Run{Node: c.node(f), Count: 1})
	}
	return f.Add(f.Named(t.name), runs)
}

// events appends the enters and leaves of a tree.
func (t *tree) events(out []string) []string {
	out = append(out, "+"+t.name)
	for _, c := range t.inside {
		out = c.events(out)
	}
	return append(out, "-"+t.name)
}

// randomTree returns a tree of a number of calls with few names.
func randomTree(r *rand.Rand, calls int) *tree {
	t := &tree{name: string(rune('a' + r.IntN(3)))}
	for calls--; calls > 0; {
		part := 1 + r.IntN(calls)
		t.inside = append(t.inside, randomTree(r, part))
		calls -= part
	}
	return t
}

func rename(a, b *tree) int {
	if a.name != b.name {
		return 6
	}
	return 0
}

func sizes(list []*tree) (n int) {
	for _, t := range list {
		n += t.size()
	}
	return n
}

// bruteTree is the cost at level Tree by its definition: the last calls of both lists belong together, or one of them is lacking.
func bruteTree(a, b []*tree) int {
	if len(a) == 0 || len(b) == 0 {
		return 4 * (sizes(a) + sizes(b))
	}
	x, y := a[len(a)-1], b[len(b)-1]
	restA, restB := a[:len(a)-1], b[:len(b)-1]
	return min(
		bruteTree(restA, b)+4*x.size(),
		bruteTree(a, restB)+4*y.size(),
		bruteTree(restA, restB)+rename(x, y)+bruteTree(x.inside, y.inside))
}

// bruteWrap has the results of wrap, by pair of trees.
type bruteWrap map[[2]*tree][2]int

// trees is Zhang's constrained edit distance by its recursion, of two trees and of what is inside of them.
func (known bruteWrap) trees(x, y *tree) (whole, inside int) {
	if c, ok := known[[2]*tree{x, y}]; ok {
		return c[0], c[1]
	}
	defer func() { known[[2]*tree{x, y}] = [2]int{whole, inside} }()
	inside = known.lists(x.inside, y.inside)
	for _, c := range y.inside {
		_, in := known.trees(x, c)
		inside = min(inside, in+4*(y.size()-c.size()))
	}
	for _, c := range x.inside {
		_, in := known.trees(c, y)
		inside = min(inside, in+4*(x.size()-c.size()))
	}
	whole = inside + rename(x, y)
	for _, c := range y.inside {
		w, _ := known.trees(x, c)
		whole = min(whole, w+4*(y.size()-c.size()))
	}
	for _, c := range x.inside {
		w, _ := known.trees(c, y)
		whole = min(whole, w+4*(x.size()-c.size()))
	}
	return whole, inside
}

func (known bruteWrap) lists(a, b []*tree) int {
	if len(a) == 0 || len(b) == 0 {
		return 4 * (sizes(a) + sizes(b))
	}
	x, y := a[len(a)-1], b[len(b)-1]
	restA, restB := a[:len(a)-1], b[:len(b)-1]
	pairs, _ := known.trees(x, y)
	return min(known.lists(restA, b)+4*x.size(), known.lists(a, restB)+4*y.size(), known.lists(restA, restB)+pairs)
}

// fullTable is the least cost of two sequences of events (Needleman and Wunsch).
func fullTable(a, b []string) int {
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = 2 * j
	}
	for i, x := range a {
		row := make([]int, len(b)+1)
		row[0] = 2 * (i + 1)
		for j, y := range b {
			both := above[j]
			if x != y {
				both += 3
			}
			row[j+1] = min(both, above[j+1]+2, row[j]+2)
		}
		above = row
	}
	return above[len(b)]
}
