package form

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Slack is the number of bytes that must follow the end of what a cursor reads, so that integers can be loaded whole.
const Slack = 16

// Byte order marks, in the second byte of every chunk and of the anchor.
const (
	MarkLittle = 0x42
	MarkBig    = 0x23
)

// Cursor reads primitive values from data[pos:end]. The first failure is kept in problem; what is read after it is 0.
// At least slack bytes follow end.
type Cursor struct {
	Data     []byte
	Pos, End int
	Big      bool
	Problem  string
	failed   int // where it was
}

func (c *Cursor) Fail(format string, args ...any) uint64 {
	if c.Problem == "" {
		c.Problem, c.failed = fmt.Sprintf(format, args...), c.Pos
	}
	c.Pos = c.End
	return 0
}

const behind = "a value ends behind the record"

func (c *Cursor) Left() int { return c.End - c.Pos }

// take moves over n bytes and reports whether they are there.
func (c *Cursor) take(n int) bool {
	if n > c.End-c.Pos {
		c.Fail(behind)
		return false
	}
	c.Pos += n
	return true
}

func (c *Cursor) Byte() uint64 {
	if !c.take(1) {
		return 0
	}
	return uint64(c.Data[c.Pos-1])
}

// Fixed reads an integer of n bytes, at most 8.
func (c *Cursor) Fixed(n int) uint64 {
	if !c.take(n) {
		return 0
	}
	return Load(c.Data[c.Pos-n:], n, c.Big)
}

// Load reads an integer of n bytes, at most 8, from the front of data, which has at least 8.
func Load(data []byte, n int, big bool) uint64 {
	if big {
		return binary.BigEndian.Uint64(data) >> (64 - 8*uint(n))
	}
	return binary.LittleEndian.Uint64(data) & (1<<(8*uint(n)) - 1)
}

// Compressed reads an integer of at most width bytes: a byte with its size, then its bytes. Size FF means that all bits are ones.
func (c *Cursor) Compressed(width int) uint64 {
	size := int(c.Data[c.Pos]) // in the slack, if nothing is left
	if next := c.Pos + 1 + size; size <= width && next <= c.End {
		v := Load(c.Data[c.Pos+1:], size, c.Big)
		c.Pos = next
		return v
	}
	return c.unusual(width)
}

// unusual reads compressed integers of all ones and refuses wrong ones.
func (c *Cursor) unusual(width int) uint64 {
	switch size := int(c.Byte()); {
	case size == 0xff:
		return ^uint64(0) >> (64 - 8*uint(width))
	case size > width:
		return c.Fail("an integer of %d bytes where %d are the most", size, width)
	}
	return c.Fail(behind)
}

// Text reads bytes up to a zero byte, which is not part of the result.
func (c *Cursor) Text() []byte {
	n := bytes.IndexByte(c.Data[c.Pos:c.End], 0)
	if n < 0 {
		c.Fail("a string without an end")
		return nil
	}
	c.Pos += n + 1
	return c.Data[c.Pos-n-1 : c.Pos-1]
}

// Times checks a number of repetitions, each of at least size bytes, against what is left.
func (c *Cursor) Times(n uint64, size int) int {
	if n > uint64(c.Left()/size) {
		c.Fail("%d repetitions in %d bytes", n, c.Left())
		return 0
	}
	return int(n)
}
