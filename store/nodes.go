package store

import (
	"maps"
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// spanning collects the items of the tree's nodes, by level, until the nodes are written.
type spanning struct {
	levels []map[uint32]*laneItems
	totals levelTotals
}

// laneItems are the items of one lane in a node.
type laneItems struct {
	calls     packed
	messages  packed          // that the lane receives
	receivers map[uint32]bool // other lanes that receive messages from it
}

// lane returns the items of a lane in the node of a level that is yet to be written.
func (s *spanning) lane(level int, lane uint32) *laneItems {
	for len(s.levels) <= level {
		s.levels = append(s.levels, map[uint32]*laneItems{})
	}
	items := s.levels[level][lane]
	if items == nil {
		items = &laneItems{}
		s.levels[level][lane] = items
	}
	return items
}

// addCalls moves a lane's spanning calls to the smallest nodes that contain them. Their ends lie in the current slice,
// so that these nodes are yet to be written.
func (s *spanning) addCalls(tree index.Tree, l *lane) {
	for i := range l.spanned {
		c := &l.spanned[i]
		level, _ := tree.Smallest(c.StartSlice, c.EndSlice)
		items := s.lane(level, l.number)
		items.calls.addCall(c)
	}
	l.spanned = l.spanned[:0]
}

// addMessage puts a message between two lanes into the smallest node that contains it and is not yet written: that contains
// the current slice too.
func (s *spanning) addMessage(tree index.Tree, m *index.Message, from, to uint32, current uint64) {
	level, _ := tree.Smallest(min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice, current))
	items := s.lane(level, to)
	items.messages.addMessage(m)
	if from == to {
		return
	}
	items = s.lane(level, from)
	if items.receivers == nil {
		items.receivers = map[uint32]bool{}
	}
	items.receivers[to] = true
}

// nodeItems are the spanning items of a node that is complete.
type nodeItems struct {
	node   index.Node
	lanes  map[uint32]*laneItems
	totals map[uint32]*nodeTotals
}

func (s *spanning) take(n index.Node) nodeItems {
	items := nodeItems{node: n, totals: s.totals.take(n.Level)}
	if n.Level < len(s.levels) {
		items.lanes, s.levels[n.Level] = s.levels[n.Level], map[uint32]*laneItems{}
	}
	return items
}

// join adds the messages of the same node.
func (n *nodeItems) join(messages nodeItems) {
	if n.lanes == nil {
		n.lanes = messages.lanes
	}
	for lane, from := range messages.lanes {
		if to := n.lanes[lane]; to == nil {
			n.lanes[lane] = from
		} else {
			to.messages, to.receivers = from.messages, from.receivers
		}
	}
	if n.totals == nil {
		n.totals = messages.totals
	}
	for lane, from := range messages.totals {
		if to := n.totals[lane]; to == nil {
			n.totals[lane] = from
		} else {
			to.logs[index.Messages], to.bad[index.Messages] = from.logs[index.Messages], from.bad[index.Messages]
		}
	}
}

// node writes the spanning items of a node that is complete with a job.
func (b *backlog) node(j *job, n *nodeItems) error {
	b.counts.nodes++
	lanes := slices.Sorted(maps.Keys(n.lanes))
	if err := b.items(format.BlockCalls, n.node, lanes, func(lane uint32) [][]byte {
		calls := &n.lanes[lane].calls
		if calls.items == 0 {
			return nil
		}
		return b.w.tree.EncodeCalls(n.node, lane, j.period(lane), calls.calls())
	}); err != nil {
		return err
	}
	return b.items(format.BlockMessages, n.node, lanes, func(lane uint32) [][]byte {
		i := n.lanes[lane]
		if i.messages.items+len(i.receivers) == 0 {
			return nil
		}
		receivers := slices.Sorted(maps.Keys(i.receivers))
		return b.w.tree.EncodeMessages(n.node, lane, receivers, j.period(lane), i.messages.messages())
	})
}

// items writes the blocks of one kind of the lanes of a node.
func (b *backlog) items(kind format.BlockKind, n index.Node, lanes []uint32, encode func(lane uint32) [][]byte) error {
	return inTurn(b, len(lanes),
		func(i int) [][]byte { return encode(lanes[i]) },
		func(i int, pages [][]byte) error { return b.pages(kind, n, lanes[i], pages) })
}

// pages writes the blocks of one lane in a node.
func (b *backlog) pages(kind format.BlockKind, n index.Node, lane uint32, pages [][]byte) error {
	for _, page := range pages {
		ref, err := b.w.file.block(kind, page)
		if err != nil {
			return err
		}
		b.nodeEntry(entry(kind, n.Level, lane, n.Index, ref))
	}
	return nil
}

// period returns the period that most clocks of a lane have in a job's slices, 0 if none has.
func (j *job) period(lane uint32) (most encode.Period) {
	counts := map[encode.Period]int{}
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
