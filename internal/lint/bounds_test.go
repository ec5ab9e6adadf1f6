package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// security is the document that says what is bounded by what. Its tables of bounds have a column of this name.
const (
	security     = "SECURITY.md"
	boundsColumn = "| held by |"
)

// namedTest is a test as the document names it: folder, point, name.
var namedTest = regexp.MustCompile("`([a-z0-9_/]+)\\.(Test[A-Za-z0-9]+)`")

// checkBounds reports rows of tables of bounds that name no test, and names of tests that no folder has.
func checkBounds(text string, has func(folder, test string) bool) (problems []string) {
	bounds := false
	for i, line := range strings.Split(text, "\n") {
		tests := namedTest.FindAllStringSubmatch(line, -1)
		switch {
		case !strings.HasPrefix(line, "|"):
			bounds = false
		case strings.HasSuffix(line, boundsColumn):
			bounds = true
		case bounds && !strings.HasPrefix(line, "|--") && len(tests) == 0:
			problems = append(problems, fmt.Sprintf("line %d: no test holds this bound", i+1))
		}
		for _, t := range tests {
			if !has(t[1], t[2]) {
				problems = append(problems, fmt.Sprintf("line %d: %s has no %s", i+1, t[1], t[2]))
			}
		}
	}
	return problems
}

// TestBoundsHaveTests holds SECURITY.md against the tests that it names.
func TestBoundsHaveTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), security))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
	for _, f := range sources(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		for _, m := range function.FindAllSubmatch(f.text, -1) {
			declared[filepath.Dir(f.path)+"."+string(m[1])] = true
		}
	}
	if n := len(namedTest.FindAllString(string(text), -1)); n < 30 {
		t.Errorf("%s names only %d tests", security, n)
	}
	for _, problem := range checkBounds(string(text), func(folder, test string) bool { return declared[folder+"."+test] }) {
		t.Errorf("%s: %s", security, problem)
	}
}

func TestBoundsRule(t *testing.T) {
	text := "| limit | default |\n|---|---|\n| A | 1 |\n\n| resource | held by |\n|---|---|\n| x | `a/b.TestX` |\n| y | `a/b.TestY` |\n| z | nothing |\n"
	got := checkBounds(text, func(folder, test string) bool { return folder+test == "a/bTestX" })
	if len(got) != 2 || !strings.Contains(got[0], "TestY") || !strings.Contains(got[1], "line 9") {
		t.Errorf("got %q, want two problems", got)
	}
}
