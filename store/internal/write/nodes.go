package write

import (
	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// node writes the spanning items of a node that is complete with a job.
func (b *backlog) node(j *job, n *nodeItems) error {
	b.counts.nodes++
	calls := func(i *nodes.Items) int { return i.Calls.Items }
	if err := b.items(format.BlockCalls, n, calls, func(lane uint32, i *nodes.Items) ([][]byte, error) {
		list, _ := b.calls.Take()
		list, err := i.Calls.TakeCalls(list)
		defer b.calls.Put(list)
		return b.w.tree.EncodeCalls(n.node, lane, j.period(lane), list), err
	}); err != nil {
		return err
	}
	if err := b.ends(j, n, format.BlockMessages, nodes.Messages, b.w.tree.EncodeMessages); err != nil {
		return err
	}
	return b.ends(j, n, format.BlockPairs, nodes.Pairs, b.w.tree.EncodePairs)
}

// ends writes the items of a kind that have two ends.
func (b *backlog) ends(
	j *job, n *nodeItems, kind format.BlockKind, of func(*nodes.Items) *nodes.Ends,
	encode func(n index.Node, lane uint32, receivers []uint32, period column.Period, list []index.Message) [][]byte,
) error {
	count := func(i *nodes.Items) int { return of(i).Count() }
	return b.items(kind, n, count, func(lane uint32, i *nodes.Items) ([][]byte, error) {
		list, _ := b.messages.Take()
		list, err := of(i).TakeMessages(list)
		defer b.messages.Put(list)
		return encode(n.node, lane, of(i).Receivers(), j.period(lane), list), err
	})
}

// itemBytes is about what an item takes while it is encoded: itself, its place in the order, and its values.
const itemBytes = 256

// items writes the blocks of one kind of the lanes of a node; count says how much there is of a lane.
func (b *backlog) items(
	kind format.BlockKind, n *nodeItems, count func(i *nodes.Items) int, encode func(lane uint32, i *nodes.Items) ([][]byte, error),
) error {
	return inTurn(b, len(n.lanes),
		func(i int) int64 { return int64(count(&n.lanes[i])) * itemBytes },
		func(i int) ([][]byte, error) {
			if count(&n.lanes[i]) == 0 {
				return nil, nil
			}
			return encode(uint32(i), &n.lanes[i])
		},
		func(i int, pages [][]byte) error { return b.pages(kind, n.node, uint32(i), pages) })
}

// pages writes the blocks of one lane in a node.
func (b *backlog) pages(kind format.BlockKind, n index.Node, lane uint32, pages [][]byte) error {
	for _, page := range pages {
		ref, err := b.w.file.Block(kind, page)
		if err != nil {
			return err
		}
		b.nodeEntry(entry(kind, n.Level, lane, n.Index, ref))
	}
	return nil
}

// period returns the period that most clocks of a lane have in a job's slices, 0 if none has.
func (j *job) period(lane uint32) (most column.Period) {
	counts := map[column.Period]int{}
	for _, l := range j.lanes {
		if l.lane != lane {
			continue
		}
		for _, p := range l.periods {
			counts[p.Period]++
			if n := counts[p.Period]; n > counts[most] || n == counts[most] && p.Period < most {
				most = p.Period
			}
		}
	}
	return most
}

// rowBytes is about what a row takes while it is added up: itself, and what it is added to.
const rowBytes = 128

// summarize writes the summaries of a node, lane by lane.
func (b *backlog) summarize(n *nodeItems) error {
	s := &b.summaries
	for lane := range n.lanes {
		if n.lanes[lane].Totals != nil {
			s.Reach(uint32(lane))
		}
	}
	return inTurn(b, s.Lanes(),
		func(i int) int64 {
			if t := n.totals(uint32(i)); t != nil {
				return int64(t.Rows()) * rowBytes
			}
			return 0
		},
		func(i int) (*tables.Summary, error) { return s.Block(n.node, uint32(i), n.totals(uint32(i))) },
		func(_ int, block *tables.Summary) error {
			if block.Empty() {
				return nil
			}
			return b.summary(block)
		})
}

// totals returns what a lane adds to the node, nil if that is nothing.
func (n *nodeItems) totals(lane uint32) *nodes.Totals {
	if int(lane) >= len(n.lanes) {
		return nil
	}
	return n.lanes[lane].Totals
}
