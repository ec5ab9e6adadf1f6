package align

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/calltree"
)

// pairs calls a test with many random pairs of trees.
func pairs(t *testing.T, calls int, test func(t *testing.T, a, b *tree)) {
	t.Helper()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := randomTree(r, 1+r.IntN(calls)), randomTree(r, 1+r.IntN(calls))
		if r.IntN(3) == 0 {
			b = changed(r, a)
		}
		if test(t, a, b); t.Failed() {
			t.Fatalf("seed %d: %v and %v", seed, a.events(nil), b.events(nil))
		}
	}
}

// changed returns a tree with a change somewhere.
func changed(r *rand.Rand, t *tree) *tree {
	c := &tree{name: t.name, inside: append([]*tree(nil), t.inside...)}
	switch n := len(c.inside); {
	case n > 0 && r.IntN(4) > 0:
		i := r.IntN(n)
		c.inside[i] = changed(r, c.inside[i])
	case n > 0 && r.IntN(2) == 0:
		i := r.IntN(n)
		c.inside = append(c.inside[:i:i], c.inside[i+1:]...)
	case r.IntN(2) == 0:
		c.name = "x"
	default:
		c.inside = []*tree{{name: "y", inside: c.inside}}
	}
	return c
}

// costOf aligns two trees at a level, and checks what holds for each alignment.
func costOf(t *testing.T, level Level, a, b *tree) uint64 {
	t.Helper()
	f := calltree.NewForest()
	x, y := a.node(f), b.node(f)
	s := New(f, Options{Level: level})
	c, err := s.Cost(context.Background(), x, y)
	if err != nil || !c.Proven() {
		t.Errorf("level %d: %v, %v", level, c, err)
	}
	back, err := New(f, Options{Level: level}).Cost(context.Background(), y, x)
	if back != c && level != Names {
		t.Errorf("level %d: %v there, %v back, %v", level, c, back, err)
	}
	segments, err := s.Segments(context.Background(), x, y, 0)
	if err != nil {
		t.Error(err)
	}
	checkSegments(t, segments, c.High, a.events(nil), b.events(nil))
	const few = 4
	if len(segments) > few {
		segments, err = s.Segments(context.Background(), x, y, few)
		checkSegments(t, segments, CostOf(segments), a.events(nil), b.events(nil))
		if err != nil || len(segments) > few || CostOf(segments) < c.High {
			t.Errorf("%d segments of cost %d, %v; at most %d were asked for, of cost %d or more", len(segments), CostOf(segments), err, few, c.High)
		}
	}
	return c.High
}

// checkSegments holds segments against the events of both sides: they cover both once, in order, are what they say, and cost what was found.
func checkSegments(t *testing.T, list []Segment, cost uint64, a, b []string) {
	t.Helper()
	var i, j, sum uint64
	for n, s := range list {
		if s.A != i || s.B != j || s.Events == 0 || n > 0 && list[n-1].State == s.State {
			t.Errorf("segment %d is %v, at events %d and %d", n, s, i, j)
			return
		}
		for range s.Events {
			switch {
			case s.State != OnlyB && i >= uint64(len(a)) || s.State != OnlyA && j >= uint64(len(b)):
				t.Errorf("segment %d, %v, has more events than there are", n, s)
				return
			case (s.State == Equal || s.State == Different) && (a[i] == b[j]) != (s.State == Equal):
				t.Errorf("segment %d, %v: %s and %s", n, s, a[i], b[j])
			}
			switch s.State {
			case Different:
				sum += 3
			case OnlyA, OnlyB:
				sum += 2
			}
			if s.State != OnlyB {
				i++
			}
			if s.State != OnlyA {
				j++
			}
		}
	}
	if i != uint64(len(a)) || j != uint64(len(b)) || sum != cost {
		t.Errorf("segments end at %d of %d and %d of %d events, and cost %d, not %d", i, len(a), j, len(b), sum, cost)
	}
}

func TestTreeByBruteForce(t *testing.T) {
	pairs(t, 8, func(t *testing.T, a, b *tree) {
		if got, want := costOf(t, Tree, a, b), rename(a, b)+bruteTree(a.inside, b.inside); got != uint64(want) {
			t.Errorf("%d, by brute force %d", got, want)
		}
	})
}

func TestWrapByBruteForce(t *testing.T) {
	pairs(t, 7, func(t *testing.T, a, b *tree) {
		want, _ := bruteWrap{}.trees(a, b)
		if got := costOf(t, Wrap, a, b); got != uint64(want) {
			t.Errorf("%d, by brute force %d", got, want)
		}
	})
}

func TestFlatByFullTable(t *testing.T) {
	pairs(t, 16, func(t *testing.T, a, b *tree) {
		if got, want := costOf(t, Flat, a, b), fullTable(a.events(nil), b.events(nil)); got != uint64(want) {
			t.Errorf("%d, by the full table %d", got, want)
		}
	})
}

// Each level considers all alignments of the one before, and none costs less than the bound.
func TestLevels(t *testing.T) {
	pairs(t, 14, func(t *testing.T, a, b *tree) {
		flat, wrap, tree, names := costOf(t, Flat, a, b), costOf(t, Wrap, a, b), costOf(t, Tree, a, b), costOf(t, Names, a, b)
		f := calltree.NewForest()
		bound := New(f, Options{}).bound(a.node(f), b.node(f))
		if bound > flat || flat > wrap || wrap > tree || tree > names {
			t.Errorf("bound %d, flat %d, wrap %d, tree %d, names %d", bound, flat, wrap, tree, names)
		}
	})
}

// A change costs at most what it was made of: a renamed call, or one that came or went.
func TestPlantedChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		a := randomTree(r, rapid.IntRange(2, 200).Draw(t, "calls"))
		f := calltree.NewForest()
		b := &tree{name: a.name, inside: append([]*tree(nil), a.inside...)}
		i := r.IntN(len(b.inside))
		planted := 4 * uint64(b.inside[i].size())
		b.inside = append(b.inside[:i:i], b.inside[i+1:]...)
		c, err := New(f, Options{Level: Tree}).Cost(context.Background(), a.node(f), b.node(f))
		if err != nil || c.High > planted {
			t.Fatalf("%v, %v, planted %d", c, err, planted)
		}
	})
}

func TestTriangle(t *testing.T) {
	for _, level := range []Level{Tree, Wrap, Flat} {
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 3))
			f := calltree.NewForest()
			var n [3]calltree.Node
			for i := range n {
				n[i] = randomTree(r, 1+r.IntN(12)).node(f)
			}
			s := New(f, Options{Level: level})
			cost := func(x, y calltree.Node) uint64 {
				c, err := s.Cost(context.Background(), x, y)
				if err != nil {
					t.Fatal(err)
				}
				return c.High
			}
			if cost(n[0], n[2]) > cost(n[0], n[1])+cost(n[1], n[2]) {
				t.Errorf("level %d, seed %d: the way over a third is shorter", level, seed)
			}
		}
	}
}

// Where tables would be too large, the cost lies in the interval that is given, and the segments cost its upper end.
func TestIntervals(t *testing.T) {
	proven := 0
	pairs(t, 25, func(t *testing.T, a, b *tree) {
		f := calltree.NewForest()
		x, y := a.node(f), b.node(f)
		want, err := New(f, Options{Level: Tree}).Cost(t.Context(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{Level: Tree, Cells: 1}, {Level: Tree, Cells: 6}, {Level: Tree, Memory: 3 * pairBytes}} {
			s := New(f, opt)
			c, err := s.Cost(t.Context(), x, y)
			if err != nil || c.Low > want.Low || c.High < want.High {
				t.Errorf("%+v: %v, %v, in fact %v", opt, c, err, want)
			}
			if c.Proven() {
				proven++
			}
		}
	})
	if proven == 0 {
		t.Error("no cost was proven")
	}
}

// Counted calls are aligned without being told one by one.
func TestCounts(t *testing.T) {
	f := calltree.NewForest()
	leaf, other := f.Add(f.Named("leaf"), nil), f.Add(f.Named("other"), nil)
	list := func(n, m uint64) calltree.Node {
		return f.Add(f.Named(""), []calltree.Run{{Node: leaf, Count: n}, {Node: other, Count: 1}, {Node: leaf, Count: m}})
	}
	s := New(f, Options{Level: Tree})
	a, b := list(1<<60, 5), list(1<<60-7, 5)
	c, err := s.Cost(t.Context(), a, b)
	if err != nil || !c.Proven() || c.High != 28 {
		t.Errorf("%v, %v", c, err)
	}
	segments, err := s.Segments(t.Context(), a, b, 0)
	if err != nil || len(segments) != 3 {
		t.Errorf("%v, %v", segments, err)
	}
	huge := f.Add(f.Named(""), []calltree.Run{{Node: list(math.MaxUint64, 1), Count: math.MaxUint64}})
	if c, err = s.Cost(t.Context(), huge, b); err != nil || c.Low > c.High {
		t.Errorf("%v, %v", c, err)
	}
}

func TestDeepCalls(t *testing.T) {
	const depth = 100_000
	f := calltree.NewForest()
	chain := func(name string, depth int) calltree.Node {
		n := f.Add(f.Named(name), nil)
		for range depth {
			n = f.Add(f.Named("f"), []calltree.Run{{Node: n, Count: 1}})
		}
		return n
	}
	a, b := chain("a", depth), chain("b", depth)
	s := New(f, Options{Level: Tree})
	if c, err := s.Cost(t.Context(), a, b); err != nil || c != exactly(6) {
		t.Errorf("%v, %v", c, err)
	}
	segments, err := s.Segments(t.Context(), a, b, 0)
	if err != nil || fmt.Sprint(segments) != fmt.Sprintf("[{0 0 %d equal} {%[1]d %[1]d 2 different} {%d %[2]d %[1]d equal}]", depth, depth+2) {
		t.Errorf("%v, %v", segments, err)
	}
}

func TestCancelled(t *testing.T) {
	f := calltree.NewForest()
	r := rand.New(rand.NewPCG(1, 4))
	a, b := randomTree(r, 3000).node(f), randomTree(r, 3000).node(f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, level := range []Level{Names, Tree, Wrap, Flat} {
		if _, err := New(f, Options{Level: level}).Cost(ctx, a, b); !errors.Is(err, context.Canceled) {
			t.Errorf("level %d: %v", level, err)
		}
	}
}

// wide returns a tree with many calls in one list, and the same with some edits.
func wide(r *rand.Rand) (a, b *tree) {
	a = &tree{name: "r"}
	for n := 65 + r.IntN(300); len(a.inside) < n; {
		part := randomTree(r, 1+r.IntN(4))
		for range 1 + r.IntN(2)*r.IntN(20) {
			a.inside = append(a.inside, part)
		}
	}
	b = &tree{name: "r"}
	for _, c := range a.inside {
		switch r.IntN(40) {
		case 0:
		case 1:
			b.inside = append(b.inside, c, randomTree(r, 3))
		case 2:
			b.inside = append(b.inside, changed(r, c))
		default:
			b.inside = append(b.inside, c)
		}
	}
	return a, b
}

// Where calls are too long for the memory, level Flat has an interval with the optimum in it for their cost, and segments that cost no less; both are
// no worse than at level Wrap. With the usual memory, both are the optimum.
func TestTooLong(t *testing.T) {
	for seed := range uint64(20) {
		a, b := wide(rand.New(rand.NewPCG(seed, 2)))
		f := calltree.NewForest()
		x, y := a.node(f), b.node(f)
		if x == y {
			continue
		}
		best := costOf(t, Flat, a, b)
		for _, memory := range []int64{0, 16, 4000} {
			s := New(f, Options{Level: Flat, Memory: memory})
			c, err := s.Cost(t.Context(), x, y)
			if err != nil || c.Low > best || c.High < best {
				t.Fatalf("seed %d, %d bytes: %v for %d, %v", seed, memory, c, best, err)
			}
			segments, err := s.Segments(t.Context(), x, y, 0)
			if err != nil {
				t.Fatal(err)
			}
			checkSegments(t, segments, CostOf(segments), a.events(nil), b.events(nil))
			wrapped, err := New(f, Options{Level: Wrap, Memory: memory}).Cost(t.Context(), x, y)
			if cost := CostOf(segments); err != nil || cost < best || cost > wrapped.High || c.High > wrapped.High || memory == 0 && cost != best {
				t.Errorf("seed %d, %d bytes: segments cost %d, the cost is %v, %d at best, %v with nesting, %v", seed, memory, cost, c, best, wrapped, err)
			}
		}
	}
}

// Lists that are too long for a table get an interval that has the optimum in it, and segments that cost its upper end. Planted edits are found:
// most lists are within a few percent of the optimum.
func TestLongLists(t *testing.T) {
	var high, optimum uint64
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		a, b := wide(r)
		best := costOf(t, Tree, a, b)
		for _, cells := range []uint64{1, 16, 400, 40000} {
			f := calltree.NewForest()
			x, y := a.node(f), b.node(f)
			s := New(f, Options{Level: Tree, Cells: cells})
			c, err := s.Cost(t.Context(), x, y)
			if err != nil || c.Low > best || c.High < best {
				t.Fatalf("seed %d, %d cells: %v for %d, %v", seed, cells, c, best, err)
			}
			segments, err := s.Segments(t.Context(), x, y, 0)
			if err != nil {
				t.Fatal(err)
			}
			checkSegments(t, segments, c.High, a.events(nil), b.events(nil))
			if back, err := New(f, Options{Level: Tree, Cells: cells}).Cost(t.Context(), y, x); err != nil || back != c {
				t.Fatalf("seed %d: %v there, %v back, %v", seed, c, back, err)
			}
			if cells == 40000 {
				high, optimum = high+c.High, optimum+best
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("with 40000 cells: %d for %d", high, optimum)
	if float64(high) > 1.02*float64(optimum) {
		t.Errorf("with 40000 cells, costs are %d in all, the least %d", high, optimum)
	}
}
