package write

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// ending is the nodes that end with the same slice, one of each level from 1 on, with what their slices came to.
type ending struct {
	last   uint64 // the slice
	start  int64  // of the node of level 1
	nodes  []nodeItems
	bins   []*tables.BinSum    // by lane, nil for those that are newer
	names  []laneNames         // by lane
	hashes [][]index.ChildHash // by lane; nil if none are written
}

// nodeItems are the spanning items of a node that is complete.
type nodeItems struct {
	node  index.Node
	lanes []nodes.Items // by lane
}

// endNodes takes what belongs to the nodes of some levels that end with the latest slice. Their time goes up to end.
func (w *Writer) endNodes(levels int, end int64) {
	w.creditAll(end)
	e := ending{last: w.sliceCount - 1, start: w.nodeStart}
	e.bins, e.names = w.takeBins(end)
	e.hashes = w.takeHashes()
	for level := 1; level <= levels; level++ {
		e.nodes = append(e.nodes, w.takeNode(index.Node{Level: level, Index: w.tree.Ancestor(e.last, level)}))
	}
	w.ends = append(w.ends, e)
}

// takeNode takes the items of a node that is complete, once its messages are sealed.
func (w *Writer) takeNode(n index.Node) nodeItems {
	items := nodeItems{node: n, lanes: make([]nodes.Items, len(w.lanes))}
	for i, l := range w.lanes {
		items.lanes[i] = l.nodes.Take(n.Level)
		items.lanes[i].Join(w.Matcher.Lane(l.number).Take(n.Level))
	}
	return items
}

// countBytes counts the bytes of those of a job's slices that are in [from, to) for the nodes of level 1 that they are in.
func (b *backlog) countBytes(j *job, from, to uint64) {
	for _, l := range j.lanes {
		for len(b.nodeBytes) <= int(l.lane) {
			b.nodeBytes = append(b.nodeBytes, 0)
		}
		for i, s := range l.slices {
			if n := s.slice.Number; from <= n && n < to {
				b.nodeBytes[l.lane] += uint64(l.blocks[i].Size())
			}
		}
	}
}

// writeEndings writes the nodes that end in a job's group. It reports whether one of level 2 does.
func (b *backlog) writeEndings(j *job) (second bool, err error) {
	from, end := j.group.slices[0].number, j.group.slices[len(j.group.slices)-1].number+1
	for i := range j.ends {
		e := &j.ends[i]
		b.countBytes(j, from, e.last+1)
		from = e.last + 1
		b.beginNodes(e)
		for k := range e.nodes {
			if err := b.writeNode(j, e, &e.nodes[k]); err != nil {
				return false, err
			}
		}
		second = second || len(e.nodes) > 1
	}
	b.countBytes(j, from, end)
	return second, nil
}

// beginNodes begins with the nodes that end with the same slice.
func (b *backlog) beginNodes(e *ending) {
	b.summaries.Begin(e.last)
	b.bins.Begin(e.start, e.last < b.w.division.Fanout, e.bins)
	if e.hashes == nil {
		b.hashes.Stop()
	}
	for lane, bytes := range b.nodeBytes {
		if bytes == 0 {
			continue
		}
		b.summaries.Add(uint32(lane), bytes)
		b.bins.Add(uint32(lane), bytes)
		if e.hashes != nil {
			b.hashes.Add(uint32(lane), e.hashes[lane])
		}
	}
	clear(b.nodeBytes)
}

// writeNode writes all that belongs to a node.
func (b *backlog) writeNode(j *job, e *ending, n *nodeItems) error {
	if err := b.node(j, n); err != nil {
		return err
	}
	if err := b.summarize(n); err != nil {
		return err
	}
	if err := b.tabulate(n.node, e); err != nil {
		return err
	}
	return b.writeHashes(n.node)
}
