package merge

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// merged is distinct calls of one name that stand at one place, with what they have inside as columns. Wherever the same calls stand
// together, they are the same merged call.
type merged struct {
	calls   []calltree.Node // rising
	columns []column
	byName  map[calltree.Name]int32 // the columns, if lists are folded by names
	spots   uint32                  // number of the first spot: there is one for each call
	size    uint64                  // nodes of a tree: the merged call and all below it
}

// ordered reports whether columns are in the order of calls.
func (m *merged) ordered() bool { return m.byName == nil }

// column is calls of one name that stand at one place inside of a merged call.
type column struct {
	inside uint32 // a merged call
	offset uint64 // of its node behind that of the call around, in a tree
}

// graph is merged calls. They are numbered so that those around come first, the one of all locations first of all.
type graph struct {
	forest  *calltree.Forest
	aligner *align.Aligner
	names   bool // calls are paired by their names alone
	byName  bool // no list keeps its order
	all     []merged
	sets    map[uint64][]uint32
	seed    maphash.Seed
	spots   []uint32 // by spot: where the columns of its runs begin, if lists are in order
	runs    []uint8  // columns
	memory  int64    // left
	cells   int64    // of tables that may be filled before lists are folded by names
}

// newGraph merges the calls of locations, within some memory.
func (t *Tree) newGraph(ctx context.Context, roots []calltree.Node, byName bool, memory int64) (*graph, error) {
	g := &graph{forest: t.Forest, names: t.opt.Level == align.Names, byName: byName, sets: map[uint64][]uint32{}, seed: maphash.MakeSeed(), memory: memory, cells: mostCells}
	if !g.names {
		g.aligner = align.New(t.Forest, align.Options{Level: align.Tree, Work: mostWork, Memory: memory / alignerShare})
		g.memory -= memory / alignerShare
	}
	g.merge(slices.Compact(slices.Sorted(slices.Values(roots))))
	for i := 0; i < len(g.all); i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := g.find(ctx, uint32(i)); err != nil {
			return nil, err
		}
		if g.memory < 0 {
			return nil, &calltree.MemoryError{Bytes: t.opt.Memory}
		}
	}
	g.measure()
	return g, nil
}

// alignerShare of the memory is for the costs of pairs of calls.
const alignerShare = 4

// Bounds of the work, in cells of tables: for a pair of calls, and in all; a pair counts as many as it takes as a rule.
const (
	mostWork  = 1 << 14
	pairCells = 1 << 9
	mostCells = 1 << 29
)

// merge returns the number of the merged call of some calls, which are not changed any more.
func (g *graph) merge(calls []calltree.Node) uint32 {
	hash := g.hash(calls)
	for _, m := range g.sets[hash] {
		if slices.Equal(g.all[m].calls, calls) {
			return m
		}
	}
	m := uint32(len(g.all))
	g.sets[hash] = append(g.sets[hash], m)
	g.all = append(g.all, merged{calls: calls, spots: uint32(len(g.spots))})
	g.spots = append(g.spots, make([]uint32, len(calls))...)
	g.memory -= mergedBytes + spotBytes*int64(len(calls))
	return m
}

// What a merged call, a column and a spot take, in bytes.
const (
	mergedBytes = 160
	columnBytes = 16
	spotBytes   = 8
)

func (g *graph) hash(calls []calltree.Node) uint64 {
	var h maphash.Hash
	h.SetSeed(g.seed)
	var b [4]byte
	for _, n := range calls {
		binary.LittleEndian.PutUint32(b[:], uint32(n))
		h.Write(b[:])
	}
	return h.Sum64()
}

// find finds the columns of a merged call.
func (g *graph) find(ctx context.Context, number uint32) error {
	begin := len(g.runs)
	classes, ordered, err := g.classesOf(ctx, number, g.byName)
	width := 0
	if ordered && err == nil {
		width, ordered, err = g.line(ctx, classes)
	}
	var byName map[calltree.Name]int32
	if !ordered && err == nil {
		g.runs = g.runs[:begin]
		classes, _, err = g.classesOf(ctx, number, true)
		byName = lineByName(classes)
		width = len(byName)
	}
	if err != nil {
		return err
	}
	inside := make([][]calltree.Node, width)
	for _, c := range classes {
		for i, calls := range c.inside {
			inside[c.columns[i]] = append(inside[c.columns[i]], calls...)
		}
		if ordered {
			g.place(&g.all[number], c)
		}
	}
	columns := make([]column, width)
	for i, calls := range inside {
		slices.Sort(calls)
		columns[i].inside = g.merge(slices.Clone(slices.Compact(calls)))
	}
	g.all[number].columns, g.all[number].byName = columns, byName
	g.memory -= int64(len(g.runs)-begin) + columnBytes*int64(width)
	return nil
}

// place makes the items of runs columns. Those of the merged call are the last ones.
func (g *graph) place(m *merged, c *class) {
	for _, k := range c.calls {
		from, to := g.spots[m.spots+k], uint32(len(g.runs))
		if int(k)+1 < len(m.calls) {
			to = g.spots[m.spots+k+1]
		}
		for i := from; i < to; i++ {
			g.runs[i] = uint8(c.columns[g.runs[i]])
		}
	}
}

// columnOf returns the column of a call in a run of the list of a spot of a merged call.
func (g *graph) columnOf(m *merged, spot uint32, run int, call calltree.Node) int32 {
	if m.ordered() {
		return int32(g.runs[int(g.spots[spot])+run])
	}
	return m.byName[g.forest.Name(call)]
}

// class is calls of a merged call whose lists have the same names in the same order.
type class struct {
	names   []calltree.Name
	calls   []uint32          // their places among those of the merged call
	inside  [][]calltree.Node // by item: its calls, some of them several times
	typical []calltree.Node   // by item: the largest of its calls, of equally large ones the one with the largest content
	columns []int32           // by item
}

// classesOf puts the calls of a merged call into classes, in the order in which these are merged, and keeps the items of their runs; ordered is
// false if a list is folded by names.
func (g *graph) classesOf(ctx context.Context, number uint32, byName bool) (classes []*class, ordered bool, err error) {
	m, found := g.all[number], map[string]*class{}
	ordered = true
	var key []byte
	for k, n := range m.calls {
		if k%checkedCalls == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		l := fold(g.forest, n, byName)
		if ordered = ordered && l.ordered; ordered {
			g.spots[m.spots+uint32(k)] = uint32(len(g.runs))
			for _, item := range l.of {
				g.runs = append(g.runs, uint8(item))
			}
		}
		key = key[:0]
		for i := range l.items {
			key = binary.LittleEndian.AppendUint32(key, uint32(l.items[i].name))
		}
		c := found[string(key)]
		if c == nil {
			c = newClass(l)
			found[string(key)] = c
			classes = append(classes, c)
		}
		c.calls = append(c.calls, uint32(k))
		for i := range l.items {
			c.add(g, i, l.items[i].calls)
		}
	}
	return g.guided(classes), ordered, nil
}

// checkedCalls is after how many calls the context is looked at.
const checkedCalls = 1 << 10

func newClass(l *folded) *class {
	n := len(l.items)
	c := &class{inside: make([][]calltree.Node, n), typical: make([]calltree.Node, n), columns: make([]int32, n)}
	for i := range l.items {
		c.names = append(c.names, l.items[i].name)
	}
	return c
}

// add adds calls to an item.
func (c *class) add(g *graph, i int, calls []calltree.Run) {
	for _, r := range calls {
		if list := c.inside[i]; len(list) == 0 || g.larger(r.Node, c.typical[i]) {
			c.typical[i] = r.Node
		}
		c.inside[i] = append(c.inside[i], r.Node)
	}
	if list := c.inside[i]; len(list) > mostRepeated && len(list) == cap(list) { // before it grows
		slices.Sort(list)
		c.inside[i] = slices.Compact(list)
	}
}

// mostRepeated is the number of calls of an item from which on those that are there several times are dropped.
const mostRepeated = 1 << 12

// measure finds how many nodes each merged call has in a tree. What is inside of a call has smaller numbers in the forest.
func (g *graph) measure() {
	order := make([]uint32, len(g.all))
	for i := range order {
		order[i] = uint32(i)
	}
	last := func(m uint32) calltree.Node { return g.all[m].calls[len(g.all[m].calls)-1] }
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(last(a), last(b)) })
	for _, i := range order {
		m := &g.all[i]
		m.size = 1
		for k := range m.columns {
			m.columns[k].offset = m.size
			m.size = shape.Plus(m.size, g.all[m.columns[k].inside].size)
		}
	}
}

// size returns the number of nodes of the whole tree, that of all locations included.
func (g *graph) size() uint64 { return g.all[0].size }

// spot returns the number of the spot of a call of a merged call.
func (g *graph) spot(m uint32, n calltree.Node) uint32 {
	at, _ := slices.BinarySearch(g.all[m].calls, n)
	return g.all[m].spots + uint32(at)
}
