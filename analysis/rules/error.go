package rules

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/internal/rule"
)

// Error says what is wrong with a rule, and where.
type Error struct {
	// File is where the rule was read from, empty for one that is no file's.
	File string
	// Line and Column are the place in characters, from 1.
	Line, Column int
	Message      string

	marked string // the line with carets below the place
}

// Error implements error: the place and the message, and below them the line with a caret under the place.
func (e *Error) Error() string {
	where := ""
	if e.File != "" {
		where = fmt.Sprintf("%s:%d:%d: ", e.File, e.Line, e.Column)
	}
	return where + e.Message + "\n" + e.marked
}

// source is a text that rules stand in.
type source struct {
	file string
	text string
}

// bad makes an error about a part of the text, in bytes. Of a part of several lines, the first is shown.
func (s *source) bad(at, end int, format string, args ...any) error {
	at = min(at, len(s.text))
	begin := strings.LastIndexByte(s.text[:at], '\n') + 1
	line := s.text[begin:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	return &Error{
		File: s.file, Line: strings.Count(s.text[:begin], "\n") + 1, Column: utf8.RuneCountInString(s.text[begin:at]) + 1,
		Message: fmt.Sprintf(format, args...), marked: rule.Marked(line, at-begin, end-begin),
	}
}

// explain turns an error about a rule's condition or table into one about the text that it was read from.
func (r *Rule) explain(err error) error {
	var inside *rule.Error
	if errors.As(err, &inside) {
		return r.from.bad(r.at+inside.At, r.at+inside.End, "%s", inside.Message)
	}
	var asked *query.Error
	if errors.As(err, &asked) {
		return r.from.bad(r.tableAt, r.tableAt+len(r.Table), "%v", asked.Err)
	}
	return err
}
