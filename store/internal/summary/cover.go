package summary

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/read"
)

// Cover says what a summary of one part and lane is added up from.
type Cover struct {
	runs   []tableRun
	Nodes  []CoveredNode // whose items are added one by one, unless they lie in a run
	slices []uint64      // to be read, in order
}

// tableRun is some vectors of a table; they begin at a slice.
type tableRun struct {
	table       *read.SummaryTable
	first, last int
	slice       uint64
}

// CoveredNode is a node on the way to the window's ends. Its slices are divided into runs of `width`; those of `done` are added
// up from vectors.
type CoveredNode struct {
	Node  index.Node
	Width uint64
	Done  read.SliceRange
}

// Has reports whether an item that begins and ends in some slices is part of a vector.
func (n *CoveredNode) Has(first, last uint64) bool {
	return n.Done.Contain(first, last) && (first-n.Done.First)/n.Width == (last-n.Done.First)/n.Width
}

// cover finds what the part of a lane is added up from.
func (q *SummaryQuery) cover(lane uint32, part tables.Part) (*Cover, error) {
	c := Coverer{SummaryQuery: q, Lane: lane, Part: part, Cover: &Cover{}}
	return c.Cover, c.node(index.Node{Level: q.Tree().Levels(q.Root().Slices)})
}

type Coverer struct {
	*SummaryQuery
	*Cover
	Lane uint32
	Part tables.Part
	plan *read.Plan // what to read for a cover that is only guessed, nil for one that is made
}

// node goes through a node: vectors of what lies in the window, and its other children.
func (c *Coverer) node(n index.Node) error {
	all, _ := c.Children(n)
	if all.First >= c.path.End || all.End <= c.path.First {
		return nil
	}
	if c.plan != nil && !c.noteTable(n) {
		return c.guess(n, all)
	}
	table, err := c.Table(n, c.Lane, c.Part)
	if err != nil {
		return err
	}
	covered := CoveredNode{Node: n}
	if table != nil {
		covered = c.vectors(n, all, table)
	}
	c.Nodes = append(c.Nodes, covered)
	return c.Rest(n, all, covered.Done)
}

// vectors takes the vectors of the runs that lie in the window.
func (c *Coverer) vectors(n index.Node, all read.SliceRange, t *read.SummaryTable) CoveredNode {
	covered := CoveredNode{Node: n, Width: t.Step * c.Tree().Width(n.Level-1)}
	if len(t.Lines) == 0 {
		covered.Done = all
		return covered
	}
	first, last := c.runsWithin(all, covered.Width, uint64(t.Vectors))
	if first < last {
		covered.Done = read.SliceRange{First: all.First + first*covered.Width, End: min(all.First+last*covered.Width, all.End)}
		c.runs = append(c.runs, tableRun{t, int(first), int(last), covered.Done.First})
	}
	return covered
}

// runsWithin returns which runs of a width lie in the window; runs is their number in all.
func (c *Coverer) runsWithin(all read.SliceRange, width, runs uint64) (first, last uint64) {
	first, last = (max(c.within.First, all.First)-all.First+width-1)/width, runs
	if c.within.End < all.End {
		last = (max(c.within.End, all.First) - all.First) / width
	}
	return first, last
}

// Rest goes on to the children that are not done.
func (c *Coverer) Rest(n index.Node, all, done read.SliceRange) error {
	width := c.Tree().Width(n.Level - 1)
	first := all.First + (max(c.path.First, all.First)-all.First)/width*width
	for child := first; child < min(all.End, c.path.End); child += width {
		switch {
		case child >= done.First && child < done.End:
		case n.Level > 1:
			if err := c.node(index.Node{Level: n.Level - 1, Index: child / width}); err != nil {
				return err
			}
		case child >= c.touched.First && child < c.touched.End:
			c.slices = append(c.slices, child)
		}
	}
	return nil
}
