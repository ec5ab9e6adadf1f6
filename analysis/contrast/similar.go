package contrast

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Likeness is how alike the calls of locations are: of each of A with each of B, times left aside. Of one side, each with each.
type Likeness struct {
	Names [2]string
	Level align.Level
	// Locations are those with calls on each side. Of one side, both lists are the same.
	Locations [2][]trace.Place
	// Groups say for each location which locations have the same calls: they have the same number, from 0 in order of appearance.
	Groups [2][]int
	// Costs has a row for each location of A; Events are those of the structure that was aligned.
	Costs  []align.Cost
	Events [2][]uint64
	// Single says that there is one side. Pairs is the number of pairs of different locations then, else of all.
	Single bool
	Pairs  int
}

// At returns how alike two locations are.
func (l *Likeness) At(a, b int) (align.Similarity, align.Cost) {
	c := l.Costs[a*len(l.Locations[1])+b]
	return align.SimilarityOf(c, l.Events[0][a], l.Events[1][b]), c
}

// Alike aligns all pairs of locations of one side, or of two. Of the options, those that say how times are read and which locations belong
// together do not count.
func Alike(ctx context.Context, sides []Side, opt Options) (*Likeness, error) {
	opt.Memory = cmp.Or(opt.Memory, defaultMemory)
	structure := opt
	structure.Progress = nil // which counts pairs
	f := calltree.NewForest()
	c := &Comparison{Forest: f}
	for i := range c.sources {
		if i == len(sides) {
			c.sources[i] = c.sources[0]
			break
		}
		src, err := open(ctx, sides[i], f, &structure, 0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sides[i].Name, err)
		}
		c.sources[i] = src
	}
	if err := c.normalise(ctx, c.findRegions(&opt), &opt); err != nil {
		return nil, err
	}
	l := &Likeness{Level: opt.Level, Single: len(sides) == 1}
	group := map[calltree.Node]int{}
	for i, s := range c.sources {
		l.Names[i], l.Locations[i] = s.Name, s.places
		for _, root := range s.roots() {
			if _, ok := group[root]; !ok {
				group[root] = len(group)
			}
			l.Groups[i] = append(l.Groups[i], group[root])
			l.Events[i] = append(l.Events[i], 2*f.Size(root))
		}
	}
	return l, l.align(ctx, align.New(f, align.Options{Level: opt.Level, Memory: opt.Memory / 2}), c.sources[0].roots(), c.sources[1].roots())
}

// align finds the costs. Pairs that are the same two structures are aligned once.
func (l *Likeness) align(ctx context.Context, aligner *align.Aligner, a, b []calltree.Node) error {
	known := map[[2]calltree.Node]align.Cost{}
	l.Costs = make([]align.Cost, len(a)*len(b))
	for i, x := range a {
		for j, y := range b {
			key := [2]calltree.Node{min(x, y), max(x, y)}
			c, ok := known[key]
			if !ok {
				var err error
				if c, err = aligner.Cost(ctx, key[0], key[1]); err != nil {
					return err
				}
				known[key] = c
			}
			l.Costs[i*len(b)+j] = c
		}
	}
	l.Pairs = len(a) * len(b)
	if l.Single {
		l.Pairs = len(a) * (len(a) - 1) / 2
	}
	return nil
}
