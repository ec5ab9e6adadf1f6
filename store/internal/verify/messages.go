package verify

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/summary"
	"github.com/pandotrace/pando/trace"
)

// A message counts in the tables of two lanes, and to pair those of a slice takes the events of all its lanes. So the tables of as many lanes
// of a node as fit into memory are checked together: what the messages below the node come to is taken away from them, and nothing must be left.

// messageTables are tables of messages of some lanes of a node.
type messageTables struct {
	*read.File
	node     index.Node
	all      read.SliceRange // slices below it
	every    []uint32        // lanes of the trace
	balances balances
	failed   bool // what is below the node cannot be read, which has been told
}

// balances are those of tables, by lane; nil where there is none.
type balances []*messageBalance

// messageBalance is what a table says and was not found yet.
type messageBalance struct {
	offset  uint64 // of the block
	vectors int
	width   uint64 // slices of a vector
	lines   map[read.Pair]int
	left    []messageCount // by line and vector
	wrong   int            // the first vector that something was found of which it does not say, or `vectors`
}

type messageCount struct{ count, bytes uint64 }

// messageTable checks the table of messages of the block of summaries at an offset.
func (v *verifier) messageTable(s *tables.Summary, offset uint64) error {
	if !v.checked.has(s, offset) {
		m, err := newMessageTables(v.r, s, offset)
		if err != nil {
			return err
		}
		v.checked = m
		if err := m.subtract(); err != nil {
			m.failed = true
			return err
		}
	}
	return v.checked.check(s.Lane)
}

// has reports whether the table of a block has been looked at.
func (m *messageTables) has(s *tables.Summary, offset uint64) bool {
	if m == nil || m.node != s.Node {
		return false
	}
	b := m.balances.of(s.Lane)
	return b != nil && b.offset == offset
}

// newMessageTables collects the tables of a block's lane and of lanes behind it, as many as take a quarter of what the cache may.
func newMessageTables(r *read.File, s *tables.Summary, offset uint64) (*messageTables, error) {
	if err := r.NeedLocations(); err != nil {
		return nil, err
	}
	m := &messageTables{File: r, node: s.Node, every: r.AllLanes(), balances: make(balances, r.LaneCount())}
	m.all, _ = r.Children(s.Node)
	t, _, err := r.ReadTable(s, tables.Messages)
	if err != nil {
		return nil, err
	}
	bytes := m.add(s.Lane, t, offset)
	lanes, err := r.Having(format.BlockSummary, s.Node, m.every)
	if err != nil {
		return nil, err
	}
	for _, lane := range lanes {
		if lane > s.Lane && bytes <= r.Cache().Budget/4 {
			n, err := m.addLane(lane)
			if bytes += n; err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

// addLane adds the table of a lane, if it can be read: else that is a problem of its own block.
func (m *messageTables) addLane(lane uint32) (bytes int64, err error) {
	ref, _, err := m.NodeRef(format.BlockSummary, m.node, lane)
	if err != nil {
		return 0, err
	}
	t, err := m.Table(m.node, lane, tables.Messages)
	switch {
	case format.IsCorrupt(err):
		return 0, nil
	case err != nil || t == nil:
		return 0, err
	}
	return m.add(lane, t, ref.Offset), nil
}

// add adds the table of a lane, and returns about the memory that it takes.
func (m *messageTables) add(lane uint32, t *read.SummaryTable, offset uint64) int64 {
	const lineBytes, countBytes = 48, 16
	b := &messageBalance{
		offset: offset, vectors: t.Vectors, width: t.Step * m.Tree().Width(m.node.Level-1), wrong: t.Vectors,
		lines: make(map[read.Pair]int, len(t.Lines)), left: make([]messageCount, len(t.Lines)*t.Vectors),
	}
	for i, k := range t.Sums.Keys {
		b.lines[read.Pair{Send: uint32(k[0]), Receive: uint32(k[1])}] = i
		for v := range b.vectors {
			b.left[i*b.vectors+v] = messageCount{t.Sums.Sum(i, tables.SumCount, v, v+1), t.Sums.Sum(i, tables.SumBytes, v, v+1)}
		}
	}
	m.balances[lane] = b
	return t.Sums.Bytes() + lineBytes*int64(len(t.Lines)) + countBytes*int64(len(b.left))
}

// check reports whether a table, of which everything has been subtracted, was right.
func (m *messageTables) check(lane uint32) error {
	b := m.balances[lane]
	if m.failed {
		return nil
	}
	wrong := b.wrong
	for i, left := range b.left {
		if v := i % b.vectors; v < wrong && left != (messageCount{}) {
			wrong = v
		}
	}
	if wrong == b.vectors {
		return nil
	}
	first := m.all.First + uint64(wrong)*b.width
	return wrongVector(tables.Messages, read.SliceRange{First: first, End: min(first+b.width, m.all.End)})
}

// of returns the balance of a lane.
func (b balances) of(lane uint32) *messageBalance {
	if int(lane) >= len(b) {
		return nil
	}
	return b[lane]
}

// take takes away messages of a vector.
func (b *messageBalance) take(vector int, p read.Pair, n messageCount) {
	i, ok := b.lines[p]
	if !ok {
		b.wrong = min(b.wrong, vector)
		return
	}
	left := &b.left[i*b.vectors+vector]
	if left.count < n.count || left.bytes < n.bytes {
		b.wrong = min(b.wrong, vector)
		return
	}
	left.count, left.bytes = left.count-n.count, left.bytes-n.bytes
}

// vector returns the vector that has all slices from one to another; ok is false if none has.
func (m *messageTables) vector(b *messageBalance, first, last uint64) (v int, ok bool) {
	if !m.all.Contain(first, last) {
		return 0, false
	}
	v = int((first - m.all.First) / b.width)
	return v, uint64(v) == (last-m.all.First)/b.width
}

// subtract takes away all messages below the node.
func (m *messageTables) subtract() error {
	if err := m.spanning(m.node, m.balances, nil); err != nil {
		return err
	}
	return m.below(m.node, m.balances)
}

// below takes away from some balances what the children of a node have.
func (m *messageTables) below(n index.Node, of balances) error {
	all, _ := m.Children(n)
	width := m.Tree().Width(n.Level - 1)
	for child := all.First; child < all.End; child += width {
		if n.Level == 1 {
			if err := m.slice(child, of); err != nil {
				return err
			}
		} else if err := m.child(index.Node{Level: n.Level - 1, Index: child / width}, of); err != nil {
			return err
		}
	}
	return nil
}

// child takes away what a node further down has: what its tables say, which are checked themselves, and for lanes without one what lies
// below it.
func (m *messageTables) child(n index.Node, of balances) error {
	rest, nodes := slices.Clone(of), make([]summary.CoveredNode, len(of))
	lanes, err := m.Having(format.BlockSummary, n, m.every)
	if err != nil {
		return err
	}
	for _, lane := range lanes {
		if of[lane] == nil {
			continue
		}
		t, err := m.Table(n, lane, tables.Messages)
		if err != nil {
			return err
		}
		if t != nil {
			nodes[lane], rest[lane] = m.takeTable(of[lane], n, t), nil
		}
	}
	if err := m.spanning(n, of, nodes); err != nil || !slices.ContainsFunc(rest, func(b *messageBalance) bool { return b != nil }) {
		return err
	}
	return m.below(n, rest)
}

// takeTable takes away what a table of a node further down says.
func (m *messageTables) takeTable(b *messageBalance, n index.Node, t *read.SummaryTable) summary.CoveredNode {
	all, _ := m.Children(n)
	if v, ok := m.vector(b, all.First, all.End-1); ok {
		for i, k := range t.Sums.Keys {
			sum := messageCount{t.Sums.Sum(i, tables.SumCount, 0, t.Vectors), t.Sums.Sum(i, tables.SumBytes, 0, t.Vectors)}
			b.take(v, read.Pair{Send: uint32(k[0]), Receive: uint32(k[1])}, sum)
		}
	}
	return summary.CoveredNode{Node: n, Width: t.Step * m.Tree().Width(n.Level-1), Done: all}
}

// spanning takes away the spanning messages of a node, unless they are part of tables of its lanes.
func (m *messageTables) spanning(n index.Node, of balances, tables []summary.CoveredNode) error {
	lanes, err := m.Having(format.BlockMessages, n, m.every)
	if err != nil {
		return err
	}
	for _, lane := range lanes {
		if _, err := m.Received(format.BlockMessages, n, lane, func(b *read.MessageBlock) error {
			all, err := b.All()
			for i := range all {
				s, r := &all[i].Send, &all[i].Receive
				first, last := min(s.Slice, r.Slice), max(s.Slice, r.Slice)
				m.take(of, s.Location, r.Location, s.Length, first, last, tables)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// slice takes away the messages of a slice.
func (m *messageTables) slice(slice uint64, of balances) error {
	every := &read.MessageLanes{Lanes: m.every}
	all, err := query.PairedMessages(m.File, slice, every)
	if err == query.ErrTooMuch {
		return m.largeSlice(slice, every, of)
	}
	for i := range all {
		s := &all[i].Send
		m.take(of, s.Location, all[i].Receive.Location, s.Length, slice, slice, nil)
	}
	return err
}

// largeSlice takes away those of a slice that has too many for them to be looked at at once.
func (m *messageTables) largeSlice(slice uint64, every *read.MessageLanes, of balances) error {
	p, err := query.SlicePairs(m.File, slice, every)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(p.Pairs, m.AtOnce.Messages) {
		var all []trace.Message
		if all, err = p.Messages(some); err != nil {
			return err
		}
		for i := range all {
			t := &all[i]
			m.take(of, m.KnownIndex(t.SendLocation), m.KnownIndex(t.ReceiveLocation), t.SendLength, slice, slice, nil)
		}
	}
	return nil
}

// take takes away a message with its ends in two slices from the balances of the lanes of its two locations, except those with a table that
// it is part of.
func (m *messageTables) take(of balances, send, receive uint32, bytes, first, last uint64, tables []summary.CoveredNode) {
	from, _ := m.LaneOf(send)
	to, _ := m.LaneOf(receive)
	for i, lane := range [2]uint32{from, to} {
		b := of.of(lane)
		if b == nil || i == 1 && to == from || tables != nil && tables[lane].Has(first, last) {
			continue
		}
		if v, ok := m.vector(b, first, last); ok {
			b.take(v, read.Pair{Send: send, Receive: receive}, messageCount{1, bytes})
		}
	}
}
