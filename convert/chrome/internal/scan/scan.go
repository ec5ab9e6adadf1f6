package scan

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep values lie in each other.
const maxDepth = 512

// syntaxError is the fault of text that is no JSON.
type syntaxError string

// Error implements error.
func (e syntaxError) Error() string { return string(e) }

const (
	errValue  syntaxError = "no JSON value"
	errString syntaxError = "no JSON string"
	errDeep   syntaxError = "values lie too deep in each other"
)

// Scanner goes through JSON text. Its methods return ErrShort where the text ends too early.
type Scanner struct {
	Text []byte
	At   int
}

// Peek passes over white space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	if s.At < len(s.Text) {
		if c := s.Text[s.At]; c > ' ' {
			return c
		}
	}
	return s.space()
}

func (s *Scanner) space() byte {
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; c {
		case ' ', '\n', '\t', '\r':
			s.At++
		default:
			return c
		}
	}
	return 0
}

// Expect passes over white space and one byte, which must be c.
func (s *Scanner) Expect(c byte) error {
	switch got := s.Peek(); {
	case s.At == len(s.Text):
		return ErrShort
	case got != c:
		return syntaxError("no " + string(rune(c)) + " where one must be")
	}
	s.At++
	return nil
}

// quoted passes over a string.
func (s *Scanner) quoted() error {
	for i := s.At + 1; i < len(s.Text); i++ {
		if i += ordinary(s.Text[i:]); i >= len(s.Text) {
			break
		}
		if s.Text[i] == '"' {
			s.At = i + 1
			return nil
		}
		i++ // what follows a backslash
	}
	return ErrShort
}

// marks sets the highest bit of the first byte that is a quote or a backslash, and maybe of some behind it (Mycroft's test for bytes of 0).
func marks(w uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, back := w^ones*'"', w^ones*'\\'
	return ((quote-ones)&^quote | (back-ones)&^back) & highs
}

// ordinary returns how many bytes there are before the next quote or backslash.
func ordinary(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if found := marks(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b) && b[i] != '"' && b[i] != '\\'; i++ {
	}
	return i
}

// Value passes over any value and returns its text.
func (s *Scanner) Value() ([]byte, error) {
	p, err := s.ValueSpan()
	return p.Of(s.Text), err
}

// ValueSpan passes over any value and returns where it stands.
func (s *Scanner) ValueSpan() (p Span, err error) {
	c := s.Peek()
	p.From = uint32(s.At)
	switch {
	case c == '"':
		err = s.quoted()
	case c == '{' || c == '[':
		err = s.nested()
	default:
		err = s.word()
	}
	p.To = uint32(s.At)
	return p, err
}

// word passes over a number, true, false or null.
func (s *Scanner) word() error {
	text, at := s.Text, s.At
	for at < len(text) && inWord[text[at]] {
		at++
	}
	switch {
	case at == len(text):
		s.At = at
		return ErrShort
	case at == s.At:
		return errValue
	}
	s.At = at
	return nil
}

// inWord tells which bytes may stand in a number, true, false and null.
var inWord = func() (is [256]bool) {
	for _, c := range "0123456789.-+abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		is[c] = true
	}
	return is
}()

// nested passes over an object or a list. Its members are not checked beyond what finding its end needs.
func (s *Scanner) nested() error {
	var closing [maxDepth]byte
	depth := 0
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; c {
		case '"':
			if err := s.quoted(); err != nil {
				return err
			}
			continue
		case '{', '[':
			if depth == maxDepth {
				return errDeep
			}
			closing[depth] = c + 2 // } and ] stand there in ASCII
			depth++
		case '}', ']':
			if depth--; closing[depth] != c {
				return errValue
			}
			if depth == 0 {
				s.At++
				return nil
			}
		}
		s.At++
	}
	return ErrShort
}

// Span is where something stands in a text.
type Span struct{ From, To uint32 }

// Of returns what stands there.
func (p Span) Of(text []byte) []byte { return text[p.From:p.To] }

// Member is a member of an object; keys and strings have their quotes.
type Member struct{ Key, Value Span }

// Object passes over an object and appends its members, those before a fault too.
func (s *Scanner) Object(list []Member) ([]Member, error) {
	more, err := s.Enter()
	for more && err == nil {
		var m Member
		if m, err = s.Member(); err == nil {
			list = append(list, m)
			more, err = s.More()
		}
	}
	return list, err
}

// Enter passes over the begin of an object. more is false if it has no members: then it is over.
func (s *Scanner) Enter() (more bool, err error) {
	if err := s.Expect('{'); err != nil {
		return false, err
	}
	if s.Peek() == '}' {
		s.At++
		return false, nil
	}
	return true, nil
}

// More passes over what follows a member. more is false behind the last one: then the object is over.
func (s *Scanner) More() (more bool, err error) {
	if s.At < len(s.Text) {
		switch s.Text[s.At] {
		case ',':
			s.At++
			return true, nil
		case '}':
			s.At++
			return false, nil
		}
	}
	return s.spacedMore()
}

// spacedMore is More where there may be white space, or no more.
func (s *Scanner) spacedMore() (more bool, err error) {
	if s.Peek() != ',' {
		return false, s.Expect('}')
	}
	s.At++
	return true, nil
}

// Member passes over a member.
func (s *Scanner) Member() (m Member, err error) {
	if m.Key, err = s.key(); err == nil {
		m.Value, err = s.ValueSpan()
	}
	return m, err
}

// Key passes over the key of a member and the colon.
func (s *Scanner) Key() ([]byte, error) {
	p, err := s.key()
	return p.Of(s.Text), err
}

func (s *Scanner) key() (p Span, err error) {
	switch c := s.Peek(); {
	case s.At == len(s.Text):
		return p, ErrShort
	case c != '"':
		return p, errString
	}
	p.From = uint32(s.At)
	err = s.quoted()
	if p.To = uint32(s.At); err == nil {
		err = s.Expect(':')
	}
	return p, err
}

// IsString reports whether the text of a value is that of a string.
func IsString(value []byte) bool { return len(value) > 1 && value[0] == '"' }

// Text returns what a string says, or the text of another value. It uses the memory of room where a string has escapes.
func Text(value []byte, room *[]byte) []byte {
	if !IsString(value) {
		return value
	}
	value = value[1 : len(value)-1]
	for i, c := range value {
		if c == '\\' {
			*room = unescape(append((*room)[:0], value[:i]...), value[i:])
			return *room
		}
	}
	return value
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape appends what a string with escapes says. Escapes that do not exist stay as they are.
func unescape(dst, s []byte) []byte {
	for len(s) > 0 {
		switch {
		case s[0] != '\\' || len(s) < 2:
			dst, s = append(dst, s[0]), s[1:]
		case s[1] == 'u':
			var r rune
			r, s = unescapeRune(s)
			dst = utf8.AppendRune(dst, r)
		case escapes[s[1]] != 0:
			dst, s = append(dst, escapes[s[1]]), s[2:]
		default:
			dst, s = append(dst, s[0], s[1]), s[2:]
		}
	}
	return dst
}

// unescapeRune reads \uXXXX, or two of them that are one character together, and returns what follows.
func unescapeRune(s []byte) (rune, []byte) {
	r, ok := hex4(s)
	if !ok {
		return utf8.RuneError, s[2:]
	}
	s = s[6:]
	if !utf16.IsSurrogate(r) {
		return r, s
	}
	if second, ok := hex4(s); ok {
		if both := utf16.DecodeRune(r, second); both != utf8.RuneError {
			return both, s[6:]
		}
	}
	return utf8.RuneError, s
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
