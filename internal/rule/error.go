package rule

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong with an expression, and where.
type Error struct {
	Source  string
	At, End int // the place, in bytes
	Message string
}

// Error implements error: the message, and below it the expression with a caret under the place.
func (e *Error) Error() string {
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, e.Source)
	at := min(e.At, len(line))
	width := max(1, utf8.RuneCountInString(line[at:max(at, min(e.End, len(line)))]))
	return fmt.Sprintf("%s\n  %s\n  %s%s", e.Message, line, strings.Repeat(" ", utf8.RuneCountInString(line[:at])), strings.Repeat("^", width))
}

// bad makes an error at a node.
func (n *Node) bad(format string, args ...any) error {
	return &Error{n.source, n.At, n.End, fmt.Sprintf(format, args...)}
}
