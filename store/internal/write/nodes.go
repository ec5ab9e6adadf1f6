package write

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// laneNodes are the items of one lane in the nodes that are yet to be written, by level.
type laneNodes struct {
	logs   *blockio.Logs
	levels []laneItems
}

// laneItems are the items of one lane in a node, and what they add up to together with what lies within its slices.
type laneItems struct {
	calls     packed
	messages  packed          // that the lane receives
	receivers map[uint32]bool // other lanes that receive messages from it
	totals    *nodeTotals     // nil if nothing was added
}

// at returns the items in the node of a level.
func (n *laneNodes) at(level int) *laneItems {
	for len(n.levels) <= level {
		n.levels = append(n.levels, n.empty())
	}
	return &n.levels[level]
}

// empty returns the items of a node that has none.
func (n *laneNodes) empty() laneItems {
	l := blockio.Log{Of: n.logs}
	return laneItems{calls: packed{Log: l}, messages: packed{Log: l}}
}

// totals returns what the lane adds to the node of a level.
func (n *laneNodes) totals(tree index.Tree, level int) *nodeTotals {
	items := n.at(level)
	if items.totals == nil {
		items.totals = newNodeTotals(tree, level, n.logs)
	}
	return items.totals
}

// take returns the items of a node that is complete.
func (n *laneNodes) take(level int) (items laneItems) {
	if level < len(n.levels) {
		items, n.levels[level] = n.levels[level], n.empty()
	}
	return items
}

// addMessage puts a message between two lanes into the smallest node that contains it and is not yet written: that contains
// the current slice too.
func (m *matcher) addMessage(message *index.Message, from, to uint32) {
	first, last := min(message.Send.Slice, message.Receive.Slice), max(message.Send.Slice, message.Receive.Slice, m.current)
	level, _ := m.w.tree.Smallest(first, last)
	m.lane(to).at(level).messages.addMessage(message)
	if from == to {
		return
	}
	items := m.lane(from).at(level)
	if items.receivers == nil {
		items.receivers = map[uint32]bool{}
	}
	items.receivers[to] = true
}

// lane returns the messages of a lane in the nodes that are yet to be written.
func (m *matcher) lane(number uint32) *laneNodes {
	for len(m.nodes) <= int(number) {
		m.nodes = append(m.nodes, laneNodes{logs: &m.w.logs})
	}
	return &m.nodes[number]
}

// nodeItems are the spanning items of a node that is complete.
type nodeItems struct {
	node  index.Node
	lanes []laneItems // by lane
}

// takeNode takes the items of a node that is complete, once the group is sealed.
func (w *Writer) takeNode(n index.Node) nodeItems {
	items := nodeItems{node: n, lanes: make([]laneItems, len(w.lanes))}
	for i, l := range w.lanes {
		items.lanes[i] = l.nodes.take(n.Level)
		items.lanes[i].join(w.Matcher.lane(l.number).take(n.Level))
	}
	return items
}

// join adds the messages of the same node.
func (i *laneItems) join(messages laneItems) {
	i.messages, i.receivers = messages.messages, messages.receivers
	switch from := messages.totals; {
	case i.totals == nil:
		i.totals = from
	case from != nil:
		i.totals.logs[tables.Messages], i.totals.bad[tables.Messages] = from.logs[tables.Messages], from.bad[tables.Messages]
	}
}

// node writes the spanning items of a node that is complete with a job.
func (b *backlog) node(j *job, n *nodeItems) error {
	b.counts.nodes++
	if err := b.items(format.BlockCalls, n, func(lane uint32, i *laneItems) ([][]byte, error) {
		if i.calls.items == 0 {
			return nil, nil
		}
		calls, err := i.calls.calls()
		i.calls.Clear()
		return b.w.tree.EncodeCalls(n.node, lane, j.period(lane), calls), err
	}); err != nil {
		return err
	}
	return b.items(format.BlockMessages, n, func(lane uint32, i *laneItems) ([][]byte, error) {
		if i.messages.items+len(i.receivers) == 0 {
			return nil, nil
		}
		receivers := slices.Sorted(maps.Keys(i.receivers))
		messages, err := i.messages.messages()
		i.messages.Clear()
		return b.w.tree.EncodeMessages(n.node, lane, receivers, j.period(lane), messages), err
	})
}

// items writes the blocks of one kind of the lanes of a node.
func (b *backlog) items(kind format.BlockKind, n *nodeItems, encode func(lane uint32, i *laneItems) ([][]byte, error)) error {
	return inTurn(b, len(n.lanes),
		func(i int) ([][]byte, error) { return encode(uint32(i), &n.lanes[i]) },
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
