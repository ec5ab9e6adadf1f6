package record

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Rules decide as the list says that the recorder in C is held to, too.
func TestFilters(t *testing.T) {
	list, err := os.ReadFile("../recorder/testdata/filters.txt")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(list)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 3 {
			continue
		}
		if recorded := !leftOut(f[0], f[1]); recorded != (f[2] == "yes") {
			t.Errorf("rules %q record %q: %t", f[0], f[1], recorded)
		}
		checked++
	}
	if checked < 15 {
		t.Errorf("%d lines", checked)
	}
}

// Patterns match what the regular expressions that they stand for match.
func TestMatches(t *testing.T) {
	matched := 0
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.StringOfN(rapid.RuneFrom([]rune("ab*?")), 0, 8, -1).Draw(rt, "pattern")
		name := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 10, -1).Draw(rt, "name")
		want := regexp.MustCompile("^" + strings.NewReplacer("*", ".*", "?", ".").Replace(pattern) + "$").MatchString(name)
		if got := matches(pattern, name); got != want {
			rt.Fatalf("%q matches %q: %t", pattern, name, got)
		}
		if want {
			matched++
		}
	})
	if matched < 5 {
		t.Errorf("%d matches", matched)
	}
}
