package merge

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
)

// merged is distinct calls of one name that stand at one place, with what they have inside as columns. Wherever the same calls stand
// together, they are the same merged call.
type merged struct {
	calls   []calltree.Node // rising
	columns []column
	ordered bool
	spots   uint32 // number of the first spot: there is one for each call
	size    uint64 // nodes of a tree: the merged call and all below it
}

// column is calls of one name that stand at one place inside of a merged call.
type column struct {
	inside uint32 // a merged call
	offset uint64 // of its node behind that of the call around, in a tree
}

// spot is a call of a merged call: its list, with the column of each item.
type spot struct {
	list    *folded
	columns []int32
}

// graph is merged calls. They are numbered so that those around come first, the one of all locations first of all.
type graph struct {
	forest  *calltree.Forest
	aligner *align.Aligner
	names   bool                         // calls are paired by their names alone
	folds   [2]map[calltree.Node]*folded // in order if it can be kept, and by names
	byName  bool                         // no list keeps its order
	all     []merged
	sets    map[uint64][]uint32
	seed    maphash.Seed
	spots   []spot
	memory  int64 // left
	budget  int64
}

// newGraph merges the calls of locations.
func newGraph(ctx context.Context, f *calltree.Forest, roots []calltree.Node, byName bool, opt *Options) (*graph, error) {
	g := &graph{
		forest: f, names: opt.Level == align.Names, byName: byName, sets: map[uint64][]uint32{},
		seed: maphash.MakeSeed(), memory: opt.Memory / 4, budget: opt.Memory,
	}
	for i := range g.folds {
		g.folds[i] = map[calltree.Node]*folded{}
	}
	if !g.names {
		g.aligner = align.New(f, align.Options{Level: align.Tree, Work: mostWork, Memory: opt.Memory / 8})
	}
	g.merge(slices.Compact(slices.Sorted(slices.Values(roots))))
	for i := 0; i < len(g.all); i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := g.find(ctx, i); err != nil {
			return nil, err
		}
		if g.memory < 0 {
			return nil, &calltree.MemoryError{Bytes: g.budget}
		}
	}
	g.measure()
	return g, nil
}

// mostWork bounds the work for a pair of calls, in cells of tables: lists have few items, of which many pairs may be asked for.
const mostWork = 1 << 16

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
	g.spots = append(g.spots, make([]spot, len(calls))...)
	g.memory -= mergedBytes + spotBytes*int64(len(calls))
	return m
}

// What a merged call and one of its calls take, in bytes.
const (
	mergedBytes = 160
	spotBytes   = 36
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

// fold returns the list of a call.
func (g *graph) fold(n calltree.Node, byName bool) *folded {
	way, folds := fold, g.folds[0]
	if byName {
		way, folds = foldNames, g.folds[1]
	}
	l := folds[n]
	if l == nil {
		l = way(g.forest, n)
		folds[n] = l
		g.memory -= l.memory()
	}
	return l
}

// find finds the columns of a merged call.
func (g *graph) find(ctx context.Context, number int) error {
	m := g.all[number]
	classes, ordered := g.classesOf(m.calls, g.byName)
	width := 0
	if ordered {
		var err error
		if width, ordered, err = g.line(ctx, classes); err != nil {
			return err
		}
	}
	if !ordered {
		classes, _ = g.classesOf(m.calls, true)
		width = lineByName(classes)
	}
	inside := make([][]calltree.Node, width)
	for _, c := range classes {
		for k, n := range c.calls {
			for i, it := range c.lists[k].items {
				for _, r := range it.calls {
					inside[c.columns[i]] = append(inside[c.columns[i]], r.Node)
				}
			}
			g.spots[g.spot(uint32(number), n)] = spot{c.lists[k], c.columns}
		}
		g.memory -= int64(4 * len(c.columns))
	}
	columns := make([]column, width)
	for i, calls := range inside {
		slices.Sort(calls)
		columns[i].inside = g.merge(slices.Clip(slices.Compact(calls)))
	}
	g.all[number].columns, g.all[number].ordered = columns, ordered
	return nil
}

// class is calls whose lists have the same names in the same order.
type class struct {
	names   []calltree.Name
	calls   []calltree.Node
	lists   []*folded       // of the calls
	typical []calltree.Node // by item, one of its calls
	columns []int32         // by item
}

// classesOf puts calls into classes, in the order in which these are merged; ordered is false if a list is folded by names.
func (g *graph) classesOf(calls []calltree.Node, byName bool) (classes []*class, ordered bool) {
	found := map[string]*class{}
	ordered = true
	var key []byte
	for _, n := range calls {
		l := g.fold(n, byName)
		ordered = ordered && l.ordered
		key = key[:0]
		for i := range l.items {
			key = binary.LittleEndian.AppendUint32(key, uint32(l.items[i].name))
		}
		c := found[string(key)]
		if c == nil {
			c = &class{}
			for i := range l.items {
				c.names = append(c.names, l.items[i].name)
			}
			found[string(key)] = c
			classes = append(classes, c)
		}
		c.calls, c.lists = append(c.calls, n), append(c.lists, l)
	}
	return g.guided(classes), ordered
}

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
			m.size = plus(m.size, g.all[m.columns[k].inside].size)
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
