package otf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// slack is the number of bytes that must follow the end of what a cursor reads, so that integers can be loaded whole.
const slack = 16

// Byte order marks, in the second byte of every chunk and of the anchor.
const (
	markLittle = 0x42
	markBig    = 0x23
)

// cursor reads primitive values from data[pos:end]. The first failure is kept in problem; what is read after it is 0.
// At least slack bytes follow end.
type cursor struct {
	data     []byte
	pos, end int
	big      bool
	problem  string
	failed   int // where it was
}

func (c *cursor) fail(format string, args ...any) uint64 {
	if c.problem == "" {
		c.problem, c.failed = fmt.Sprintf(format, args...), c.pos
	}
	c.pos = c.end
	return 0
}

const behind = "a value ends behind the record"

func (c *cursor) left() int { return c.end - c.pos }

// take moves over n bytes and reports whether they are there.
func (c *cursor) take(n int) bool {
	if n > c.end-c.pos {
		c.fail(behind)
		return false
	}
	c.pos += n
	return true
}

func (c *cursor) byte() uint64 {
	if !c.take(1) {
		return 0
	}
	return uint64(c.data[c.pos-1])
}

// fixed reads an integer of n bytes, at most 8.
func (c *cursor) fixed(n int) uint64 {
	if !c.take(n) {
		return 0
	}
	return load(c.data[c.pos-n:], n, c.big)
}

// load reads an integer of n bytes, at most 8, from the front of data, which has at least 8.
func load(data []byte, n int, big bool) uint64 {
	if big {
		return binary.BigEndian.Uint64(data) >> (64 - 8*uint(n))
	}
	return binary.LittleEndian.Uint64(data) & (1<<(8*uint(n)) - 1)
}

// compressed reads an integer of at most width bytes: a size byte, then so many bytes. Size FF means all ones.
func (c *cursor) compressed(width int) uint64 {
	size := int(c.data[c.pos]) // in the slack, if nothing is left
	if next := c.pos + 1 + size; size <= width && next <= c.end {
		v := load(c.data[c.pos+1:], size, c.big)
		c.pos = next
		return v
	}
	return c.unusual(width)
}

// unusual reads compressed integers of all ones and refuses wrong ones.
func (c *cursor) unusual(width int) uint64 {
	switch size := int(c.byte()); {
	case size == 0xff:
		return ^uint64(0) >> (64 - 8*uint(width))
	case size > width:
		return c.fail("an integer of %d bytes where %d are the most", size, width)
	}
	return c.fail(behind)
}

// text reads bytes up to a zero byte, which is not part of the result.
func (c *cursor) text() []byte {
	n := bytes.IndexByte(c.data[c.pos:c.end], 0)
	if n < 0 {
		c.fail("a string without an end")
		return nil
	}
	c.pos += n + 1
	return c.data[c.pos-n-1 : c.pos-1]
}

// times checks a number of repetitions, each of at least size bytes, against what is left.
func (c *cursor) times(n uint64, size int) int {
	if n > uint64(c.left()/size) {
		c.fail("%d repetitions in %d bytes", n, c.left())
		return 0
	}
	return int(n)
}
