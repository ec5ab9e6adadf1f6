package calltree

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plain is a call without sharing.
type plain struct {
	name   string
	inside []*plain
}

func drawPlain(t *rapid.T, calls int) *plain {
	p := &plain{name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")}
	for calls--; calls > 0; {
		part := rapid.IntRange(1, calls).Draw(t, "part")
		p.inside = append(p.inside, drawPlain(t, part))
		calls -= part
	}
	return p
}

func (p *plain) node(f *Forest) Node {
	var runs []Run
	for _, c := range p.inside {
		runs = append(runs, Run{c.node(f), 1})
	}
	return f.Add(f.Named(p.name), runs)
}

// text writes a call down: calls are equal if their texts are.
func (p *plain) text() string {
	s := p.name + "("
	for _, c := range p.inside {
		s += c.text()
	}
	return s + ")"
}

func (p *plain) count(bag map[string]uint64) (size uint64, depth int) {
	bag[p.name]++
	size = 1
	for _, c := range p.inside {
		n, d := c.count(bag)
		size, depth = size+n, max(depth, d)
	}
	return size, depth + 1
}

// written writes down a call of a forest.
func (f *Forest) written(n Node) string {
	s := f.NameOf(f.Name(n)) + "("
	runs, _ := f.Flat(n, math.MaxInt)
	for _, r := range runs {
		for range r.Count {
			s += f.written(r.Node)
		}
	}
	return s + ")"
}

func TestForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewForest()
		byText := map[string]Node{}
		for range rapid.IntRange(1, 20).Draw(t, "trees") {
			p := drawPlain(t, rapid.IntRange(1, 12).Draw(t, "calls"))
			n := p.node(f)
			if got := f.written(n); got != p.text() {
				t.Fatalf("%s became %s", p.text(), got)
			}
			if before, ok := byText[p.text()]; ok && before != n {
				t.Fatalf("%s has the numbers %d and %d", p.text(), before, n)
			}
			byText[p.text()] = n
			bag := map[string]uint64{}
			size, depth := p.count(bag)
			if f.Size(n) != size || f.Depth(n) != depth || len(f.Bag(n)) != len(bag) {
				t.Fatalf("%s: size %d, depth %d, bag %v", p.text(), f.Size(n), f.Depth(n), f.Bag(n))
			}
			for _, s := range f.Bag(n) {
				if s.Calls != bag[f.NameOf(s.Name)] {
					t.Fatalf("%s has %d calls of %s, not %d", p.text(), bag[f.NameOf(s.Name)], f.NameOf(s.Name), s.Calls)
				}
			}
			if !slices.IsSortedFunc(f.Bag(n), func(a, b Surplus) int { return int(a.Name) - int(b.Name) }) {
				t.Fatalf("bag %v is not in order", f.Bag(n))
			}
		}
		for text, n := range byText {
			for other, m := range byText {
				if (n == m) != (text == other) {
					t.Fatalf("%s and %s have the numbers %d and %d", text, other, n, m)
				}
			}
		}
	})
}

// Neighbouring runs of one call are one run, and numbers of calls saturate.
func TestForestCounts(t *testing.T) {
	f := NewForest()
	leaf := f.Add(f.Named("leaf"), nil)
	a := f.Add(f.Named("f"), []Run{{leaf, 2}, {leaf, 3}})
	if b := f.Add(f.Named("f"), []Run{{leaf, 5}}); a != b || !slices.Equal(f.Runs(a), []Run{{leaf, 5}}) {
		t.Errorf("%d and %d, %v", a, b, f.Runs(a))
	}
	n := leaf
	for range 10 {
		n = f.Add(f.Named("f"), []Run{{n, 1 << 20}, {leaf, 1}})
	}
	if f.Size(n) != math.MaxUint64 || f.Bag(n)[0].Calls != math.MaxUint64 {
		t.Errorf("%d calls, %v", f.Size(n), f.Bag(n))
	}
}
