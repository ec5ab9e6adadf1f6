package match

import (
	"math/bits"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// messageSums adds up messages before they are added to nodes: most of a slice are between few locations.
type messageSums struct {
	m    *Matcher // to whose nodes they are added
	rows [1 << sumBits]messageSum
}

// sumBits is the logarithm of their number.
const sumBits = 8

// messageSum is what the messages between two locations with their ends in two slices add up to.
type messageSum struct {
	of           messagesOf
	lanes        [2]uint32 // of sender and receiver
	count, bytes uint64    // count is 0 where there is none
}

// messagesOf tells messages apart. until is the last slice that their node must have.
type messagesOf struct {
	send, receive      uint32 // locations
	first, last, until uint64 // slices
}

func (o *messagesOf) hash() int {
	const a, b, c = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xa0761d6478bd642f
	return int(((uint64(o.send)|uint64(o.receive)<<32)*a ^ o.first*b ^ o.last*c) >> (64 - sumBits))
}

// add adds a message to the smallest node that has both its ends and a later slice, for the lanes of both ends.
func (m *messageSums) add(s, r *messageEnd, until uint64) {
	of := messagesOf{send: s.Location, receive: r.Location, first: min(s.Slice, r.Slice), last: max(s.Slice, r.Slice)}
	of.until = max(of.last, until)
	row := &m.rows[of.hash()]
	sum, carry := bits.Add64(row.bytes, s.Length, 0)
	if row.count == 0 || row.of != of || carry != 0 {
		m.flush(row)
		*row = messageSum{of: of, lanes: [2]uint32{s.lane, r.lane}}
		sum = s.Length
	}
	row.count, row.bytes = row.count+1, sum
}

// flush gives a sum to its node.
func (m *messageSums) flush(s *messageSum) {
	if s.count == 0 {
		return
	}
	tree := m.m.tree
	level, _ := tree.Smallest(s.of.first, s.of.until)
	row := tables.Row{Key: tables.Key{uint64(s.of.send), uint64(s.of.receive)}, Sums: [4]uint64{tables.SumCount: s.count, tables.SumBytes: s.bytes}}
	n := m.m.Lane(s.lanes[0]).Totals(tree, level)
	run := n.RunOf(s.of.first, s.of.last)
	n.Add(tables.Messages, run, row)
	if s.lanes[1] != s.lanes[0] {
		m.m.Lane(s.lanes[1]).Totals(tree, level).Add(tables.Messages, run, row)
	}
	s.count = 0
}

// flushAll gives all to their nodes, which are about to be complete.
func (m *messageSums) flushAll() {
	for i := range m.rows {
		m.flush(&m.rows[i])
	}
}

// add puts a message, or a pair of events, between two lanes into the smallest node that contains it and is not yet written: that contains the
// current slice too.
func (m *Matcher) add(of func(*nodes.Items) *nodes.Ends, item *index.Message, from, to uint32) {
	first, last := min(item.Send.Slice, item.Receive.Slice), max(item.Send.Slice, item.Receive.Slice, m.current)
	level, _ := m.tree.Smallest(first, last)
	of(m.Lane(to).At(level)).AddMessage(item)
	if from != to {
		of(m.Lane(from).At(level)).AddReceiver(to)
	}
}

// Lane returns the messages of a lane in the nodes that are yet to be written.
func (m *Matcher) Lane(number uint32) *nodes.Lane {
	for len(m.nodes) <= int(number) {
		m.nodes = append(m.nodes, nodes.NewLane(m.logs))
	}
	return &m.nodes[number]
}
