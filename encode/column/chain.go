package column

import (
	"github.com/pandotrace/pando/format"
)

// # Chains
//
// A chain is a block of values each of which has the context that the value before it tells, so that they stand in the order
// in which they follow each other. It is
//
//	exceptions   uvarint their number; for each uvarint how many values lie between it and the one before, uvarint the value
//	offsets      uvarint the number of bytes; bits, low ones first; the last byte is filled with zeros
//	state        4 bytes
//	words        2 bytes each, as many as decoding takes
//
// Symbols, offsets and exceptions are those of a block of values, but for the state: there is one, it ends as 2^16 and carries
// nothing.

// AppendChain appends a chain: values[i] has context contexts[i].
func (m *Model) AppendChain(dst []byte, contexts []int, values []uint64) []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.reset(len(values))
	for i, v := range values {
		t := m.table(contexts[i])
		symbol := t.find(v)
		b := &t.bins[symbol]
		offset := v - b.lo
		if offset>>(b.bits&63) != 0 {
			s.exceptions = append(s.exceptions, exception{i, v})
			symbol, offset = t.common, 0
			b = &t.bins[symbol]
		}
		s.symbols[i] = symbol
		s.offsets.put(offset, b.bits)
	}
	dst = s.appendExceptions(dst)
	dst = format.AppendBytes(dst, s.offsets.finish(0))
	w := symbolWriter{words: s.words, pos: len(s.words), states: 1}
	w.x[0] = stateMin
	for i := len(values) - 1; i >= 0; i-- {
		if t := m.table(contexts[i]); t.coding() {
			w.one(0, t, s.symbols[i])
		}
	}
	dst = append32(dst, w.x[0])
	return append(dst, s.words[w.pos:]...)
}

// chainReader decodes a chain value by value.
type chainReader struct {
	model      *Model
	r          *format.Decoder
	symbols    symbolReader
	offsets    chainOffsets
	exceptions *format.Decoder // what is left of them
	left       int             // exceptions
	until      int             // values to the next of them
}

// NewChainReader begins to read a chain of n values, which takes all that is left of r. Damage is noted in r.
func (m *Model) NewChainReader(r *format.Decoder, n int) *chainReader {
	c := &chainReader{model: m, r: r}
	ahead := *r
	c.left = ahead.Count(2, n)
	c.exceptions = &ahead
	skipExceptions(r, n)
	c.offsets.data = r.Bytes()
	c.symbols.x[0] = r.Uint32()
	if c.symbols.x[0] < stateMin {
		r.Fail("state %d", c.symbols.x[0])
	}
	c.symbols.src = r.Take(r.Len())
	c.nextException()
	return c
}

func (c *chainReader) nextException() {
	c.until = -1
	if c.left > 0 {
		c.left--
		c.until = int(c.exceptions.Uvarint())
	}
}

// Next decodes the next value.
func (c *chainReader) Next(context int) uint64 {
	t := c.model.table(context)
	symbol := uint8(0)
	if t.coding() {
		symbol = c.symbols.one(t)
	}
	offset := c.offsets.take(t.bins[symbol].bits)
	if offset > t.reach[symbol].last {
		c.r.Fail("an offset leaves its bin")
	}
	v := t.bins[symbol].lo + offset
	c.until--
	if c.until == -1 {
		v = c.exception(t, v)
	}
	return v
}

// exception returns the exception that stands in the place of a value.
func (c *chainReader) exception(t *table, coded uint64) uint64 {
	v := c.exceptions.Uvarint()
	if coded != t.bins[t.common].lo {
		c.r.Fail("a value is an exception but coded as %d", coded)
	}
	if b := t.bins[t.find(v)]; (v-b.lo)>>(b.bits&63) == 0 {
		c.r.Fail("value %d is an exception but in a bin", v)
	}
	c.nextException()
	return v
}

// Finish checks that the chain ends here.
func (c *chainReader) Finish() {
	switch {
	case c.symbols.torn || c.symbols.pos != len(c.symbols.src) || c.symbols.x[0] != stateMin:
		c.r.Fail("symbols do not end with the chain")
	case !c.offsets.done():
		c.r.Fail("offsets do not end with the chain")
	}
}

// chainOffsets reads the offsets of a chain.
type chainOffsets struct {
	data []byte
	pos  uint // in bits
	torn bool
}

func (o *chainOffsets) take(n uint8) uint64 {
	v := uint64(0)
	for at := uint(0); at < uint(n); {
		if int(o.pos>>3) >= len(o.data) {
			o.torn = true
			return 0
		}
		take := min(8-o.pos&7, uint(n)-at)
		v |= uint64(o.data[o.pos>>3]>>(o.pos&7)) & (1<<take - 1) << at
		at += take
		o.pos += take
	}
	return v
}

// done reports whether all was read: only zeros are left of the last byte.
func (o *chainOffsets) done() bool {
	if o.torn || int(o.pos+7)>>3 != len(o.data) {
		return false
	}
	return o.pos&7 == 0 || o.data[o.pos>>3]>>(o.pos&7) == 0
}
