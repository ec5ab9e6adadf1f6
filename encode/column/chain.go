package column

import (
	"math"

	"github.com/pandotrace/pando/format"
)

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
	w := newSymbolWriter(s.words, nil)
	for i := len(values) - 1; i >= 0; i-- {
		if t := m.table(contexts[i]); t.coding() {
			w.one(0, t, s.symbols[i])
		}
	}
	return s.appendStreams(dst, &w, s.offsets.finish())
}

// ChainReader decodes a chain value by value, see [Model.NewChainReader].
type ChainReader struct {
	model      *Model
	r          *format.Decoder
	symbols    symbolReader
	offsets    bitReader
	exceptions *format.Decoder // what is left of them
	left       int             // exceptions
	until      int             // values to the next of them
}

// NewChainReader begins to read a chain, which takes all that is left of r. Damage is noted in r.
func (m *Model) NewChainReader(r *format.Decoder) *ChainReader {
	c := &ChainReader{model: m, r: r}
	ahead := *r
	c.left = ahead.Count(2, math.MaxInt)
	c.exceptions = &ahead
	skipExceptions(r, math.MaxInt)
	if !c.symbols.begin(readWords(r), false) {
		r.Fail("a state out of range")
	}
	c.offsets.data = r.Take(r.Len())
	c.nextException()
	return c
}

func (c *ChainReader) nextException() {
	c.until = -1
	if c.left > 0 {
		c.left--
		c.until = int(c.exceptions.Uvarint())
	}
}

// Next decodes the next value.
func (c *ChainReader) Next(context int) uint64 {
	t := c.model.table(context)
	at := uint32(0)
	if t.coding() {
		at = c.symbol(t)
	}
	b := &(*[maxBins]reach)(t.reach[:maxBins])[at]
	v := b.lo
	if b.bits > 0 {
		v += c.offset(b)
	}
	if c.until--; c.until == -1 {
		v = c.exception(t, v)
	}
	return v
}

// symbol is symbolReader.one of the first state, whose bounds need no check.
func (c *ChainReader) symbol(t *table) uint32 {
	r := &c.symbols
	slots, freqs := (*[1 << maxLog]byte)(t.slots[:1<<maxLog]), (*[maxBins]frequency)(t.freqs[:maxBins])
	log := t.log & 15
	slot := r.x[0] & (1<<log - 1) & (1<<maxLog - 1)
	symbol := slots[slot]
	f := freqs[symbol]
	x := f.freq()*(r.x[0]>>log) + slot - f.start()
	if x < stateMin && r.pos+2 <= len(r.src) {
		x = x<<16 | load16(r.src[r.pos:])
		r.pos += 2
	}
	r.x[0] = x
	return uint32(symbol)
}

// offset decodes an offset in a bin.
func (c *ChainReader) offset(b *reach) uint64 {
	offset := c.offsets.take(uint8(b.bits))
	if offset > b.last {
		c.r.Fail("an offset leaves its bin")
	}
	return offset
}

// exception returns the exception that stands in the place of a value.
func (c *ChainReader) exception(t *table, coded uint64) uint64 {
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
func (c *ChainReader) Finish() {
	switch {
	case c.until >= 0:
		c.r.Fail("an exception behind the last value")
	case !c.symbols.done():
		c.r.Fail("symbols do not end with their words")
	case !c.offsets.done():
		c.r.Fail("offsets do not end with the chain")
	}
}
