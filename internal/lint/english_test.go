package lint

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// riddles are phrases in which a pronoun or a relative clause stands where a noun of the field should.
var riddles = regexp.MustCompile(`(?i)\b(is told|are told|is asked for|are asked for|so many|whoever|of no more use|what goes on)\b`)

// plain are uses of these words that name their subject.
var plain = regexp.MustCompile(`(?i)\b(is|are) told (apart|to|so)\b`)

// checkEnglish reports comments of Go files that have one of the riddles.
func checkEnglish(f *file) (problems []string) {
	if !f.isGo() {
		return nil
	}
	for n, line := range bytes.Split(f.text, []byte("\n")) {
		_, comment, ok := strings.Cut(string(line), "// ")
		if !ok || strings.Contains(comment, "\"") && strings.HasPrefix(f.path, "internal/lint/") {
			continue
		}
		if found := riddles.FindString(plain.ReplaceAllString(comment, "")); found != "" {
			problems = append(problems, fmt.Sprintf("line %d: %q leaves open what or how many: name it", n+1, found))
		}
	}
	return problems
}

func TestEnglishRule(t *testing.T) {
	for text, want := range map[string]int{
		"// Reserve makes room for so many events.\n":              1,
		"x := 1 // Whoever needs it, what is told\n":               1,
		"// Formats are told apart by their first bytes.\n":        0,
		"// Reserve makes room for n events.\nso many := riddle\n": 0,
	} {
		if got := checkEnglish(&file{"a.go", []byte(text)}); len(got) != want {
			t.Errorf("%q: %q, want %d problems", text, got, want)
		}
	}
}
