package recording

import (
	"encoding/binary"
	"math/bits"
)

// call is a finished call, or one that is open: its end is then never.
type call struct {
	start, end uint64
	region     uint32
}

const never = ^uint64(0)

// chain are the bins of one class of a location, in the order of their times.
type chain struct {
	f     *file
	bins  []bin
	class uint32
	buf   []byte
	pos   int // of the next record in buf; 0 if no bin is loaded
	time  uint64
	err   error
	// region is that of the last call in the bin; noRegion if there is none.
	region uint64

	// before is the end of the last call in the bin before this one.
	before uint64
	// nested says that the class is not one of durations.
	nested, searched bool

	// pending are calls that were read, as a heap by their starts. The first one is the next call if it is ready.
	pending []call
	done    bool
}

// span is how long before its end a call of the class begins at most, in ticks.
func (c *chain) span() uint64 {
	octave := c.class &^ protected
	if octave >= 63 {
		return never
	}
	return 2 << octave
}

// maxPending bounds calls that begin within a span: those of one class are two in a row, each at most maxDepth deep.
const maxPending = 4 * maxDepth

// head returns the call that begins first of those that were not taken.
func (c *chain) head() (*call, bool) {
	if c.nested {
		return c.nestedHead()
	}
	for !c.done && (len(c.pending) == 0 || c.time < c.pending[0].start || c.time-c.pending[0].start < c.span()) {
		x, ok := c.next()
		if !ok {
			c.done = true
			break
		}
		if len(c.pending) >= maxPending {
			c.f.warnings.Add("calls nested too deep", "%s, class %d: a call at %d is left out", c.f.path, c.class, x.start)
			continue
		}
		c.push(x)
	}
	if len(c.pending) == 0 {
		return nil, false
	}
	return &c.pending[0], true
}

func (c *chain) push(x call) {
	h := append(c.pending, x)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up].start <= h[i].start {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	c.pending = h
}

// pop takes the first call.
func (c *chain) pop() call {
	h := c.pending
	x := h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2; child++ {
			if child < n && h[child].start < h[least].start {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	c.pending = h
	return x
}

// next reads the next record that counts.
func (c *chain) next() (call, bool) {
	for c.err == nil {
		if c.pos == 0 && !c.load() {
			return call{}, false
		}
		x, ok := c.decode()
		if !ok {
			c.pos = 0
			continue
		}
		if x.end >= c.f.horizon {
			return c.clip(x)
		}
	}
	return call{}, false
}

// clip makes a call that ended after the recording an open one. Its record stays in the order of ends.
func (c *chain) clip(x call) (call, bool) {
	if x.end > c.f.end() {
		x.end = never
	}
	return x, true
}

// load reads the next bin.
func (c *chain) load() bool {
	for len(c.bins) > 0 && c.err == nil {
		b := c.bins[0]
		c.bins = c.bins[1:]
		if b.base < c.time {
			c.f.lost(b, "it begins at %d, before the end of the one before at %d", b.base, c.time)
			continue
		}
		if c.buf == nil {
			c.buf = make([]byte, c.f.bin+16)
		}
		ok, err := c.f.load(&b, c.buf[:c.f.bin])
		if c.err = err; ok {
			c.pos, c.before, c.time, c.region = binHeader, c.time, b.base, noRegion
			return true
		}
	}
	return false
}

// maxCall is the size of the largest record of a call.
const maxCall = 1 + binary.MaxVarintLen32 + 8 + 8

// noRegion is the number of no region.
const noRegion = 1 << 32

// decode reads a record of a call. It returns false at the end of the bin, and at what is no record.
func (c *chain) decode() (call, bool) {
	p := c.buf[c.pos:]
	if len(p) < maxCall || p[0]&0x80 == 0 {
		if len(p) >= maxCall && p[0] != 0 {
			c.bad("byte %d begins no record of a call", p[0])
		}
		return call{}, false
	}
	tag := p[0]
	n, m, at := uint(tag&7)+1, uint(tag>>3&7)+1, 1
	if tag&0x40 != 0 {
		at += c.named(p[1 : 1+binary.MaxVarintLen32])
	}
	if c.region >= noRegion {
		c.bad("a call of no region")
		return call{}, false
	}
	delta := le.Uint64(p[at:]) << (64 - 8*n) >> (64 - 8*n)
	at += int(n)
	duration := le.Uint64(p[at:]) << (64 - 8*m) >> (64 - 8*m)
	end := c.time + delta
	if end < c.time || end >= endOfTime || duration == 0 || duration > end || !c.nested && uint32(bits.Len64(duration))-1 != c.class&^protected {
		c.bad("a call of %d ticks that ends %d after %d", duration, delta, c.time)
		return call{}, false
	}
	c.time = end
	c.pos += at + int(m)
	return call{end - duration, end, uint32(c.region)}, true
}

// named takes the region of a call that is not that of the call before, and returns how many bytes it has.
func (c *chain) named(p []byte) int {
	if p[0] < 0x80 {
		c.region = uint64(p[0])
		return 1
	}
	var n int
	if c.region, n = binary.Uvarint(p); n <= 0 {
		c.region = noRegion
	}
	return n
}

func (c *chain) bad(format string, args ...any) {
	c.f.lost(bin{at: int64(c.pos)}, "class "+utoa(c.class)+": "+format, args...)
}
