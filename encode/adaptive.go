package encode

import "math/bits"

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

// chance is the probability of a bit. The zero value is that of a new one.
type chance struct {
	p uint16 // exclusive-ored with 2^15
	m uint16
}

const (
	newChance = 1 << 15
	maxChance = 40 // bits that a chance counts
)

// chanceSteps is how fast chances change, by the number of bits counted.
var chanceSteps = func() (steps [maxChance + 1]uint32) {
	for m := range steps {
		steps[m] = uint32(5 << 16 / (5*m + 9))
	}
	return steps
}()

// adapt counts a bit.
func (c *chance) adapt(bit bool) {
	p, step := uint32(c.p^newChance), chanceSteps[c.m]
	if bit {
		p += (1<<16 - p) * step >> 16
	} else {
		p -= p * step >> 16
	}
	c.p, c.m = uint16(p)^newChance, min(c.m+1, maxChance)
}

// adaptiveCoder codes bits one way or the other, so that what writes something also reads it: functions take what is to be
// written and return what was written or read.
type adaptiveCoder struct {
	reading bool
	size    uint32 // of the interval in which the number lies
	low     uint64 // when writing: where it begins, below 2^33
	code    uint32 // when reading: the number less that
	data    []byte
	pos     int
	torn    bool // more was read than there is
}

func newAdaptiveWriter() *adaptiveCoder { return &adaptiveCoder{size: 1<<32 - 1} }

func newAdaptiveReader(data []byte) *adaptiveCoder {
	c := &adaptiveCoder{reading: true, size: 1<<32 - 1, data: data}
	for range 4 {
		c.code = c.code<<8 | c.next()
	}
	return c
}

// behind is the number of bytes that are read behind the end.
const behind = 3

func (c *adaptiveCoder) next() (b uint32) {
	if c.pos < len(c.data) {
		b = uint32(c.data[c.pos])
	}
	c.torn = c.torn || c.pos >= len(c.data)+behind
	c.pos++
	return b
}

func (c *adaptiveCoder) bit(p *chance, bit bool) bool {
	bit = c.choose(c.size>>16*uint32(p.p^newChance), bit)
	p.adapt(bit)
	return bit
}

// choose codes a bit; one is the part of the interval that stands for 1.
func (c *adaptiveCoder) choose(one uint32, bit bool) bool {
	if c.reading {
		return c.read(one)
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

func (c *adaptiveCoder) read(one uint32) bool {
	bit := c.code < one
	if bit {
		c.size = one
	} else {
		c.size, c.code = c.size-one, c.code-one
	}
	for ; c.size < 1<<24; c.size <<= 8 {
		c.code = c.code<<8 | c.next()
	}
	return bit
}

// put writes the highest byte of low.
func (c *adaptiveCoder) put() {
	if c.low >= 1<<32 {
		i := len(c.data) - 1
		for c.data[i]++; c.data[i] == 0; c.data[i]++ {
			i--
		}
	}
	c.data = append(c.data, byte(c.low>>24))
	c.low = c.low << 8 & (1<<32 - 1)
}

// finish ends the writing and returns the stream.
func (c *adaptiveCoder) finish() []byte {
	c.low = (c.low + 1<<24 - 1) >> 24 << 24
	c.put()
	return c.data
}

// done reports whether the stream ends here, filled with zeros if it has less than so many bytes.
func (c *adaptiveCoder) done(least int) bool {
	end := c.pos - behind
	if c.torn || c.code >= 1<<24 || len(c.data) != max(end, least) {
		return false
	}
	for _, b := range c.data[end:] {
		if b != 0 {
			return false
		}
	}
	return true
}

// numberChances is a context for numbers.
type numberChances struct {
	length [64]chance
	digits [65]*[16]chance // by length, made when it first occurs, and the digits before, with a 1 in front
}

func (c *adaptiveCoder) number(p *numberChances, v uint64) uint64 {
	n, length := bits.Len64(v), 0
	for length < 64 && c.bit(&p.length[length], n > length) {
		length++
	}
	if length == 0 {
		return 0
	}
	digits := p.digits[length]
	if digits == nil {
		digits = new([16]chance)
		p.digits[length] = digits
	}
	read := uint64(1)
	for i := length - 2; i >= 0; i-- {
		bit := v>>i&1 != 0
		if read < 16 {
			bit = c.bit(&digits[read], bit)
		} else {
			bit = c.choose(c.size>>1, bit)
		}
		read = read<<1 | uint64(b2u(bit))
	}
	return read
}
