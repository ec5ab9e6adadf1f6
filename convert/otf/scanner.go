package otf

import (
	"bytes"
	"fmt"
)

// scanner reads what stands in a line, from data[pos] on. Each line ends in a newline, which nothing moves over but skip, so that
// nothing looks behind the end of data. The first failure is kept in problem.
type scanner struct {
	data    []byte
	pos     int
	problem string
	// large says that a number had more digits than its width has room for.
	large bool
}

func (s *scanner) fail(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// Classes of bytes, beyond the values of digits.
const (
	notDigit = 16
	capital  = 32 // a capital letter; its number is in the low bits of the byte itself
)

// classes has the value of each hexadecimal digit, capital for capital letters, and notDigit for all else.
var classes = func() (c [256]uint8) {
	for i := range c {
		switch b := byte(i); {
		case b >= '0' && b <= '9':
			c[i] = b - '0'
		case b >= 'a' && b <= 'f':
			c[i] = b - 'a' + 10
		case b >= 'A' && b <= 'Z':
			c[i] = capital
		default:
			c[i] = notDigit
		}
	}
	return c
}()

// blanks moves over blanks and tabs.
func (s *scanner) blanks() {
	for s.data[s.pos] == ' ' || s.data[s.pos] == '\t' {
		s.pos++
	}
}

// digits reads hexadecimal digits from data[pos] on. No digits are 0; only the last 16 count.
func digits(data []byte, pos int) (v uint64, end int) {
	for {
		d := classes[data[pos]]
		if d >= notDigit {
			return v, pos
		}
		v = v<<4 | uint64(d)
		pos++
	}
}

// number reads a number of 32 or 64 bits. What is too large for them loses its first digits, as with the OTF library.
func (s *scanner) number(bits uint8) uint64 {
	if classes[s.data[s.pos]] >= notDigit {
		s.blanks()
	}
	start := s.pos
	v, end := digits(s.data, start)
	s.pos = end
	if bits == 32 && v>>32 != 0 || end-start > 16 {
		s.large = true
		v &= ^uint64(0) >> (64 - bits)
	}
	return v
}

// A key is a run of capital letters in a number: five bits for each letter. It is exact for up to 11 letters.
func keyOf(letters string) (key uint64) {
	for i := range len(letters) {
		key = key<<5 | uint64(letters[i]&31)
	}
	return key
}

// run returns the run of capital letters at data[pos] as a key, and its end.
func run(data []byte, pos int) (key uint64, end int) {
	for classes[data[pos]] == capital {
		key = key<<5 | uint64(data[pos]&31)
		pos++
	}
	return key, pos
}

// text reads a quoted string and returns where it stands; it may hold anything but quotes and newlines.
func (s *scanner) text() (from, to int) {
	s.blanks()
	if s.data[s.pos] != '"' {
		s.fail("a string should begin")
		return s.pos, s.pos
	}
	from = s.pos + 1
	to = from + bytes.IndexAny(s.data[from:], "\"\n")
	if s.data[to] == '\n' {
		s.fail("a string without an end")
		return from, from
	}
	s.pos = to + 1
	return from, to
}

// skip moves to the begin of the next line.
func (s *scanner) skip() {
	if s.data[s.pos] == '\n' {
		s.pos++
		return
	}
	s.pos += bytes.IndexByte(s.data[s.pos:], '\n') + 1
}

// line returns the line that begins at a position, without its newline.
func (s *scanner) line(from int) []byte {
	return s.data[from : from+bytes.IndexByte(s.data[from:], '\n')]
}
