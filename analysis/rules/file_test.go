package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/analysis/rules"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// A file of rules has comments, blank lines, long rules, and rules with and without severity and name.
func TestReadFile(t *testing.T) {
	const text = "\ufeff# of the solver\r\n\r\n" +
		"warning short-solves calls: region != \"solve\"\r\n" +
		"  # by measurement\r\n" +
		"  || duration < 20ms\r\n" +
		"\n" +
		"quick messages:latency<1ms\n" +
		"note metrics: value >= 0\n" +
		"calls: name != \"a:b\""
	list, err := rules.ReadFile(strings.NewReader(text), "x")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%v|%s|%s|%s", r.Severity, r.Name, r.Code(), r.Text()))
	}
	want := []string{
		`warning|short-solves|short-solves|calls: region != "solve" || duration < 20ms`,
		`error|quick|quick|messages: latency<1ms`,
		`note||metrics: value >= 0|metrics: value >= 0`,
		`error||calls: name != "a:b"|calls: name != "a:b"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Errors name file, line and column in characters, and have a caret below the place in the text as it was written.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"calls duration < 2ms", "x:1:1: a rule is TABLE: CONDITION, with a colon\n  calls duration < 2ms\n  ^^^^^^^^^^^^^^^^^^^^"},
		{"\n\n : 1 < 2", "x:3:1: a line that begins with a space continues a rule, and none is before\n   : 1 < 2\n  ^"},
		{": 1 < 2", "x:1:1: the table is missing before the colon\n  : 1 < 2\n  ^"},
		{"note a b calls: 1 < 2\n", "x:1:10: before the colon stand severity, name and table, and no more\n  note a b calls: 1 < 2\n           ^^^^^"},
		{"eror a calls: 1 < 2\n", "x:1:1: \"eror\" is no severity: error, warning or note; did you mean \"error\"?\n  eror a calls: 1 < 2\n  ^^^^"},
		{"note a,b calls: 1 < 2\n", "x:1:6: a name is of letters, digits, and - _ . between them, 100 bytes at most\n  note a,b calls: 1 < 2\n       ^^^"},
		{"note error calls: 1 < 2\n", "x:1:6: \"error\" is a severity, and no name\n  note error calls: 1 < 2\n       ^^^^^"},
		{"lost-leave calls: 1 < 2\n", "x:1:1: \"lost-leave\" is what a check finds without rules; choose another name\n  lost-leave calls: 1 < 2\n  ^^^^^^^^^^"},
		{"calls:\n# nothing\n", "x:1:6: the condition is missing behind the colon\n  calls:\n       ^"},
		{"größe calls: 1 == 1\n\tand # no\n", "x:2:6: \"#\" has no meaning here\n   and # no\n       ^"},
		{"größe calls: name == \"ö\" &&&\n# end", "x:1:28: \"&\" has no meaning here\n  größe calls: name == \"ö\" &&&\n                             ^"},
		{"calls: 1 < 2 &&\n  depth <\n", "x:2:10: the expression ends too early\n    depth <\n           ^"},
		{"calls: 1 < 2\ncalls:  1  < 2\n", "x:2:1: there are two rules calls: 1 < 2\n  calls:  1  < 2\n  ^^^^^"},
		{"calls: 1 <\xff 2\n", "x:1:1: the line is no text in UTF-8\n  calls: 1 <\ufffd 2\n  ^"},
		{"calls: 1 < 2" + strings.Repeat(" && 1 < 2", 90), "more than 256 names, values and operators"},
		{"calls: " + strings.Repeat("(", 200), "deep"},
		{"calls: 1 < 2 && name != \"" + strings.Repeat("x", 5000) + "\"", "x:1:6: a condition has at most 4096 bytes"},
		{strings.Repeat("note calls: 1 < 2\n", 1001), "x:1001:1: there are more than 1000 rules"},
		{strings.Repeat("#", 1<<20+1), "x: a file of rules has at most 1048576 bytes"},
	} {
		_, err := rules.ReadFile(strings.NewReader(c.text), "x")
		if err == nil {
			t.Errorf("%.60q is taken", c.text)
		} else if got := err.Error(); got != c.want && (strings.Contains(c.want, "^") || !strings.Contains(got, c.want)) {
			t.Errorf("%.60q:\n%.300s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// A rule by itself has no file in its errors.
func TestParse(t *testing.T) {
	r, err := rules.Parse(" warning calls: depth < 3 ")
	if err != nil || r.Severity != check.Warning || r.Table != "calls" || r.Name != "" || r.Text() != "calls: depth < 3" {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = rules.Parse("calls: depth < ")
	if want := "the expression ends too early\n  calls: depth < \n                ^"; err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

// FuzzReadFile holds that no file of rules panics, that errors about lines name places inside of them, and that the text of each rule is a rule.
func FuzzReadFile(f *testing.F) {
	for _, seed := range []string{
		"# a\nerror b calls: region != \"solve\"\n  || duration < 20ms\n\nnote messages: 1 < 2", "x", ":", "a b c d: 1", "calls: 'a\n b' == name", "\ufeffcalls:\r\n\t1 in [2]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := rules.ReadFile(strings.NewReader(text), "x")
		var e *rules.Error
		if errors.As(err, &e) {
			lines := strings.Split(text, "\n")
			if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Column > len([]rune(lines[e.Line-1]))+1 || e.Message == "" {
				t.Fatalf("%v at %d:%d of %d lines", err, e.Line, e.Column, len(lines))
			}
		}
		if err != nil {
			return
		}
		for _, r := range list {
			if strings.ContainsAny(r.Condition, "\"'`") {
				continue // texts in quotes may have line ends, which Text leaves out
			}
			again, err := rules.Parse(r.Text())
			if err != nil || again.Text() != r.Text() {
				t.Fatalf("%q is read again as %v, %v", r.Text(), again, err)
			}
		}
	})
}
