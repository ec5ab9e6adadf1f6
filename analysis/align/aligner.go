package align

import (
	"context"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/encode/shape"
)

// Level says which alignments are considered; see the package document. An alignment of each level costs at most what one of the level
// before does.
type Level uint8

// The levels, from the quickest to the most exact one.
const (
	Names Level = iota
	Tree
	Wrap
	Flat
)

// Options of an [Aligner]. The zero value of each field means its default.
type Options struct {
	Level Level
	// Cells is the largest number of cells of one table (default 2^22). Longer lists are aligned approximately, which the result says.
	Cells uint64
	// Work is the number of cells of tables that one question fills before it goes on approximately, in the time of the lists' lengths (default
	// 2^25). After twice as much, only sizes and names count.
	Work int64
	// Memory bounds the costs of pairs that are kept, in bytes (default 256 MiB). Pairs beyond it are aligned approximately.
	Memory int64
}

const (
	defaultCells = 1 << 22
	defaultWork  = 1 << 25
	pairBytes    = 96 // of memory, for each pair that is kept
)

// Aligner aligns calls of a forest, to which no calls may be added meanwhile. It keeps the costs of pairs of calls, so that later questions
// are quicker. It is not safe for concurrent use.
type Aligner struct {
	forest *calltree.Forest
	opt    Options
	costs  map[pair]pairCost
	tasks  []*task
	idle   []*task  // that are done, for their memory
	tables []*table // that are not used, for their memory
	sums   [2][]uint64
	nodes  [2][]uint32 // memory of equalChain
	waves  []int32
	work   int64 // that is left, in cells

	nested *Aligner // for what is too long at level Flat

	numbers []numbered // by call
	list    uint32     // the number of the list that was numbered last
}

// pair is an unordered pair of calls, see [Aligner.inOrder].
type pair struct{ x, y calltree.Node }

// inOrder returns the pair of two calls, the one with the smaller content first: which of several alignments of one cost is taken depends on the
// order, and the numbers of calls on how a file is divided.
func (s *Aligner) inOrder(x, y calltree.Node) pair {
	if a, b := s.forest.Content(x), s.forest.Content(y); b < a || a == b && y < x {
		x, y = y, x
	}
	return pair{x, y}
}

// pairCost is the cost of two calls, and that of what is inside of them. how says how the lists inside
// were aligned.
type pairCost struct {
	whole, inside Cost
	how           way
}

// New returns an aligner of the calls of a forest.
func New(f *calltree.Forest, opt Options) *Aligner {
	if opt.Cells == 0 {
		opt.Cells = defaultCells
	}
	if opt.Work == 0 {
		opt.Work = defaultWork
	}
	if opt.Memory == 0 {
		opt.Memory = memory.Usual
	}
	return &Aligner{forest: f, opt: opt, costs: map[pair]pairCost{}}
}

// Cost returns the cost of aligning two calls with all that is inside of them.
func (s *Aligner) Cost(ctx context.Context, x, y calltree.Node) (Cost, error) {
	if s.opt.Level == Flat {
		return s.flat(ctx, x, y)
	}
	s.work = s.opt.Work
	c, err := s.solve(ctx, s.inOrder(x, y))
	return c.whole, err
}

// solve returns the cost of a pair. Pairs that it needs are put on a stack of tasks, not on that of the program: calls may be very deep.
func (s *Aligner) solve(ctx context.Context, p pair) (pairCost, error) {
	if c, ok := s.at(p); ok {
		return c, nil
	}
	s.tasks = append(s.tasks[:0], s.newTask(p))
	for steps := 0; ; steps++ {
		if steps%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return pairCost{}, err
			}
		}
		t := s.tasks[len(s.tasks)-1]
		need, ok := t.work(s)
		if !ok {
			s.tasks = append(s.tasks, s.newTask(need))
			continue
		}
		s.costs[t.pair] = t.cost
		s.idle = append(s.idle, t)
		if s.tasks = s.tasks[:len(s.tasks)-1]; len(s.tasks) == 0 {
			return t.cost, nil
		}
	}
}

// at returns the cost of a pair if it takes no work or is known.
func (s *Aligner) at(p pair) (pairCost, bool) {
	if p.x == p.y {
		return pairCost{}, true
	}
	if s.forest.IsGroup(p.x) != s.forest.IsGroup(p.y) { // no pair
		c := exactly(s.lackingBoth(p.x, p.y))
		return pairCost{whole: c, inside: c}, true
	}
	c, ok := s.costs[p]
	if !ok && (s.work <= -s.opt.Work || int64(len(s.costs)) >= s.opt.Memory/pairBytes) {
		return s.guess(p), true
	}
	return c, ok
}

// known returns the cost of two calls as elements of lists, if it is known.
func (s *Aligner) known(x, y calltree.Node, byNames bool) (Cost, bool) {
	if byNames && !s.forest.IsGroup(x) && !s.forest.IsGroup(y) {
		return exactly(s.nameCost(x, y)), true
	}
	c, ok := s.at(s.inOrder(x, y))
	return c.whole, ok
}

// insideSize returns the number of calls inside of a call or group.
func (s *Aligner) insideSize(n calltree.Node) uint64 {
	if s.forest.IsGroup(n) {
		return s.forest.Size(n)
	}
	return without(s.forest.Size(n), 1)
}

// nameCost returns what the names of two calls cost.
func (s *Aligner) nameCost(x, y calltree.Node) uint64 {
	if s.forest.Name(x) != s.forest.Name(y) {
		return renamed
	}
	return 0
}

// lackingBoth returns the cost of two calls that have no partner.
func (s *Aligner) lackingBoth(x, y calltree.Node) uint64 {
	return shape.Times(lacking, shape.Plus(s.forest.Size(x), s.forest.Size(y)))
}

// bound returns a lower bound for the cost of two calls.
func (s *Aligner) bound(x, y calltree.Node) uint64 {
	if x == y {
		return 0
	}
	if !s.forest.HasBags() {
		return shape.Times(lacking, apart(s.forest.Size(x), s.forest.Size(y)))
	}
	return atLeast(s.forest.Bag(x), s.forest.Bag(y))
}

// guess returns the cost of a pair between its bound and that of pairing the two calls alone.
func (s *Aligner) guess(p pair) pairCost {
	names := s.nameCost(p.x, p.y)
	insides := shape.Times(lacking, shape.Plus(s.insideSize(p.x), s.insideSize(p.y)))
	low := s.bound(p.x, p.y)
	return pairCost{whole: Cost{low, shape.Plus(names, insides)}, inside: Cost{low - min(low, names), insides}}
}
