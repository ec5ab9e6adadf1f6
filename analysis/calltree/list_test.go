package calltree

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawContent draws a content that is put together in some way, and its runs one by one.
func drawContent(t *rapid.T, f *Forest, leaves []Node, depth int) (*content, []Run) {
	c, flat := &content{}, []Run{}
	for range rapid.IntRange(1, 12).Draw(t, "parts") {
		switch rapid.IntRange(0, 3).Draw(t, "part") {
		case 0:
			r := Run{rapid.SampledFrom(leaves).Draw(t, "leaf"), rapid.Uint64Range(1, 3).Draw(t, "count")}
			f.pushRun(c, r)
			flat = withRun(flat, r)
		case 1:
			if depth > 0 {
				d, runs := drawContent(t, f, leaves, depth-1)
				f.append(c, d)
				for _, r := range runs {
					flat = withRun(flat, r)
				}
			}
		default:
			if depth > 0 && len(flat) < 3000 {
				d, runs := drawContent(t, f, leaves, depth-1)
				n := rapid.Uint64Range(1, 40).Draw(t, "times")
				f.appendTimes(c, d, n)
				for range n {
					for _, r := range runs {
						flat = withRun(flat, r)
					}
				}
			}
		}
	}
	return c, flat
}

// However a list is put together, it becomes the same call; the groups of long lists say what is in them.
func TestListIsCanonical(t *testing.T) {
	long := 0
	rapid.Check(t, func(t *rapid.T) {
		f := NewForest()
		var leaves []Node
		for _, name := range []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "names")] {
			leaf := f.Add(f.Named(name), nil)
			leaves = append(leaves, leaf, f.Add(f.Named(name), []Run{{leaf, 2}}))
		}
		c, flat := drawContent(t, f, leaves, 3)
		n := f.close(f.Named("root"), c)
		if m := f.Add(f.Named("root"), flat); n != m {
			t.Fatalf("%d runs became two calls: %v and %v", len(flat), f.Runs(n), f.Runs(m))
		}
		got, ok := f.Flat(n, len(flat))
		if !ok || !slices.Equal(got, flat) {
			t.Fatalf("%v became %v", flat, got)
		}
		if _, ok := f.Flat(n, len(flat)-1); ok && len(flat) > 0 {
			t.Fatalf("%d runs are at most %d", len(flat), len(flat)-1)
		}
		if len(flat) > shortList {
			long++
			if r := f.Runs(n); len(r) != 1 || !f.IsGroup(r[0].Node) {
				t.Fatalf("a list of %d runs is %v", len(flat), r)
			}
		}
	})
	if long < 10 {
		t.Errorf("only %d lists were long", long)
	}
}

// A change in a long list changes few of its groups.
func TestGroupsAreShared(t *testing.T) {
	f := NewForest()
	var leaves []Node
	for i := range 40 {
		leaves = append(leaves, f.Add(f.Named(string(rune('A'+i))), nil))
	}
	var list []Run
	for i, x := 0, uint64(1); i < 100_000; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		list = append(list, Run{leaves[x>>33%40], 1})
	}
	f.Add(f.Named("f"), list)
	before := f.Len()
	list[50_000].Count = 7
	list = slices.Insert(list, 70_000, list[10:20]...)
	f.Add(f.Named("f"), list)
	if more := f.Len() - before; more > 200 {
		t.Errorf("two changes in %d runs made %d new groups of %d", len(list), more, before)
	}
}

// Powers take the time of their logarithm, as long as they are.
func TestLongPowers(t *testing.T) {
	f := NewForest()
	a, b := f.Add(f.Named("a"), nil), f.Add(f.Named("b"), nil)
	c, d := &content{}, &content{short: []Run{{a, 1}, {b, 2}}}
	f.appendTimes(c, d, 1<<40)
	n := f.close(f.Named("f"), c)
	if f.Size(n) != 3<<40+1 || f.Len() > 200 {
		t.Errorf("%d calls, %d numbers", f.Size(n), f.Len())
	}
	c, d = &content{}, &content{short: []Run{{a, 1}, {b, 2}, {a, 1}, {b, 2}}}
	f.appendTimes(c, d, 1<<39)
	if m := f.close(f.Named("f"), c); m != n {
		t.Errorf("%d and %d", n, m)
	}
}
