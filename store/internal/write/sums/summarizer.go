package sums

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// Summarizer makes the tables of nodes that are complete, in the order in which nodes are.
type Summarizer struct {
	tree   index.Tree
	logs   *blockio.Logs
	fifths uint64 // what tables may take, of what they take usually
	lanes  []laneSummary
	slices []uint64 // by lane: bytes of the slices of the node of level 1 at hand
	last   uint64   // the last slice of that node
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

// NewSummarizer returns a summarizer for the nodes of a tree, whose tables may take some fifths of what they take usually. What it keeps is
// among some logs.
func NewSummarizer(tree index.Tree, logs *blockio.Logs, fifths int) Summarizer {
	return Summarizer{tree: tree, logs: logs, fifths: uint64(fifths)}
}

// Begin begins with the nodes that end with a slice.
func (s *Summarizer) Begin(last uint64) {
	clear(s.slices)
	s.last = last
}

// Add counts bytes of a lane's slices in the node of level 1.
func (s *Summarizer) Add(lane uint32, bytes uint64) {
	s.lane(lane)
	s.slices[lane] += bytes
}

// Reach makes sure that there is a lane, which may have no slices.
func (s *Summarizer) Reach(lane uint32) { s.lane(lane) }

// Lanes returns the number of lanes that have or had any slices.
func (s *Summarizer) Lanes() int { return len(s.lanes) }

// Release lets go of the memory that was needed for nodes: it is large, where there are many locations.
func (s *Summarizer) Release() { s.spaces = cache.Pool[*summarySpace]{} }

func (s *Summarizer) lane(number uint32) *laneSummary {
	for len(s.lanes) <= int(number) {
		s.lanes, s.slices = append(s.lanes, laneSummary{}), append(s.slices, 0)
	}
	return &s.lanes[number]
}

// Block makes the block of a node for a lane, of what the lane adds to the node, nil if that is nothing.
func (s *Summarizer) Block(n index.Node, lane uint32, own *nodes.Totals) (*tables.Summary, error) {
	l := &s.lanes[lane]
	space := cache.TakeOrNew(&s.spaces)
	defer s.spaces.Put(space)
	m := nodeSummary{
		tree: s.tree, logs: s.logs, node: n, own: own, children: l.take(n.Level), space: space, fifths: s.fifths,
		count: s.tree.Child(n.Level, n.Index, s.last) + 1,
	}
	if m.own == nil {
		m.own = &nodes.Totals{}
	}
	if n.Level == 1 {
		m.total.slices = s.slices[lane]
	}
	sections, err := m.sections()
	l.add(n.Level+1, child{n.Index % s.tree.Fanout, m.total})
	return &tables.Summary{Node: n, Lane: lane, Sections: sections}, err
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
