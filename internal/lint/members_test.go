package lint

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// answers is the folder with the answers of the program and the server.
const answers = "internal/report/"

var (
	// namedIDs are members of answers that have an id as their name says, and a text as their type does: names are members like location_name, and what people call a location is location_label.
	namedIDs = regexp.MustCompile("(?m)\\bstring\\s+`json:\"((?:[a-z]+_)*(?:location|region|process|communicator|metric))\\b")
	// otherIDs are ids that are not called by the bare name.
	otherIDs = regexp.MustCompile(`json:"(location|region|process|communicator|metric)_id\b`)
)

// checkMembers reports members of answers that break the rule of docs/answers.md for ids and names.
func checkMembers(f *file) (problems []string) {
	if !f.isGo() || !strings.HasPrefix(f.path, answers) || strings.HasSuffix(f.path, "_test.go") {
		return nil
	}
	for _, m := range namedIDs.FindAllSubmatch(f.text, -1) {
		problems = append(problems, fmt.Sprintf("%s is an id in other answers: a name is %s_name", m[1], m[1]))
	}
	for _, m := range otherIDs.FindAllSubmatch(f.text, -1) {
		problems = append(problems, fmt.Sprintf("%s_id is %s in other answers", m[1], m[1]))
	}
	return problems
}

func TestMembersRule(t *testing.T) {
	text := "package a\n\ntype A struct {\n\tLocation *string `json:\"location\"`\n\tID uint64 `json:\"region_id\"`\n\tName string `json:\"region_name\"`\n\tRegion uint64 `json:\"region\"`\n}\n"
	if got := checkMembers(&file{answers + "a.go", []byte(text)}); len(got) != 2 {
		t.Errorf("%q, want two problems", got)
	}
	if got := checkMembers(&file{"internal/serve/a.go", []byte(text)}); got != nil {
		t.Errorf("%q of what is no answer", got)
	}
}
