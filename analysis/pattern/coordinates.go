package pattern

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace/topology"
)

// layout is where all ranks are on a Cartesian topology of the trace.
type layout struct {
	topology *topology.Topology
	sizes    []int
	at       [][]int64 // coordinates by rank
	number   []int     // by rank: its place if the first coordinate runs fastest
	rank     []int     // by number
}

// mostAxes is the largest number of dimensions of a topology that is looked at: it bounds the codes of steps.
const mostAxes = 16

// newLayout returns where ranks are on the first topology that has each of them, at a place of its own, and no other place; nil if there is none.
func newLayout(f *Finder) *layout {
	for _, t := range topology.Of(f.definitions) {
		if l, ok := f.layOut(&t); ok {
			return l
		}
	}
	return nil
}

func (f *Finder) layOut(t *topology.Topology) (l *layout, ok bool) {
	l = &layout{topology: t, at: make([][]int64, f.n), number: make([]int, f.n), rank: make([]int, f.n)}
	all := int64(1)
	for _, d := range t.Dimensions {
		if d.Size < 1 || d.Size > int64(f.n) || all > int64(f.n) {
			return nil, false
		}
		all *= d.Size
		l.sizes = append(l.sizes, int(d.Size))
	}
	if n := len(l.sizes); n == 0 || n > mostAxes || f.n < 2 || all != int64(f.n) {
		return nil, false
	}
	places := t.Places(f.definitions)
	for location, rank := range f.ranks {
		if l.at[rank], ok = places.At(location); !ok {
			return nil, false
		}
	}
	taken := make([]bool, f.n)
	for rank, at := range l.at {
		number, stride := 0, 1
		for d, n := range l.sizes {
			if at == nil || at[d] < 0 || at[d] >= int64(n) {
				return nil, false
			}
			number, stride = number+int(at[d])*stride, stride*n
		}
		if taken[number] {
			return nil, false
		}
		taken[number], l.number[rank], l.rank[number] = true, number, rank
	}
	return l, true
}

// classify returns the grid or torus that the traffic makes on the topology, with diagonals or without; ok is false if it is neither.
func (l *layout) classify(of *Traffic) (p Pattern, ok bool) {
	if l == nil || len(of.Pairs) == 0 {
		return p, false
	}
	there := &Traffic{Ranks: of.Ranks, Pairs: slices.Clone(of.Pairs)}
	for i := range there.Pairs {
		p := &there.Pairs[i]
		p.From, p.To = l.number[p.From], l.number[p.To]
	}
	slices.SortFunc(there.Pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	t := count(there)
	for _, corners := range []bool{false, true} {
		c := gridOf(t, l.sizes)
		if corners {
			c.Corners, c.has = true, (&grid{c.Sizes, c.Wraps}).near
		}
		if c.explain(t); c.Messages >= enoughShare && c.used(t) >= usedShare {
			c.Topology = l.topology
			return c.Pattern, true
		}
	}
	return p, false
}

// shift returns a number for the way from a rank to another one: how far it is along the topology, if there is one, else the difference of the ranks.
func (l *layout) shift(from, to int) int {
	if l == nil {
		return to - from
	}
	code, stride := 0, 1
	for d, n := range l.topology.Step(l.at[from], l.at[to]) {
		code, stride = code+(int(n)+l.sizes[d])*stride, stride*2*l.sizes[d]
	}
	return code
}

// way returns what a number of shift stands for.
func (l *layout) way(code int) (shift int, step []int64) {
	if l == nil {
		return code, nil
	}
	for _, n := range l.sizes {
		step = append(step, int64(code%(2*n)-n))
		code /= 2 * n
	}
	return 0, step
}

// place returns the rank at a number of a pattern.
func (l *layout) place(p *Pattern, number int) int {
	if p.Topology == nil {
		return number
	}
	return l.rank[number]
}

// At returns the coordinates of a rank on the topology of the trace; nil if there is none with all ranks.
func (r *Result) At(rank int) []int64 {
	if r.layout == nil {
		return nil
	}
	return r.layout.at[rank]
}
