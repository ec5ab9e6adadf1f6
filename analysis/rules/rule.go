package rules

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/trace"
)

// Rule is a condition that all rows of a table fulfil, or should.
type Rule struct {
	// Name is what findings are called, empty for a rule without a name; see Code.
	Name     string
	Severity check.Severity
	// Table is the name of a table, as package query knows it.
	Table string
	// Condition is the text behind the colon. Of a rule of several lines it has their ends.
	Condition string

	from        *source
	tableAt, at int // of table and condition in the source, in bytes
}

// Text returns table and condition on one line.
func (r *Rule) Text() string { return r.Table + ": " + strings.Join(strings.Fields(r.Condition), " ") }

// Code returns the name, or the text of a rule without one.
func (r *Rule) Code() string {
	if r.Name != "" {
		return r.Name
	}
	return r.Text()
}

// wordOfRule is a word before the colon of a rule.
var wordOfRule = regexp.MustCompile(`\S+`)

// nameOfRule is what a rule may be called.
var nameOfRule = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// mostName is the length of the longest name, in bytes.
const mostName = 100

// severities are their names, by number.
var severities = []string{check.Note.String(), check.Warning.String(), check.Error.String()}

// Parse reads a rule: [SEVERITY] [NAME] TABLE: CONDITION. Without a word for it, its severity is error. What is wrong is an [Error].
func Parse(text string) (*Rule, error) {
	s := &source{text: text}
	if !utf8.ValidString(text) {
		return nil, s.bad(0, 0, "a rule is text in UTF-8")
	}
	return s.rule(text, 0)
}

// rule reads a rule that begins at a place of the source. text is what stands there, without comments.
func (s *source) rule(text string, at int) (*Rule, error) {
	head, condition, ok := strings.Cut(text, ":")
	words := wordOfRule.FindAllStringIndex(head, -1)
	trimmed := strings.TrimSpace(text)
	begin := at + strings.Index(text, trimmed)
	switch {
	case !ok:
		return nil, s.bad(begin, begin+len(trimmed), "a rule is TABLE: CONDITION, with a colon")
	case len(words) == 0:
		return nil, s.bad(begin, begin+1, "the table is missing before the colon")
	case len(words) > 3:
		return nil, s.bad(at+words[3][0], at+words[3][1], "before the colon stand severity, name and table, and no more")
	}
	r := &Rule{Severity: check.Error, from: s, at: at + len(head) + 1}
	last := words[len(words)-1]
	r.Table, r.tableAt = head[last[0]:last[1]], at+last[0]
	if err := r.label(head, at, words[:len(words)-1]); err != nil {
		return nil, err
	}
	return r, r.take(condition)
}

// label takes the words before the table: severity and name.
func (r *Rule) label(head string, at int, words [][]int) error {
	word := func(i int) string { return head[words[i][0]:words[i][1]] }
	bad := func(i int, format string, args ...any) error {
		return r.from.bad(at+words[i][0], at+words[i][1], format, args...)
	}
	if len(words) > 0 {
		if n := slices.Index(severities, word(0)); n >= 0 {
			r.Severity, words = check.Severity(n), words[1:]
		} else if len(words) == 2 {
			return bad(0, "%q is no severity: error, warning or note%s", word(0), trace.DidYouMean(trace.Near(word(0), slices.Values(severities))))
		}
	}
	if len(words) == 0 {
		return nil
	}
	r.Name = word(0)
	switch {
	case !nameOfRule.MatchString(r.Name) || len(r.Name) > mostName:
		return bad(0, "a name is of letters, digits, and - _ . between them, %d bytes at most", mostName)
	case slices.Contains(severities, r.Name):
		return bad(0, "%q is a severity, and no name", r.Name)
	}
	for c := range check.Codes() {
		if r.Name == c.String() {
			return bad(0, "%q is what a check finds without rules; choose another name", r.Name)
		}
	}
	return nil
}

// take takes the text behind the colon.
func (r *Rule) take(text string) error {
	r.Condition = strings.TrimRight(text, " \t\r\n")
	switch {
	case strings.TrimSpace(text) == "":
		return r.from.bad(r.at-1, r.at, "the condition is missing behind the colon")
	case len(r.Condition) > rule.MaxBytes:
		return r.from.bad(r.at-1, r.at, "a condition has at most %d bytes, and this one %d", rule.MaxBytes, len(r.Condition))
	}
	_, err := rule.Parse(r.Condition)
	return r.explain(err)
}
