package contrast

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/trace"
)

// Likeness is how alike the calls of locations are: of each of A with each of B, times left aside. Of one side, each with each.
type Likeness struct {
	Names [2]string
	Level align.Level
	// Levels is the number of levels of calls that were compared, 0 for all; see [Comparison].
	Levels int
	// Locations are those with calls on each side. Of one side, both lists are the same.
	Locations [2][]trace.Place
	// Groups say for each location which locations have the same calls: they have the same number, from 0 in order of appearance.
	Groups [2][]int
	// Costs are those of groups: of x with y, where x is not greater, at y (y+1) / 2 + x. Events are those of the structure that was aligned.
	Costs  []align.Cost
	Events [2][]uint64
	// Single says that there is one side. Pairs is the number of pairs of different locations then, else of all.
	Single bool
	Pairs  int
}

// At returns how alike two locations are.
func (l *Likeness) At(a, b int) (align.Similarity, align.Cost) {
	c := l.Costs[costAt(l.Groups[0][a], l.Groups[1][b])]
	return align.SimilarityOf(c, l.Events[0][a], l.Events[1][b]), c
}

// costAt returns the place of the cost of two groups.
func costAt(x, y int) int {
	x, y = min(x, y), max(x, y)
	return y*(y+1)/2 + x
}

// Alike aligns all pairs of locations of one side, or of two. Of the options, those that say how times are read and which locations belong
// together do not count.
func Alike(ctx context.Context, sides []Side, opt Options) (*Likeness, error) {
	opt.Memory = cmp.Or(opt.Memory, memory.Usual)
	structure := opt
	structure.Progress = nil // which counts pairs
	c, err := withLevels(structure, func(c *Comparison) error { return c.read(ctx, sides) })
	if err != nil {
		return nil, err
	}
	f := c.Forest
	l := &Likeness{Level: opt.Level, Levels: c.Levels, Single: len(sides) == 1}
	group, distinct := map[calltree.Node]int{}, []calltree.Node{}
	for i, s := range c.sources {
		l.Names[i], l.Locations[i] = s.Name, s.places
		for _, root := range s.roots() {
			if _, ok := group[root]; !ok {
				group[root] = len(group)
				distinct = append(distinct, root)
			}
			l.Groups[i] = append(l.Groups[i], group[root])
			l.Events[i] = append(l.Events[i], 2*f.Size(root))
		}
	}
	if l.Pairs = len(l.Groups[0]) * len(l.Groups[1]); l.Single {
		l.Pairs = len(l.Groups[0]) * (len(l.Groups[0]) - 1) / 2
	}
	if int64(costAt(0, len(distinct)))*costBytes > opt.part(costsEighths) {
		return nil, &calltree.MemoryError{Bytes: opt.Memory}
	}
	return l, l.align(ctx, f, distinct, &opt)
}

// costBytes is what a cost takes, in bytes.
const costBytes = 16

// alikeParts is the number of parts that the pairs are divided into, whatever the number of processors: what an aligner knows already may
// decide how far it goes with the next pair, and the answer must not depend on the machine.
const alikeParts = 4

// align finds the costs of all groups that meet.
func (l *Likeness) align(ctx context.Context, f *calltree.Forest, distinct []calltree.Node, opt *Options) error {
	l.Costs = make([]align.Cost, costAt(0, len(distinct)))
	known := make([]bool, len(l.Costs))
	var parts [alikeParts][][2]int
	for i, x := range l.Groups[0] {
		for _, y := range l.Groups[1] {
			if at := costAt(x, y); !known[at] {
				known[at] = true
				parts[i%alikeParts] = append(parts[i%alikeParts], [2]int{min(x, y), max(x, y)})
			}
		}
	}
	var told sync.Mutex
	done, total := int64(0), int64(len(slices.Concat(parts[:]...)))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, pairs := range parts {
		work.Go(func() error {
			aligner := align.New(f, align.Options{Level: opt.Level, Memory: opt.part(costsEighths) / alikeParts})
			for _, p := range pairs {
				c, err := aligner.Cost(ctx, distinct[p[0]], distinct[p[1]])
				if err != nil {
					return err
				}
				l.Costs[costAt(p[0], p[1])] = c
				told.Lock()
				done++
				opt.Progress.Report(done, total)
				told.Unlock()
			}
			return nil
		})
	}
	return work.Wait()
}
