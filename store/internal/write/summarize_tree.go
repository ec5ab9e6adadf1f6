package write

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
)

// summarizer makes the tables of nodes that are complete, in the order in which nodes are.
type summarizer struct {
	tree   index.Tree
	logs   *blockio.Logs
	lanes  []laneSummary
	slices []uint64 // by lane: bytes of the slices of the group at hand
	last   uint64   // the last slice of that group
	spaces cache.Pool[*summarySpace]
}

// laneSummary is what the children of the nodes under way came to, by the level of the nodes.
type laneSummary struct{ children [][]child }

// child is what a child of a node came to in a lane.
type child struct {
	number uint64 // among the children of the node
	totals
}

// totals is what all that is contained in a node adds up to.
type totals struct {
	vectors [tables.Metrics]blockio.LogBlock // each an [tables.PackedVector]
	metrics tables.MetricVector
	bad     [tables.Parts]bool // parts that nothing can be said of
	slices  uint64             // bytes of the slices
	tables  [tables.Parts]uint64
}

// group begins with the nodes that a group completes.
func (s *summarizer) group(j *job) {
	clear(s.slices)
	s.last = j.group.slices[len(j.group.slices)-1].number
	for _, l := range j.lanes {
		s.lane(l.lane)
		for _, b := range l.blocks {
			s.slices[l.lane] += uint64(b.Size())
		}
	}
}

func (s *summarizer) lane(number uint32) *laneSummary {
	for len(s.lanes) <= int(number) {
		s.lanes, s.slices = append(s.lanes, laneSummary{}), append(s.slices, 0)
	}
	return &s.lanes[number]
}

// summarize writes the summaries of a node, lane by lane.
func (b *backlog) summarize(n *nodeItems) error {
	s := &b.summaries
	for lane := range n.lanes {
		if n.lanes[lane].totals != nil {
			s.lane(uint32(lane))
		}
	}
	return inTurn(b, len(s.lanes),
		func(i int) (*tables.Summary, error) { return s.block(n, uint32(i)) },
		func(_ int, block *tables.Summary) error {
			if block.Empty() {
				return nil
			}
			return b.summary(block)
		})
}

// totals returns what a lane adds to the node, nil if that is nothing.
func (n *nodeItems) totals(lane uint32) *nodeTotals {
	if int(lane) >= len(n.lanes) {
		return nil
	}
	return n.lanes[lane].totals
}

// block makes the block of a node for a lane.
func (s *summarizer) block(n *nodeItems, lane uint32) (*tables.Summary, error) {
	l := &s.lanes[lane]
	space := cache.TakeOrNew(&s.spaces)
	defer s.spaces.Put(space)
	m := nodeSummary{
		tree: s.tree, logs: s.logs, node: n.node, own: n.totals(lane), children: l.take(n.node.Level), space: space,
		count: s.tree.Child(n.node.Level, n.node.Index, s.last) + 1,
	}
	if m.own == nil {
		m.own = &nodeTotals{}
	}
	if n.node.Level == 1 {
		m.total.slices = s.slices[lane]
	}
	sections, err := m.sections()
	l.add(n.node.Level+1, child{n.node.Index % s.tree.Fanout, m.total})
	return &tables.Summary{Node: n.node, Lane: lane, Sections: sections}, err
}

func (l *laneSummary) add(level int, c child) {
	for len(l.children) <= level {
		l.children = append(l.children, nil)
	}
	l.children[level] = append(l.children[level], c)
}

func (l *laneSummary) take(level int) []child {
	if level >= len(l.children) {
		return nil
	}
	children := l.children[level]
	l.children[level] = nil
	return children
}
