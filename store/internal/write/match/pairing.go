package match

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Pairs inside a slice are not stored: a receive belongs to the first send of its channel, in the order of lanes and of
// events in them, that is still free. Only the exceptions are: ends whose partner is elsewhere, and the number of free
// sends that a receive passes over.

// sendOrders are the sends of a slice that have their partner in it, channel by channel.
type sendOrders struct {
	numbers []uint32 // by number of a channel: which of the orders is its, from 1; 0 if it has none
	orders  []sendOrder
	sends   []sendPlace // of all orders
}

// sendOrder is the sends of one channel in one slice, in order.
type sendOrder struct {
	channel uint32
	all     int // sends that the channel has
	sends   []sendPlace
	first   int            // the first one that is free
	tree    pairing.Counts // of those behind it that are free; nil if all are
}

type sendPlace struct {
	lane, number uint32
}

func (p sendPlace) compare(o sendPlace) int {
	return cmp.Or(cmp.Compare(p.lane, o.lane), cmp.Compare(p.number, o.number))
}

// begin orders the sends of a slice by channel; channels is their number.
func (o *sendOrders) begin(s *Slice, channels int) {
	o.numbers = append(o.numbers, make([]uint32, max(0, channels-len(o.numbers)))...)
	n := 0
	s.eachSend(func(_ sendPlace, channel uint32) {
		if o.numbers[channel] == 0 {
			o.orders = append(o.orders, sendOrder{channel: channel})
			o.numbers[channel] = uint32(len(o.orders))
		}
		o.of(channel).all++
		n++
	})
	o.sends = slices.Grow(o.sends[:0], n)[:n]
	left := o.sends
	for i := range o.orders {
		c := &o.orders[i]
		c.sends, left = left[:0:c.all], left[c.all:]
	}
	s.eachSend(func(at sendPlace, channel uint32) {
		c := o.of(channel)
		c.sends = append(c.sends, at)
	})
}

func (o *sendOrders) of(channel uint32) *sendOrder { return &o.orders[o.numbers[channel]-1] }

// end forgets the sends.
func (o *sendOrders) end() {
	for i := range o.orders {
		o.numbers[o.orders[i].channel] = 0
	}
	clear(o.orders)
	o.orders = o.orders[:0]
}

// eachSend calls f for the sends of a slice that have their partner in it, in order.
func (s *Slice) eachSend(f func(at sendPlace, channel uint32)) {
	for lane, b := range s.Blocks {
		if b == nil {
			continue
		}
		for i, e := range b.ends {
			if e.mate == isSend && e.partner > 0 {
				f(sendPlace{uint32(lane), uint32(i)}, e.partner-1)
			}
		}
	}
}

// skip returns how many free sends stand before the given one, and takes that one; -1 if there is none.
func (o *sendOrder) skip(p sendPlace) int {
	if o.tree == nil && o.first < len(o.sends) && o.sends[o.first] == p {
		o.first++
		return 0
	}
	at, ok := slices.BinarySearchFunc(o.sends, p, sendPlace.compare)
	if !ok || at < o.first {
		return -1
	}
	if o.tree == nil {
		o.tree = pairing.NewCounts(len(o.sends))
	}
	n := o.tree.Before(at) - o.tree.Before(o.first)
	o.tree.Take(at)
	return n
}

// Seal fixes the pairs of the slices since it was last called, which are a group: what is matched from now on goes into the tree.
func (m *Matcher) Seal() {
	for _, s := range m.group {
		m.sealSlice(s)
		m.releaseEnds(s)
	}
	m.group = m.group[:0]
	m.sums.flushAll()
	m.forgetIdle()
}

func (m *Matcher) sealSlice(s *Slice) {
	m.sends.begin(s, m.numbers)
	defer m.sends.end()
	for _, b := range s.Blocks {
		if b == nil {
			continue
		}
		for i := range b.ends {
			e := &b.ends[i]
			switch {
			case e.partner == 0:
				b.Pairs = slice.AppendMark(b.Pairs, uint32(i), slice.Unpaired)
			case e.mate != isSend:
				send := sendPlace{e.partner - 1, e.mate}
				channel := s.Blocks[send.lane].ends[send.number].partner - 1
				if n := m.sends.of(channel).skip(send); n > 0 {
					b.Pairs = slice.AppendMark(b.Pairs, uint32(i), uint32(n))
				}
			}
		}
	}
}

// releaseEnds forgets the ends of messages in a slice.
func (m *Matcher) releaseEnds(s *Slice) {
	for _, b := range s.Blocks {
		if b != nil {
			b.ends = nil
		}
	}
}

// forgetIdle drops channels that nothing waits in, when there are many: tags may be used once only.
func (m *Matcher) forgetIdle() {
	const many = 1 << 16
	if len(m.channels) < many {
		return
	}
	for k, c := range m.channels {
		if c.held == 0 && c.sends.len() == 0 && c.receives.len() == 0 {
			delete(m.channels, k)
		}
	}
	m.numbers = 0
	for _, c := range m.channels {
		m.number(c) // no end of a block refers to one any longer
	}
	clear(m.recent[:])
}
