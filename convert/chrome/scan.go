package chrome

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds how deep values lie in each other.
const maxDepth = 512

// syntaxError is what is wrong with text that is no JSON.
type syntaxError string

// Error says it.
func (e syntaxError) Error() string { return string(e) }

const (
	errValue  syntaxError = "no JSON value"
	errString syntaxError = "no JSON string"
	errDeep   syntaxError = "values lie too deep in each other"
)

// scan goes through JSON text. Its methods return errShort where the text ends too early.
type scan struct {
	b []byte
	i int
}

// peek passes over white space and returns the next byte, 0 at the end.
func (s *scan) peek() byte {
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case ' ', '\n', '\t', '\r':
			s.i++
		default:
			return c
		}
	}
	return 0
}

// expect passes over white space and one byte, which must be c.
func (s *scan) expect(c byte) error {
	switch got := s.peek(); {
	case s.i == len(s.b):
		return errShort
	case got != c:
		return syntaxError("no " + string(rune(c)) + " where one must be")
	}
	s.i++
	return nil
}

// str passes over a string and returns it with its quotes.
func (s *scan) str() ([]byte, error) {
	from := s.i
	for i := s.i + 1; i < len(s.b); i++ {
		switch s.b[i] {
		case '"':
			s.i = i + 1
			return s.b[from:s.i], nil
		case '\\':
			i++
		}
	}
	return nil, errShort
}

// value passes over any value and returns its text.
func (s *scan) value() ([]byte, error) {
	c := s.peek()
	from := s.i
	var err error
	switch {
	case c == '"':
		return s.str()
	case c == '{' || c == '[':
		err = s.nested()
	default:
		err = s.word()
	}
	return s.b[from:s.i], err
}

// word passes over a number, true, false or null.
func (s *scan) word() error {
	from := s.i
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '.', c == '-', c == '+':
		case s.i == from:
			return errValue
		default:
			return nil
		}
	}
	return errShort
}

// nested passes over an object or a list. What stands in it is looked at as far as is needed to find its end.
func (s *scan) nested() error {
	var closing [maxDepth]byte
	depth := 0
	for s.i < len(s.b) {
		switch c := s.b[s.i]; c {
		case '"':
			if _, err := s.str(); err != nil {
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
				s.i++
				return nil
			}
		}
		s.i++
	}
	return errShort
}

// members passes over an object and gives each of its members; keys and strings have their quotes.
func (s *scan) members(give func(key, value []byte) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.i++
		return nil
	}
	for {
		key, err := s.key()
		if err != nil {
			return err
		}
		value, err := s.value()
		if err != nil {
			return err
		}
		if err := give(key, value); err != nil {
			return err
		}
		if s.peek() != ',' {
			return s.expect('}')
		}
		s.i++
	}
}

// key passes over the key of a member and the colon.
func (s *scan) key() ([]byte, error) {
	switch c := s.peek(); {
	case s.i == len(s.b):
		return nil, errShort
	case c != '"':
		return nil, errString
	}
	key, err := s.str()
	if err != nil {
		return nil, err
	}
	return key, s.expect(':')
}

// isString reports whether the text of a value is that of a string.
func isString(value []byte) bool { return len(value) > 1 && value[0] == '"' }

// text returns what a string says, or the text of another value. It uses the memory of room where a string has escapes.
func text(value []byte, room *[]byte) []byte {
	if !isString(value) {
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
