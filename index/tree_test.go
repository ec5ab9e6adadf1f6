package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveNode is a node of a tree that is really built: the naive side of the arithmetic.
type naiveNode struct {
	level       int
	index       uint64
	first, last uint64 // slices, both included
	children    []*naiveNode
}

// naiveTree builds the node of a level with an index, and all below.
func naiveTree(fanout uint64, level int, index uint64) *naiveNode {
	n := &naiveNode{level: level, index: index, first: index, last: index}
	if level == 0 {
		return n
	}
	for i := range fanout {
		n.children = append(n.children, naiveTree(fanout, level-1, index*fanout+i))
	}
	n.first, n.last = n.children[0].first, n.children[fanout-1].last
	return n
}

func (n *naiveNode) has(a, b uint64) bool { return n.first <= a && b <= n.last }

// smallest goes down as long as one child has both slices.
func (n *naiveNode) smallest(a, b uint64) *naiveNode {
	for _, c := range n.children {
		if c.level > 0 && c.has(a, b) {
			return c.smallest(a, b)
		}
	}
	return n
}

// ancestor goes down to the node of a level that has a slice.
func (n *naiveNode) ancestor(slice uint64, level int) *naiveNode {
	for _, c := range n.children {
		if n.level > level && c.has(slice, slice) {
			return c.ancestor(slice, level)
		}
	}
	return n
}

func TestTreeIsTheOneThatRecursionBuilds(t *testing.T) {
	for fanout, levels := range map[uint64]int{2: 5, 3: 4, 5: 3, 16: 2} {
		tree := Tree{Fanout: fanout}
		root := naiveTree(fanout, levels, 0)
		for a := range root.last + 1 {
			checkPath(t, tree, root, a)
			for b := a; b <= root.last; b++ {
				want := root.smallest(a, b)
				if level, node := tree.Smallest(a, b); level != want.level || node != want.index {
					t.Fatalf("fanout %d: slices %d to %d lie in node %d of level %d, want %d of level %d",
						fanout, a, b, node, level, want.index, want.level)
				}
			}
			if got, want := tree.Levels(a+1), root.smallest(0, a).level; got != want {
				t.Fatalf("fanout %d: %d levels over %d slices, want %d", fanout, got, a+1, want)
			}
		}
	}
	if got := (Tree{Fanout: 2}).Levels(0); got != 1 {
		t.Errorf("%d levels over nothing, want 1", got)
	}
}

// checkPath compares the way from the root to a slice.
func checkPath(t *testing.T, tree Tree, root *naiveNode, slice uint64) {
	t.Helper()
	for level := range root.level + 1 {
		n := root.ancestor(slice, level)
		if got := tree.Ancestor(slice, level); got != n.index {
			t.Fatalf("fanout %d: slice %d lies in node %d of level %d, want %d", tree.Fanout, slice, got, level, n.index)
		}
		if got, want := tree.Width(level), n.last-n.first+1; got != want {
			t.Fatalf("fanout %d: %d slices below level %d, want %d", tree.Fanout, got, level, want)
		}
		if level == 0 {
			continue
		}
		want := slices.IndexFunc(n.children, func(c *naiveNode) bool { return c.has(slice, slice) })
		if got := tree.Child(level, n.index, slice); got != want {
			t.Fatalf("fanout %d: slice %d lies in child %d of node %d of level %d, want %d", tree.Fanout, slice, got, n.index, level, want)
		}
	}
}

func TestWidthSaturates(t *testing.T) {
	for _, fanout := range []uint64{2, 16, 1<<16 - 1} {
		tree := Tree{Fanout: fanout}
		for level := range 100 {
			if a, b := tree.Width(level), tree.Width(level+1); b < a || b > 1<<62 || a < 1<<62/fanout && b != a*fanout {
				t.Fatalf("fanout %d: width %d of level %d, %d of the next", fanout, a, level, b)
			}
		}
	}
}

// naivePlaces lists the places of the subdivision of the children low <= c < high, by recursion.
func naivePlaces(number, low, high int, visit func(number, low, high int)) {
	visit(number, low, high)
	if high-low > 1 {
		middle := (low + high) / 2
		naivePlaces(2*number, low, middle, visit)
		naivePlaces(2*number+1, middle, high, visit)
	}
}

// An item lies in the smallest place that has it: the place covers both ends, and neither half of it does.
func TestBucketsDivideChildren(t *testing.T) {
	for fanout := 2; fanout <= 40; fanout++ {
		tree := Tree{Fanout: uint64(fanout)}
		spans := map[int][2]int{}
		naivePlaces(1, 0, fanout, func(number, low, high int) { spans[number] = [2]int{low, high} })
		for number := range 8 * fanout {
			low, high, ok := tree.bucketSpan(uint64(number))
			want, exists := spans[number]
			if ok != exists || ok && [2]int{low, high} != want {
				t.Fatalf("fanout %d: place %d covers %d to %d (%v), want %v (%v)", fanout, number, low, high, ok, want, exists)
			}
		}
		for a := range fanout {
			for b := a; b < fanout; b++ {
				p := tree.bucket(a, b)
				has := func(number int) bool {
					s, ok := spans[number]
					return ok && s[0] <= a && b < s[1]
				}
				if !has(p) || has(2*p) || has(2*p+1) {
					t.Fatalf("fanout %d: children %d to %d are put into place %d", fanout, a, b, p)
				}
			}
		}
	}
}

// drawNode draws a node with slices that a file can have.
func drawNode(r *rand.Rand, tree Tree) Node {
	n := Node{Level: 1 + r.IntN(3)}
	last := (maxSlices - 1) / tree.Width(n.Level)
	n.Index = min(r.Uint64N(5), last)
	if r.IntN(4) == 0 {
		n.Index = last
	}
	return n
}

// drawSpan draws two slices a <= b of a node.
func drawSpan(r *rand.Rand, tree Tree, n Node) (a, b uint64) {
	w := tree.Width(n.Level)
	a, b = n.Index*w+r.Uint64N(w), n.Index*w+r.Uint64N(w)
	if r.IntN(3) == 0 {
		b = a
	}
	return min(a, b), max(a, b)
}

func forTrees(t *testing.T, test func(t *testing.T, r *rand.Rand, tree Tree)) {
	for i, fanout := range []uint64{2, 3, 7, 16, 1000, 1<<16 - 1} {
		for seed := range uint64(20) {
			t.Run(fmt.Sprintf("fanout=%d,seed=%d", fanout, seed), func(t *testing.T) {
				test(t, rand.New(rand.NewPCG(seed, uint64(i))), Tree{Fanout: fanout})
			})
		}
	}
}
