package store

import "github.com/pandotrace/pando/index"

// cover says what a summary of one part and lane is added up from.
type cover struct {
	runs   []tableRun
	nodes  []coveredNode // whose items are added one by one, unless they lie in a run or group
	slices []uint64      // to be read, in order
	groups []sliceRange  // of calls: neighbours of which all is wanted
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
	node   index.Node
	width  uint64
	done   sliceRange
	groups []uint32 // by slice of the node: its group, 0 if it is in none; nil if there are no groups
}

// has reports whether an item that begins and ends in some slices is part of a vector or group.
func (n *coveredNode) has(first, last uint64) bool {
	if n.done.contain(first, last) && (first-n.done.first)/n.width == (last-n.done.first)/n.width {
		return true
	}
	if n.groups == nil {
		return false
	}
	begin := n.node.Index * uint64(len(n.groups))
	i, j := first-begin, last-begin // of what lies outside, too large
	return i < uint64(len(n.groups)) && j < uint64(len(n.groups)) && n.groups[i] > 0 && n.groups[i] == n.groups[j]
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
	rest := len(c.slices)
	err = c.rest(n, all, covered.done)
	if n.Level == 1 && c.part == index.Calls {
		covered.groups = c.group(n, rest)
	}
	c.nodes = append(c.nodes, covered)
	return err
}

// group puts slices of a node that are neighbours into groups of 2, 4, 8 … of which the first is a multiple of that: what such a
// group comes to is kept for the next windows. Without groups, a summary adds up nearly all children of two nodes.
func (c *coverer) group(n index.Node, from int) (groups []uint32) {
	own := c.slices[from:]
	c.slices = c.slices[:from:from]
	groups = make([]uint32, c.tree.Width(1))
	for len(own) > 0 {
		size := c.groupSize(own)
		if size == 1 {
			c.slices = append(c.slices, own[0])
		} else {
			c.groups = append(c.groups, sliceRange{own[0], own[0] + size})
			for i := range size {
				groups[own[i]-n.Index*c.tree.Width(1)] = uint32(len(c.groups))
			}
		}
		own = own[size:]
	}
	return groups
}

// groupSize returns the size of the group at the beginning of some slices.
func (c *coverer) groupSize(own []uint64) (size uint64) {
	size = 1
	for own[0]%(2*size) == 0 && 2*size <= uint64(len(own)) && own[2*size-1] == own[0]+2*size-1 && c.within.contain(own[0], own[2*size-1]) {
		size *= 2
	}
	return size
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
			c.cover.slices = append(c.cover.slices, child)
		}
	}
	return nil
}
