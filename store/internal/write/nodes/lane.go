package nodes

import (
	"maps"
	"slices"

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
	Calls    Packed
	Messages Ends    // that the lane receives
	Pairs    Ends    // of events, that the lane closes
	Totals   *Totals // nil if nothing was added
}

// Ends are items with two ends, of which the lane has the later one: that receives a message, or closes what another event opens.
type Ends struct {
	Packed
	receivers map[uint32]bool // other lanes that have the later end of what begins in this one
}

// Messages selects the messages.
func Messages(i *Items) *Ends { return &i.Messages }

// Pairs selects the pairs of events.
func Pairs(i *Items) *Ends { return &i.Pairs }

// Count returns how much there is to write.
func (e *Ends) Count() int { return e.Items + len(e.receivers) }

// AddReceiver notes that another lane has the later end of something that begins in this one.
func (e *Ends) AddReceiver(lane uint32) {
	if e.receivers == nil {
		e.receivers = map[uint32]bool{}
	}
	e.receivers[lane] = true
}

// Receivers returns the other lanes that have later ends, in order.
func (e *Ends) Receivers() []uint32 { return slices.Sorted(maps.Keys(e.receivers)) }

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
	return Items{Calls: Packed{Log: l}, Messages: Ends{Packed: Packed{Log: l}}, Pairs: Ends{Packed: Packed{Log: l}}}
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

// Join adds the messages and pairs of the same node.
func (i *Items) Join(messages Items) {
	i.Messages, i.Pairs = messages.Messages, messages.Pairs
	switch from := messages.Totals; {
	case i.Totals == nil:
		i.Totals = from
	case from != nil:
		i.Totals.logs[tables.Messages], i.Totals.Bad[tables.Messages] = from.logs[tables.Messages], from.Bad[tables.Messages]
	}
}
