package scan

import (
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

// Scanner goes through JSON text. Its methods return errShort where the text ends too early.
type Scanner struct {
	Text []byte
	At   int
}

// Peek passes over white space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
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

// Quoted passes over a string and returns it with its quotes.
func (s *Scanner) Quoted() ([]byte, error) {
	from := s.At
	for i := s.At + 1; i < len(s.Text); i++ {
		switch s.Text[i] {
		case '"':
			s.At = i + 1
			return s.Text[from:s.At], nil
		case '\\':
			i++
		}
	}
	return nil, ErrShort
}

// Value passes over any value and returns its text.
func (s *Scanner) Value() ([]byte, error) {
	c := s.Peek()
	from := s.At
	var err error
	switch {
	case c == '"':
		return s.Quoted()
	case c == '{' || c == '[':
		err = s.nested()
	default:
		err = s.word()
	}
	return s.Text[from:s.At], err
}

// word passes over a number, true, false or null.
func (s *Scanner) word() error {
	from := s.At
	for ; s.At < len(s.Text); s.At++ {
		switch c := s.Text[s.At]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '-', c == '+':
		case s.At == from:
			return errValue
		default:
			return nil
		}
	}
	return ErrShort
}

// nested passes over an object or a list. Its members are not checked beyond what finding its end needs.
func (s *Scanner) nested() error {
	var closing [maxDepth]byte
	depth := 0
	for s.At < len(s.Text) {
		switch c := s.Text[s.At]; c {
		case '"':
			if _, err := s.Quoted(); err != nil {
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

// Members passes over an object and gives each of its members; keys and strings have their quotes.
func (s *Scanner) Members(give func(key, value []byte) error) error {
	if err := s.Expect('{'); err != nil {
		return err
	}
	if s.Peek() == '}' {
		s.At++
		return nil
	}
	for {
		key, err := s.Key()
		if err != nil {
			return err
		}
		value, err := s.Value()
		if err != nil {
			return err
		}
		if err := give(key, value); err != nil {
			return err
		}
		if s.Peek() != ',' {
			return s.Expect('}')
		}
		s.At++
	}
}

// Key passes over the key of a member and the colon.
func (s *Scanner) Key() ([]byte, error) {
	switch c := s.Peek(); {
	case s.At == len(s.Text):
		return nil, ErrShort
	case c != '"':
		return nil, errString
	}
	key, err := s.Quoted()
	if err != nil {
		return nil, err
	}
	return key, s.Expect(':')
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
