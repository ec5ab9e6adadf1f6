package merge

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Tree is the merged call tree of locations.
type Tree struct {
	Forest *calltree.Forest
	// Units is the number of units of time in a second: ticks, or nanoseconds if the clocks of the sources have different resolutions.
	Units uint64
	// Members are the locations that have calls, source by source in the order of definition.
	Members []Member
	// Structures is the number of different call trees that members have.
	Structures int
	// Nodes are in the order of a walk through the tree: each stands before those below it.
	Nodes []Node
	// Timed says that there are times.
	Timed bool
	// Depth is the number of levels of calls that have nodes; Cut says that members have calls further in.
	Depth int
	Cut   bool
	// ByName says that calls of a name inside of a call are one node, since there would be too many nodes else.
	ByName bool
	// Outliers are members that are far from the median of a node, those with the most time beyond it first.
	Outliers []Outlier

	opt     Options
	levels  int   // of calls that are read, 0 for all
	left    int64 // of the memory
	inputs  []*input
	through map[calltree.Name]bool
	graph   *graph
	kinds   [][]int // members by structure
	structs []calltree.Node
	kindOf  []int    // by member
	sets    []uint64 // by node: the structures that have it
	ticks   []ticks  // by member: inclusive times
}

// Member is a location whose calls are in the tree.
type Member struct {
	// Source is its place in the list of sources.
	Source int
	trace.Place
}

// Node is calls of a region that stand at one place of the program, on one or more members.
type Node struct {
	// Parent is the place of the node around it, -1 for outermost calls. Depth is the number of nodes around it.
	Parent, Depth int
	Name          calltree.Name
	// Ordered says that the nodes directly below stand in the order of the calls. Otherwise each is all calls of its name there.
	Ordered bool
	// Members is the number of members that have calls of the node, see [Tree.MembersOf].
	Members int
	// Calls is their number on all members; FewestCalls and MostCalls are those of a member that has some. They saturate at 2^64-1.
	Calls, FewestCalls, MostCalls uint64
	// Inclusive is the time of members in calls of the node, Exclusive the same without the nodes below.
	Inclusive, Exclusive Times

	merged uint32
}

// Times says how much time members spend, in units of the tree. Members that do not have the node do not count.
type Times struct {
	Sum                 trace.Sum
	Least, Median, Most int64
	LeastMember         int // the first of those with the least
	MostMember          int
	MedianDeviation     int64 // from the median, in the median (MAD)
}

// Of merges the calls of all locations of some windows: all levels of calls, or as many as there is memory for.
func Of(ctx context.Context, sources []Source, opt Options) (*Tree, error) {
	for levels := 0; ; {
		t := &Tree{Forest: calltree.NewBareForest(), opt: opt.withDefaults(), levels: levels}
		err := t.make(ctx, sources)
		var memory *calltree.MemoryError
		if err == nil {
			return t, nil
		}
		if !errors.As(err, &memory) || levels == 1 {
			return nil, err
		}
		memory.Bytes = t.opt.Memory
		levels = max(1, min(MostDepth, 3*cmp.Or(levels, t.Forest.Deepest(), 2*MostDepth)/4))
	}
}

// make makes a tree.
func (t *Tree) make(ctx context.Context, sources []Source) error {
	if err := t.openAll(ctx, sources); err != nil {
		return err
	}
	roots, err := t.roots(ctx)
	if err != nil || len(roots) == 0 {
		return err
	}
	if err := t.merge(ctx, roots); err != nil {
		return err
	}
	if err := t.count(ctx); err != nil || t.opt.StructureOnly {
		return err
	}
	t.Timed = true
	return t.times(ctx)
}

// merge merges locations: in the order of their calls, or else by name, and with fewer levels if there is no other way.
func (t *Tree) merge(ctx context.Context, roots []calltree.Node) error {
	for _, way := range []struct {
		depth  int
		byName bool
	}{{t.opt.Depth, false}, {t.opt.Depth, true}, {64, true}, {16, true}, {4, true}} {
		if way.depth > t.opt.Depth {
			continue
		}
		shallow := t.Forest.Shallow(roots, way.depth)
		left := t.opt.Memory - t.Forest.Memory()
		g, err := t.newGraph(ctx, shallow, way.byName, left)
		var memory *calltree.MemoryError
		if err != nil && !errors.As(err, &memory) {
			return err
		}
		if err == nil && g.size() <= uint64(left/nodeShare/nodeBytes) {
			t.graph, t.Depth, t.ByName = g, way.depth, way.byName
			t.Cut = !slices.Equal(shallow, roots)
			if t.levels > 0 {
				t.Depth, t.Cut = min(t.Depth, t.levels), true
			}
			t.group(shallow)
			t.layOut()
			t.left = g.memory - nodeBytes*int64(len(t.Nodes))
			return t.spend(0)
		}
	}
	return &calltree.MemoryError{Bytes: t.opt.Memory}
}

// nodeBytes is about what a node takes; nodes take no more than a share of the memory that is left.
const (
	nodeBytes = 320
	nodeShare = 2
)

// spend takes bytes of what is left of the memory.
func (t *Tree) spend(bytes int64) error {
	if t.left -= bytes; t.left < 0 {
		return &calltree.MemoryError{Bytes: t.opt.Memory}
	}
	return nil
}

// group finds which members have the same structure.
func (t *Tree) group(roots []calltree.Node) {
	t.structs = slices.Compact(slices.Sorted(slices.Values(roots)))
	t.Structures = len(t.structs)
	t.kinds, t.kindOf = make([][]int, len(t.structs)), make([]int, len(roots))
	for i, r := range roots {
		k, _ := slices.BinarySearch(t.structs, r)
		t.kindOf[i], t.kinds[k] = k, append(t.kinds[k], i)
	}
}

// layOut makes the nodes.
func (t *Tree) layOut() {
	g := t.graph
	t.Nodes = make([]Node, 0, g.size()-1)
	type visit struct {
		merged        uint32
		parent, depth int
	}
	stack := []visit{{0, -1, -1}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		m, at := &g.all[v.merged], -1
		if v.depth >= 0 {
			at = len(t.Nodes)
			t.Nodes = append(t.Nodes, Node{Parent: v.parent, Depth: v.depth, Name: t.Forest.Name(m.calls[0]), Ordered: m.ordered(), merged: v.merged})
		}
		for _, c := range slices.Backward(m.columns) {
			stack = append(stack, visit{c.inside, at, v.depth + 1})
		}
	}
}

// MembersOf yields the members that have calls of a node, as places in Tree.Members, in rising order.
func (t *Tree) MembersOf(node int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for m, k := range t.kindOf {
			if t.hasKind(node, k) && !yield(m) {
				return
			}
		}
	}
}

// Has reports whether a member has calls of a node.
func (t *Tree) Has(node, member int) bool { return t.hasKind(node, t.kindOf[member]) }

func (t *Tree) hasKind(node, kind int) bool {
	words := t.words()
	return t.sets[node*words+kind/64]&(1<<(kind%64)) != 0
}

// Cell is what a member has of a node, in units of the tree.
type Cell struct {
	Member               int
	Inclusive, Exclusive int64
}

// On yields what each member of a node has, in rising order. There must be times.
func (t *Tree) On(node int) iter.Seq[Cell] {
	columns := t.graph.all[t.Nodes[node].merged].columns
	return func(yield func(Cell) bool) {
		for m := range t.MembersOf(node) {
			c := Cell{Member: m, Inclusive: t.ticks[m].at(node)}
			c.Exclusive = c.Inclusive
			for i := range columns {
				c.Exclusive -= t.ticks[m].at(node + int(columns[i].offset))
			}
			if !yield(c) {
				return
			}
		}
	}
}

// words returns the number of words of a set of structures.
func (t *Tree) words() int { return (len(t.structs) + 63) / 64 }

// Region returns the region of a node, as the first source has it that has one of the name; ok is false if none has.
func (t *Tree) Region(node int) (defs *trace.Definitions, region uint64, ok bool) {
	for _, in := range t.inputs {
		if region, ok := in.events.Region(t.Nodes[node].Name); ok {
			return in.defs, region, true
		}
	}
	return nil, 0, false
}

// Part is what was merged of a source. Times are since its first event, in units of the tree.
type Part struct {
	Name     string
	From, To int64
	// Whole says that it is all of the trace.
	Whole bool
}

// Parts returns what was merged of each source.
func (t *Tree) Parts() (list []Part) {
	for _, in := range t.inputs {
		info := in.Reader.Info()
		first := in.scaled(info.First)
		list = append(list, Part{in.Name, in.scaled(in.from) - first, in.scaled(in.to) - first, in.from == info.First && in.to == info.Last})
	}
	return list
}
