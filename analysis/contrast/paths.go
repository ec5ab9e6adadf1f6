package contrast

import "github.com/pandotrace/pando/analysis/calltree"

// Path is a call path, with what is known of the calls on it. Times are exclusive, in units of the comparison, unless something else is said.
type Path struct {
	// Parent is the place of the path around it, -1 for outermost calls. It comes before.
	Parent int
	// Name is that of the calls, in the forest. Calls of a recursion that is spread are of the path of the outermost one.
	Name  calltree.Name
	Depth int
	Tally
}

// Tally is what calls add up to.
type Tally struct {
	// Calls and Ticks are of all calls on each side, Inclusive is the time from their enters to their leaves.
	Calls     [2]uint64
	Ticks     [2]int64
	Inclusive [2]int64
	// Pairs are calls that belong together; Slower and Faster those of them in which B takes more or less time, by Plus and Minus in all.
	Pairs, Slower, Faster uint64
	Plus, Minus           int64
	// LoneCalls and LoneTicks are of calls that one side alone has.
	LoneCalls [2]uint64
	LoneTicks [2]int64
	// Spread says how the differences of pairs are distributed.
	Spread Distribution
}

// Net returns by how much B takes longer, in pairs and in calls that one side alone has.
func (t *Tally) Net() int64 { return t.Ticks[1] - t.Ticks[0] }

// Add adds what other calls add up to.
func (t *Tally) Add(o *Tally) {
	for s := range 2 {
		t.Calls[s] += o.Calls[s]
		t.Ticks[s] += o.Ticks[s]
		t.Inclusive[s] += o.Inclusive[s]
		t.LoneCalls[s] += o.LoneCalls[s]
		t.LoneTicks[s] += o.LoneTicks[s]
	}
	t.Pairs, t.Slower, t.Faster = t.Pairs+o.Pairs, t.Slower+o.Slower, t.Faster+o.Faster
	t.Plus, t.Minus = t.Plus+o.Plus, t.Minus+o.Minus
	t.Spread.Merge(&o.Spread)
}

// pair counts two calls that belong together.
func (t *Tally) pair(d int64) {
	t.Pairs++
	switch {
	case d > 0:
		t.Slower++
		t.Plus += d
	case d < 0:
		t.Faster++
		t.Minus -= d
	}
	t.Spread.Add(d)
}

// deepestPath is the depth of the deepest paths; calls further in are beside the deepest ones.
const deepestPath = 128

// paths are the call paths of both sides.
type paths struct {
	list     []Path // the first one is around all others
	children [][]child
}

type child struct {
	name calltree.Name
	path uint32
}

func newPaths() *paths {
	return &paths{list: []Path{{Parent: -1, Depth: -1}}, children: make([][]child, 1)}
}

// child returns the path of calls of a name within another path.
func (p *paths) child(parent uint32, name calltree.Name) uint32 {
	for _, c := range p.children[parent] {
		if c.name == name {
			return c.path
		}
	}
	if p.list[parent].Depth >= deepestPath {
		return p.child(uint32(p.list[parent].Parent), name)
	}
	n := uint32(len(p.list))
	p.list = append(p.list, Path{Parent: int(parent), Name: name, Depth: p.list[parent].Depth + 1})
	p.children = append(p.children, nil)
	p.children[parent] = append(p.children[parent], child{name, n})
	return n
}

// ordinals are the numbers of calls so far on a location, by path.
type ordinals []uint64

// next returns the number of the next call of a path, from 0.
func (o *ordinals) next(path uint32) uint64 {
	for int(path) >= len(*o) {
		*o = append(*o, 0)
	}
	(*o)[path]++
	return (*o)[path] - 1
}
