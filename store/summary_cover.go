package store

import "github.com/pandotrace/pando/index"

// cover says what a summary of one part and lane is added up from.
type cover struct {
	runs   []tableRun
	nodes  []coveredNode // whose items are added one by one, unless they lie in a run
	slices []uint64      // to be read, in order
}

// tableRun is some vectors of a table; they begin at a slice.
type tableRun struct {
	table       *summaryTable
	first, last int
	slice       uint64
}

// coveredNode is a node on the way to the window's ends. Its slices are divided into runs of `width`; those of `done` are added
// up from vectors.
type coveredNode struct {
	node  index.Node
	width uint64
	done  sliceRange
}

// has reports whether an item that begins and ends in some slices is part of a vector.
func (n *coveredNode) has(first, last uint64) bool {
	return n.done.contain(first, last) && (first-n.done.first)/n.width == (last-n.done.first)/n.width
}

// cover finds what the part of a lane is added up from.
func (q *summaryQuery) cover(lane uint32, part index.Part) (*cover, error) {
	c := coverer{summaryQuery: q, lane: lane, part: part, cover: &cover{}}
	return c.cover, c.node(index.Node{Level: q.tree.Levels(q.root.Slices)})
}

type coverer struct {
	*summaryQuery
	*cover
	lane uint32
	part index.Part
}

// node goes through a node: vectors of what lies in the window, and its other children.
func (c *coverer) node(n index.Node) error {
	all, _ := c.children(n)
	if all.first >= c.path.end || all.end <= c.path.first {
		return nil
	}
	table, err := c.table(n, c.lane, c.part)
	if err != nil {
		return err
	}
	covered := coveredNode{node: n}
	if table != nil {
		covered = c.vectors(n, all, table)
	}
	c.nodes = append(c.nodes, covered)
	return c.rest(n, all, covered.done)
}

// vectors takes the vectors of the runs that lie in the window.
func (c *coverer) vectors(n index.Node, all sliceRange, t *summaryTable) coveredNode {
	covered := coveredNode{node: n, width: t.step * c.tree.Width(n.Level-1)}
	if len(t.lines) == 0 {
		covered.done = all
		return covered
	}
	first := (max(c.within.first, all.first) - all.first + covered.width - 1) / covered.width
	last := uint64(t.vectors)
	if c.within.end < all.end {
		last = (max(c.within.end, all.first) - all.first) / covered.width
	}
	if first < last {
		covered.done = sliceRange{all.first + first*covered.width, min(all.first+last*covered.width, all.end)}
		c.runs = append(c.runs, tableRun{t, int(first), int(last), covered.done.first})
	}
	return covered
}

// rest goes on to the children that are not done.
func (c *coverer) rest(n index.Node, all, done sliceRange) error {
	width := c.tree.Width(n.Level - 1)
	first := all.first + (max(c.path.first, all.first)-all.first)/width*width
	for child := first; child < min(all.end, c.path.end); child += width {
		switch {
		case child >= done.first && child < done.end:
		case n.Level > 1:
			if err := c.node(index.Node{Level: n.Level - 1, Index: child / width}); err != nil {
				return err
			}
		case child >= c.touched.first && child < c.touched.end:
			c.slices = append(c.slices, child)
		}
	}
	return nil
}
