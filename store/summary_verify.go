package store

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// summary checks a block of summaries: that it can be read, and that each vector is what the blocks below the node, and its
// spanning items, add up to. What makes those unreadable is a problem of theirs.
func (v *verifier) summary(e *index.Entry, b []byte) error {
	s, err := index.ReadSummary(b)
	if err != nil {
		return err
	}
	if err := v.node(e, s.Node, s.Lane); err != nil {
		return err
	}
	if !v.r.isNode(s.Node) || int(s.Lane) >= len(v.r.lanes) {
		return format.Corruptf("summary block", -1, "the tree has no node %d of level %d with lane %d", s.Node.Index, s.Node.Level, s.Lane)
	}
	for part := range index.Parts {
		if len(s.Sections[part]) == 0 {
			continue
		}
		if err := v.table(s, part, e.Ref.Offset); err != nil {
			return err
		}
	}
	return nil
}

// table checks the table of a part of the block at an offset.
func (v *verifier) table(s *index.Summary, part index.Part, offset uint64) error {
	if part == index.Messages {
		return v.messageTable(s, offset)
	}
	t, _, err := v.r.readTable(s, part)
	if err != nil {
		return err
	}
	return v.r.compare(s, part, t)
}

// wrongVector is the error of a vector of some slices that is not what they hold.
func wrongVector(part index.Part, run sliceRange) error {
	return format.Corruptf("summary block", -1, "part %d of slices %d to %d is not what they hold", part, run.first, run.end-1)
}

// isNode reports whether the tree has a node.
func (r *Reader) isNode(n index.Node) bool {
	slices := r.root.Slices
	return slices > 0 && n.Level >= 1 && n.Level <= r.tree.Levels(slices) && n.Index <= r.tree.Ancestor(slices-1, n.Level)
}

// compare compares each vector of a table with what lies in its slices.
func (r *Reader) compare(s *index.Summary, part index.Part, t *summaryTable) error {
	all, _ := r.children(s.Node)
	width := t.step * r.tree.Width(s.Node.Level-1)
	for v := range t.vectors {
		first := all.first + uint64(v)*width
		c := contents{Reader: r, node: s.Node, lane: s.Lane, run: sliceRange{first, min(first+width, all.end)}}
		same, err := c.same(part, t, v)
		if err == nil && !same {
			return wrongVector(part, c.run)
		}
	}
	return nil
}

// contents is what a lane holds in a run of children of a node.
type contents struct {
	*Reader
	node index.Node
	lane uint32
	run  sliceRange
}

// same reports whether a vector of a table is right.
func (c *contents) same(part index.Part, t *summaryTable, v int) (bool, error) {
	if part == index.Metrics {
		return c.sameMetrics(t.metrics.Vector(v, v+1))
	}
	rows, err := c.rows(part)
	if err != nil {
		return false, err
	}
	want, ok := index.SortVector(rows)
	return ok && slices.Equal(want, t.sums.Vector(v, v+1)), nil
}

// cover finds what the run is added up from: the tables of the children, and the node's own items.
func (c *contents) cover(q *summaryQuery, part index.Part) (*cover, error) {
	coverer := coverer{summaryQuery: q, lane: c.lane, part: part, cover: &cover{}}
	err := coverer.rest(c.node, c.run, sliceRange{})
	coverer.nodes = append(coverer.nodes, coveredNode{node: c.node})
	return coverer.cover, err
}

// rows returns the rows of a part, in any order.
func (c *contents) rows(part index.Part) (rows []index.Row, err error) {
	q := c.containedQuery(c.run)
	cover, err := c.cover(q, part)
	if err != nil {
		return nil, err
	}
	if part == index.Calls {
		return c.callRows(q, cover)
	}
	sums, err := q.addCollectives(c.lane, cover)
	for i, s := range sums {
		if s.count > 0 {
			k := c.laneNumbers[c.lane].collectives.all()[i]
			rows = append(rows, index.Row{Key: k, Sums: [4]uint64{s.count, s.sent.Lo, s.received.Lo}})
		}
	}
	return rows, err
}

func (c *contents) callRows(q *summaryQuery, cover *cover) (rows []index.Row, err error) {
	for level := c.node.Level + 1; level <= c.tree.Levels(c.root.Slices); level++ { // which call encloses which
		cover.nodes = append(cover.nodes, coveredNode{node: c.Reader.node(level, c.run.first)})
	}
	calls, err := q.containedCalls(c.lane, cover)
	if err != nil {
		return nil, err
	}
	for place, location := range c.lanes[c.lane] {
		cells := calls.place(uint32(place))
		ids, _ := c.numbers.ranks()
		for _, x := range cells {
			k := index.Key{uint64(location), ids[x.region]}
			rows = append(rows, index.Row{Key: k, Sums: [4]uint64{x.count, x.time.Lo, x.nested.Lo, x.below.Lo}})
		}
	}
	return rows, nil
}

// sameMetrics compares all but integrals of floats, which depend on the order of adding.
func (c *contents) sameMetrics(v index.MetricVector) (bool, error) {
	q := c.containedQuery(c.run)
	cover, err := c.cover(q, index.Metrics)
	if err != nil {
		return false, err
	}
	joined, err := q.joinSamples(c.lane, cover)
	keys := c.laneNumbers[c.lane].counters.all()
	for n, s := range joined {
		if s.Count == 0 {
			continue
		}
		at := slices.IndexFunc(v, func(r index.MetricRow) bool { return r.Key == keys[n] })
		if at < 0 {
			return false, err
		}
		if s.Float = v[at].Float; s != v[at].Samples {
			return false, err
		}
		v = slices.Delete(v, at, at+1)
	}
	return len(v) == 0, err
}
