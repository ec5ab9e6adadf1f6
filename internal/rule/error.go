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
	return e.Message + "\n" + Marked(e.Source, e.At, e.End)
}

// Marked returns a line, and below it carets under the part from at to end, in bytes; one at least. Both are indented. What a terminal would act on
// is a space.
func Marked(line string, at, end int) string {
	at = min(at, len(line))
	before, width := utf8.RuneCountInString(line[:at]), max(1, utf8.RuneCountInString(line[at:max(at, min(end, len(line)))]))
	return fmt.Sprintf("  %s\n  %s%s", strings.Map(printable, line), strings.Repeat(" ", before), strings.Repeat("^", width))
}

func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return ' '
	}
	return r
}

// bad makes an error at a node.
func (n *Node) bad(format string, args ...any) error {
	return &Error{n.source, n.At, n.End, fmt.Sprintf(format, args...)}
}
