package verify

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/summary"
)

// summary checks a block of summaries: that it can be read, and that each vector is what the blocks below the node, and its
// spanning items, add up to. What makes those unreadable is a problem of theirs.
func (v *verifier) summary(e *index.Entry, b []byte) error {
	s, err := tables.ReadSummary(b)
	if err != nil {
		return err
	}
	if err := v.node(e, s.Node, s.Lane); err != nil {
		return err
	}
	if !v.r.IsNode(s.Node) || int64(s.Lane) >= int64(v.r.LaneCount()) {
		return format.Corruptf("summary block", -1, "the tree has no node %d of level %d with lane %d", s.Node.Index, s.Node.Level, s.Lane)
	}
	for part := range tables.Parts {
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
func (v *verifier) table(s *tables.Summary, part tables.Part, offset uint64) error {
	if part == tables.Messages {
		return v.messageTable(s, offset)
	}
	t, _, err := v.r.ReadTable(s, part)
	if err != nil {
		return err
	}
	return compare(v.r, s, part, t)
}

// wrongVector is the error of a vector of some slices that is not what they hold.
func wrongVector(part tables.Part, run read.SliceRange) error {
	return format.Corruptf("summary block", -1, "part %d of slices %d to %d is not what they hold", part, run.First, run.End-1)
}

// compare compares each vector of a table with what lies in its slices.
func compare(r *read.File, s *tables.Summary, part tables.Part, t *read.SummaryTable) error {
	all, _ := r.Children(s.Node)
	width := t.Step * r.Tree().Width(s.Node.Level-1)
	for v := range t.Vectors {
		first := all.First + uint64(v)*width
		c := contents{File: r, node: s.Node, lane: s.Lane, run: read.SliceRange{First: first, End: min(first+width, all.End)}}
		same, err := c.same(part, t, v)
		if err == nil && !same {
			return wrongVector(part, c.run)
		}
	}
	return nil
}

// contents is what a lane holds in a run of children of a node.
type contents struct {
	*read.File
	node index.Node
	lane uint32
	run  read.SliceRange
}

// same reports whether a vector of a table is right.
func (c *contents) same(part tables.Part, t *read.SummaryTable, v int) (bool, error) {
	if part == tables.Metrics {
		return c.sameMetrics(t.Metrics.Vector(v, v+1))
	}
	rows, err := c.rows(part)
	if err != nil {
		return false, err
	}
	want, ok := tables.SortVector(rows)
	return ok && slices.Equal(want, t.Sums.Vector(v, v+1)), nil
}

// cover finds what the run is added up from: the tables of the children, and the node's own items.
func (c *contents) cover(q *summary.SummaryQuery, part tables.Part) (*summary.Cover, error) {
	coverer := summary.Coverer{SummaryQuery: q, Lane: c.lane, Part: part, Cover: &summary.Cover{}}
	err := coverer.Rest(c.node, c.run, read.SliceRange{})
	coverer.Nodes = append(coverer.Nodes, summary.CoveredNode{Node: c.node})
	return coverer.Cover, err
}

// rows returns the rows of a part, in any order.
func (c *contents) rows(part tables.Part) (rows []tables.Row, err error) {
	q := summary.ContainedQuery(c.File, c.run)
	cover, err := c.cover(q, part)
	if err != nil {
		return nil, err
	}
	if part == tables.Calls {
		return c.callRows(q, cover)
	}
	sums, err := q.AddCollectives(c.lane, cover)
	if err != nil {
		return nil, err
	}
	for i, s := range sums {
		if s.Count > 0 {
			k := c.KnownLane(c.lane).Collectives.All()[i]
			rows = append(rows, tables.Row{Key: k, Sums: [4]uint64{s.Count, s.Sent.Lo, s.Received.Lo}})
		}
	}
	return rows, nil
}

func (c *contents) callRows(q *summary.SummaryQuery, cover *summary.Cover) (rows []tables.Row, err error) {
	for level := c.node.Level + 1; level <= c.Tree().Levels(c.Root().Slices); level++ { // which call encloses which
		cover.Nodes = append(cover.Nodes, summary.CoveredNode{Node: c.File.Node(level, c.run.First)})
	}
	calls, err := q.ContainedCalls(c.lane, cover)
	if err != nil {
		return nil, err
	}
	its, err := c.Lane(c.lane)
	if err != nil {
		return nil, err
	}
	for place, location := range its.Locations {
		cells := calls.Place(uint32(place))
		ids, _ := c.Numbers.Ranks()
		for _, x := range cells {
			k := tables.Key{uint64(location), ids[x.Region]}
			rows = append(rows, tables.Row{Key: k, Sums: [4]uint64{x.Count, x.Time.Lo, x.Nested.Lo, x.Below.Lo}})
		}
	}
	return rows, nil
}

// sameMetrics compares all but integrals of floats, which depend on the order of adding.
func (c *contents) sameMetrics(v tables.MetricVector) (bool, error) {
	q := summary.ContainedQuery(c.File, c.run)
	cover, err := c.cover(q, tables.Metrics)
	if err != nil {
		return false, err
	}
	joined, err := q.JoinSamples(c.lane, cover)
	if err != nil {
		return false, err
	}
	keys := c.KnownLane(c.lane).Counters.All()
	for n, s := range joined {
		if s.Count == 0 {
			continue
		}
		at := slices.IndexFunc(v, func(r tables.MetricRow) bool { return r.Key == keys[n] })
		if at < 0 {
			return false, nil
		}
		if s.Float = v[at].Float; s != v[at].Samples {
			return false, nil
		}
		v = slices.Delete(v, at, at+1)
	}
	return len(v) == 0, nil
}
