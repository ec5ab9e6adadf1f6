package nodes

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// Lane is the items of one lane in the nodes that are yet to be written, by level.
type Lane struct {
	logs   *blockio.Logs
	levels []Items
}

// Items are the items of one lane in a node, and what they add up to together with what lies within its slices.
type Items struct {
	Calls     Packed
	Messages  Packed          // that the lane receives
	Receivers map[uint32]bool // other lanes that receive messages from it
	Pairs     Packed          // of events, that the lane closes
	Closers   map[uint32]bool // other lanes that close pairs which it opens
	Totals    *Totals         // nil if nothing was added
}

// NewLane returns a lane without items, whose bytes are among some logs.
func NewLane(logs *blockio.Logs) Lane { return Lane{logs: logs} }

// At returns the items in the node of a level.
func (n *Lane) At(level int) *Items {
	for len(n.levels) <= level {
		n.levels = append(n.levels, n.empty())
	}
	return &n.levels[level]
}

// empty returns the items of a node that has none.
func (n *Lane) empty() Items {
	l := blockio.Log{Of: n.logs}
	return Items{Calls: Packed{Log: l}, Messages: Packed{Log: l}, Pairs: Packed{Log: l}}
}

// Totals returns what the lane adds to the node of a level.
func (n *Lane) Totals(tree index.Tree, level int) *Totals {
	items := n.At(level)
	if items.Totals == nil {
		items.Totals = newTotals(tree, level, n.logs)
	}
	return items.Totals
}

// Take returns the items of a node that is complete.
func (n *Lane) Take(level int) (items Items) {
	if level < len(n.levels) {
		items, n.levels[level] = n.levels[level], n.empty()
	}
	return items
}

// AddReceiver notes that another lane receives messages from this one.
func (i *Items) AddReceiver(lane uint32) {
	if i.Receivers == nil {
		i.Receivers = map[uint32]bool{}
	}
	i.Receivers[lane] = true
}

// AddCloser notes that another lane closes pairs which this one opens.
func (i *Items) AddCloser(lane uint32) {
	if i.Closers == nil {
		i.Closers = map[uint32]bool{}
	}
	i.Closers[lane] = true
}

// Join adds the messages and pairs of the same node.
func (i *Items) Join(messages Items) {
	i.Messages, i.Receivers, i.Pairs, i.Closers = messages.Messages, messages.Receivers, messages.Pairs, messages.Closers
	switch from := messages.Totals; {
	case i.Totals == nil:
		i.Totals = from
	case from != nil:
		i.Totals.logs[tables.Messages], i.Totals.Bad[tables.Messages] = from.logs[tables.Messages], from.Bad[tables.Messages]
	}
}
