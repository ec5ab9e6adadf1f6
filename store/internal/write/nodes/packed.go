package nodes

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// Packed is items of a node while they wait for the node to be complete, of each
//
//	varints  its words, each less that of the item before
//
// Many locations have many items, which would take several times as much as they are.
type Packed struct {
	blockio.Log
	Items  int
	before itemWords
}

// itemWords is an item in words.
type itemWords [12]uint64

// add appends an item.
func (p *Packed) add(words *itemWords) {
	b := p.Tail
	for i, w := range words {
		b = format.AppendUvarint(b, format.Zigzag(int64(w-p.before[i])))
	}
	p.End(b)
	p.before = *words
	p.Items++
}

// unpack calls f for all items in order.
func (p *Packed) unpack(f func(words *itemWords)) error {
	var words itemWords
	return p.Each(func(b []byte) {
		for len(b) > 0 {
			for i := range words {
				var step uint64
				step, b = layout.NextWord(b)
				words[i] += uint64(format.Unzigzag(step))
			}
			f(&words)
		}
	})
}

// AddCall appends a spanning call.
func (p *Packed) AddCall(c *index.Call) {
	context := uint64(0)
	if c.Context {
		context = 1
	}
	p.add(&itemWords{
		uint64(c.Location), c.Key, uint64(c.Flags)<<1 | context, uint64(c.Start), uint64(c.End - c.Start), uint64(c.Exclusive), c.Children,
		c.Ordinal, c.EndOrdinal - c.Ordinal, c.StartSlice, c.EndSlice - c.StartSlice,
	})
}

// TakeCalls takes the items, which are calls, in the memory of a list.
func (p *Packed) TakeCalls(list []index.Call) ([]index.Call, error) {
	defer p.Clear()
	return p.Calls(list)
}

// Calls returns the items, which are calls, in the memory of a list.
func (p *Packed) Calls(list []index.Call) ([]index.Call, error) {
	list = slices.Grow(list[:0], p.Items)
	err := p.unpack(func(w *itemWords) {
		list = append(list, index.Call{
			Location: uint32(w[0]), Key: w[1], Context: w[2]&1 == 1, Flags: trace.CallFlags(w[2] >> 1),
			Start: int64(w[3]), End: int64(w[3] + w[4]), Exclusive: int64(w[5]), Children: w[6],
			Ordinal: w[7], EndOrdinal: w[7] + w[8], StartSlice: w[9], EndSlice: w[9] + w[10],
		})
	})
	return list, err
}

// AddMessage appends a spanning message.
func (p *Packed) AddMessage(m *index.Message) {
	s, r := &m.Send, &m.Receive
	p.add(&itemWords{
		uint64(s.Location), s.Ordinal, s.Slice, uint64(s.Time), s.Length,
		uint64(r.Location), r.Ordinal, r.Slice - s.Slice, uint64(r.Time - s.Time), r.Length - s.Length, m.Communicator, m.Tag,
	})
}

// TakeMessages takes the items, which are messages, in the memory of a list.
func (p *Packed) TakeMessages(list []index.Message) ([]index.Message, error) {
	defer p.Clear()
	return p.Messages(list)
}

// Messages returns the items, which are messages, in the memory of a list.
func (p *Packed) Messages(list []index.Message) ([]index.Message, error) {
	list = slices.Grow(list[:0], p.Items)
	err := p.unpack(func(w *itemWords) {
		list = append(list, index.Message{
			Send:         index.End{Location: uint32(w[0]), Ordinal: w[1], Slice: w[2], Time: int64(w[3]), Length: w[4]},
			Receive:      index.End{Location: uint32(w[5]), Ordinal: w[6], Slice: w[2] + w[7], Time: int64(w[3] + w[8]), Length: w[4] + w[9]},
			Communicator: w[10], Tag: w[11],
		})
	})
	return list, err
}
