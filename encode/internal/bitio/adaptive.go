package bitio

import (
	"math/bits"
)

// # Adaptive bits
//
// A stream of bits, each of which is coded with a chance: the probability that it is 1, which follows the bits coded with the
// chance before. A chance is a number p, 0 < p < 2^16, in units of 2^-16, and begins with p = 2^15; m counts the bits coded with
// it, up to 40. After a bit
//
//	step = floor(5·2^16 / (5·m + 9))
//	p    = p + floor((2^16 - p)·step / 2^16)    after a 1
//	p    = p - floor(p·step / 2^16)             after a 0
//	m    = min(m + 1, 40)
//
// The stream is a number x, 0 <= x < 1, byte by byte, the most significant one first. The decoder begins with size = 2^32 - 1 and
// code = the first four bytes as a number, most significant first. A bit is decoded thus:
//
//	one = floor(size / 2^16)·p, or floor(size / 2) for a bit without a chance
//	code <  one:  the bit is 1, size = one
//	code >= one:  the bit is 0, size = size - one, code = code - one
//	while size < 2^24:  size = size·2^8, code = code·2^8 + the next byte
//
// The last byte of the stream is followed by three bytes of zeros, which are not stored. When the last bit is decoded, the decoder
// has taken these three and no more, and code is less than 2^24: so there is one stream for given bits.
//
// A number v of up to 64 bits has n binary digits, none if it is 0. First come n ones and, unless n is 64, a zero, each with a
// chance of its own by the number of ones before it; then the digits below the first one, high ones first. The first four of
// them are coded with a chance of their own by n and the digits before, the rest without a chance. So a context for numbers has
// 64 + 65·15 chances at most.

// Chance is the probability of a bit. The zero value is that of a new one.
type Chance struct {
	p uint16 // exclusive-ored with 2^15
	m uint16
}

const (
	newChance = 1 << 15
	maxChance = 40 // bits that a chance counts
)

// chanceSteps is how fast chances change, by the number of bits counted.
var chanceSteps = func() (steps [64]uint32) {
	for m := range maxChance + 1 {
		steps[m] = uint32(5 << 16 / (5*m + 9))
	}
	return steps
}()

// part returns the size of the part of an interval that means 1.
func (c *Chance) part(size uint32) uint32 { return size >> 16 * uint32(c.p^newChance) }

// adapt counts a bit. Written so that the compiler needs no branch, as no processor can foresee the bits.
func (c *Chance) adapt(bit bool) {
	p := uint32(c.p ^ newChance)
	way := p
	if bit {
		way = 1<<16 - p
	}
	step := way * chanceSteps[c.m&63] >> 16
	next := p - step
	if bit {
		next = p + step
	}
	c.p, c.m = uint16(next)^newChance, min(c.m+1, maxChance)
}

// Coder writes or reads bits. Its functions take the value to be written and return the value written or read, so that one function
// serves both directions.
type Coder struct {
	interval
	Reading bool
	low     uint64 // when writing: where the interval begins, below 2^33
	data    []byte
}

// interval is that in which the number lies, and when reading, where.
type interval struct {
	size uint32
	code uint32 // the number, less where the interval begins
	Pos  int    // the next byte
}

// behind is the number of bytes that are read behind the end.
const behind = 3

func NewWriter() *Coder { return &Coder{interval: interval{size: 1<<32 - 1}} }

func NewReader(data []byte) *Coder {
	c := &Coder{Reading: true, interval: interval{size: 1}, data: data}
	for range 4 {
		c.interval = c.next(data)
	}
	c.size = 1<<32 - 1
	return c
}

// next takes a byte; behind the end are zeros.
func (i interval) next(data []byte) interval {
	b := uint32(0)
	if i.Pos < len(data) {
		b = uint32(data[i.Pos])
	}
	return interval{i.size << 8, i.code<<8 | b, i.Pos + 1}
}

// take reads a bit; one is the size of the part that means 1. The interval may be too small for another one until it is filled.
func (i interval) take(one uint32) (interval, bool) {
	bit := i.code < one
	size, code := i.size-one, i.code-one
	if bit {
		size, code = one, i.code
	}
	return interval{size, code, i.Pos}, bit
}

// below is take of a 1, above that of a 0.
func (i interval) below(one uint32) interval { return interval{one, i.code, i.Pos} }
func (i interval) above(one uint32) interval { return interval{i.size - one, i.code - one, i.Pos} }

// fill takes bytes until the interval is large enough for a bit.
func (i interval) fill(data []byte) interval {
	for i.size < 1<<24 {
		i = i.next(data)
	}
	return i
}

// Torn reports whether more was read than there is.
func (c *Coder) Torn() bool { return c.Pos > len(c.data)+behind }

func (c *Coder) Bit(p *Chance, bit bool) bool {
	bit = c.choose(p.part(c.size), bit)
	p.adapt(bit)
	return bit
}

// choose codes a bit; one is the size of the part of the interval that means 1.
func (c *Coder) choose(one uint32, bit bool) bool {
	if c.Reading {
		c.interval, bit = c.take(one)
		c.interval = c.fill(c.data)
		return bit
	}
	if bit {
		c.size = one
	} else {
		c.size, c.low = c.size-one, c.low+uint64(one)
	}
	for ; c.size < 1<<24; c.size <<= 8 {
		c.put()
	}
	return bit
}

// put writes the highest byte of low.
func (c *Coder) put() {
	if c.low >= 1<<32 {
		i := len(c.data) - 1
		for c.data[i]++; c.data[i] == 0; c.data[i]++ {
			i--
		}
	}
	c.data = append(c.data, byte(c.low>>24))
	c.low = c.low << 8 & (1<<32 - 1)
}

// Finish ends the writing and returns the stream.
func (c *Coder) Finish() []byte {
	c.low = (c.low + 1<<24 - 1) >> 24 << 24
	c.put()
	return c.data
}

// Done reports whether the stream ends here, filled with zeros to a least number of bytes.
func (c *Coder) Done(least int) bool {
	end := c.Pos - behind
	if c.Torn() || c.code >= 1<<24 || len(c.data) != max(end, least) {
		return false
	}
	for _, b := range c.data[end:] {
		if b != 0 {
			return false
		}
	}
	return true
}

// NumberChances is a context for numbers.
type NumberChances struct {
	length [64]Chance
	digits [65]*[16]Chance // by length, made when it first occurs, and the digits before, with a 1 in front
}

// Reset makes a context a new one, and keeps its memory.
func (p *NumberChances) Reset() {
	clear(p.length[:])
	for _, digits := range p.digits {
		if digits != nil {
			clear(digits[:])
		}
	}
}

func (c *Coder) Number(p *NumberChances, v uint64) uint64 {
	if c.Reading {
		return c.readNumber(p)
	}
	n, length := bits.Len64(v), 0
	for length < 64 && c.Bit(&p.length[length], n > length) {
		length++
	}
	if length == 0 {
		return 0
	}
	digits := p.digitsOf(length)
	read := uint64(1)
	for i := length - 2; i >= 0; i-- {
		bit := v>>i&1 != 0
		if read < 16 {
			c.Bit(&digits[read], bit)
		} else {
			c.choose(c.size>>1, bit)
		}
		read = read<<1 | uint64(FromBool(bit))
	}
	return v
}

func (p *NumberChances) digitsOf(length int) *[16]Chance {
	if p.digits[length] == nil {
		p.digits[length] = new([16]Chance)
	}
	return p.digits[length]
}

// readNumber is number for reading, with what changes at each bit at hand.
func (c *Coder) readNumber(p *NumberChances) uint64 {
	i, data, length, bit := c.interval, c.data, 0, false
	for ; length < 64; length++ {
		one := &p.length[length]
		part := one.part(i.size)
		if i.code >= part { // a branch, unlike take: it is foreseen more often than not, so that what follows need not wait
			i = i.above(part).fill(data)
			one.adapt(false)
			break
		}
		i = i.below(part).fill(data)
		one.adapt(true)
	}
	if length == 0 {
		c.interval = i
		return 0
	}
	digits, v := p.digitsOf(length), uint64(1)
	for ; length > 1 && v < 16; length-- {
		one := &digits[v]
		i, bit = i.take(one.part(i.size))
		i = i.fill(data)
		one.adapt(bit)
		v = v<<1 | uint64(FromBool(bit))
	}
	for ; length > 1; length-- {
		i, bit = i.take(i.size >> 1)
		i = i.fill(data)
		v = v<<1 | uint64(FromBool(bit))
	}
	c.interval = i
	return v
}
