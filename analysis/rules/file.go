package rules

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of what is read.
const (
	// MostBytes is the size of the largest file of rules.
	MostBytes = 1 << 20
	// MostRules is the largest number of rules of one check.
	MostRules = 1000
)

// ReadFile reads a file of rules, one a line as [Parse] takes them. A line that begins with a space continues the one before; blank lines, and those
// whose first character is #, are nothing. name stands in errors, which are [Error] where a line is wrong.
func ReadFile(from io.Reader, name string) ([]*Rule, error) {
	text, err := io.ReadAll(io.LimitReader(from, MostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > MostBytes {
		return nil, fmt.Errorf("%s: a file of rules has at most %d bytes", name, MostBytes)
	}
	s := &source{name, strings.TrimPrefix(string(text), "\ufeff")}
	list, err := s.rules()
	if err != nil {
		return nil, err
	}
	return list, Distinct(list)
}

// rules reads all rules of the source.
func (s *source) rules() (list []*Rule, err error) {
	var open strings.Builder // the rule that further lines may continue; comments in it are blank
	begin := 0
	end := func() error {
		if open.Len() == 0 {
			return nil
		}
		r, err := s.rule(open.String(), begin)
		open.Reset()
		list = append(list, r)
		return err
	}
	at := 0
	for line := range strings.Lines(s.text) {
		content := strings.TrimSpace(line)
		switch {
		case !utf8.ValidString(line):
			return nil, s.bad(at, at, "the line is no text in UTF-8")
		case content == "" || content[0] == '#':
			if open.Len() > 0 {
				open.WriteString(blank(line))
			}
		case (line[0] == ' ' || line[0] == '\t') && open.Len() > 0:
			open.WriteString(line)
		case line[0] == ' ' || line[0] == '\t':
			return nil, s.bad(at, at+1, "a line that begins with a space continues a rule, and none is before")
		default:
			if err := end(); err != nil {
				return nil, err
			}
			if begin = at; len(list) == MostRules {
				return nil, s.bad(at, at+1, "there are more than %d rules", MostRules)
			}
			open.WriteString(line)
		}
		at += len(line)
	}
	return list, end()
}

// blank returns as many spaces as a text has bytes, and its line ends.
func blank(text string) string {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// Distinct checks that there are not too many rules, and that no two have the same name, or the same text and none.
func Distinct(list []*Rule) error {
	if len(list) > MostRules {
		return fmt.Errorf("there are %d rules, and %d at most can be checked at once", len(list), MostRules)
	}
	seen := map[string]bool{}
	for _, r := range list {
		code := r.Code()
		if seen[code] {
			return r.from.bad(r.tableAt, r.tableAt+len(r.Table), "there are two rules %s", code)
		}
		seen[code] = true
	}
	return nil
}
