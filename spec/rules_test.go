package spec

import (
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	ruleRow  = regexp.MustCompile(`(?m)^\| (\d+)\*? \| [\d., ]+ \| [^|]+ \| ([^|]+) \|$`)
	vectorOf = regexp.MustCompile("`([a-z0-9-]+)`")
	ruleRef  = regexp.MustCompile(`\(rules? (\d+)(?: (?:to|and) (\d+))?\)`)
)

// section returns the text behind a heading, up to the next one of its rank.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(Format, "\n"+heading+"\n")
	if !found {
		t.Fatalf("no heading %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// namedVectors returns the vectors that a text names, all of which must be there.
func namedVectors(t *testing.T, text string) (names []string) {
	t.Helper()
	for _, m := range vectorOf.FindAllStringSubmatch(text, -1) {
		if _, err := fs.Stat(Vectors, path.Join("v1/vectors", m[1]+".pando")); err != nil {
			t.Errorf("no vector %s: %v", m[1], err)
		}
		names = append(names, m[1])
	}
	return names
}

// Rules about what is refused are numbered, and name vectors that break them; what sections say must be refused names its rules.
func TestRulesNameTheirVectors(t *testing.T) {
	rows := ruleRow.FindAllStringSubmatch(section(t, "## 12. What a reader must refuse"), -1)
	without := 0
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("rule %s in the place of rule %d", row[1], i+1)
		}
		names := namedVectors(t, row[2])
		if len(names) == 0 {
			without++
		}
		for _, name := range names {
			if !strings.HasPrefix(name, "bad-") {
				t.Errorf("rule %s names %s, which is no fault", row[1], name)
			}
		}
	}
	if len(rows) < 50 || without > 0 {
		t.Errorf("%d rules, %d of them without vectors", len(rows), without)
	}
	text, _, _ := strings.Cut(Format, "\n## 12.")
	demands := strings.Split(text, "A reader MUST refuse")[1:]
	for _, demand := range demands {
		demand, _, _ = strings.Cut(demand, "\n\n")
		m := ruleRef.FindStringSubmatch(demand)
		if m == nil {
			t.Errorf("what must be refused names no rule: %.100s", demand)
			continue
		}
		for _, n := range m[1:] {
			if number, _ := strconv.Atoi(n); number > len(rows) {
				t.Errorf("there is no rule %s", n)
			}
		}
	}
	if len(demands) < 10 {
		t.Errorf("only %d demands", len(demands))
	}
}

// What is said of unknown things names vectors, too.
func TestUnknownThingsNameTheirVectors(t *testing.T) {
	if names := namedVectors(t, section(t, "## 14. What may change")); len(names) < 14 {
		t.Errorf("only %d vectors", len(names))
	}
}

// Numbers that are reserved for blocks to come are in no table of blocks that there are.
func TestReservedBlocks(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range constantsOf(t, "format/frame.go") {
		if c.typ == "BlockKind" {
			taken[c.value] = true
		}
	}
	_, text, _ := strings.Cut(Registry, "These numbers are reserved for blocks to come")
	text, _, _ = strings.Cut(text, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \|`).FindAllStringSubmatch(text, -1)
	for _, row := range rows {
		if taken[row[1]] {
			t.Errorf("block %s is reserved for %s, and there is one", row[1], row[2])
		}
	}
	if len(rows) < 2 || len(taken) < 17 {
		t.Errorf("%d numbers are reserved, %d are taken", len(rows), len(taken))
	}
}

// What a writer must not write is a rule with a star, and no vector breaks both a rule with a star and one without.
func TestRulesForWriters(t *testing.T) {
	starred, owner := map[string]bool{}, map[string]bool{}
	for _, row := range ruleRow.FindAllStringSubmatch(section(t, "## 12. What a reader must refuse"), -1) {
		star := strings.HasPrefix(row[0], "| "+row[1]+"*")
		starred[row[1]] = star
		for _, name := range namedVectors(t, row[2]) {
			if before, ok := owner[name]; ok && before != star {
				t.Errorf("%s breaks a rule for writers and one for readers", name)
			}
			owner[name] = star
		}
	}
	text, _, _ := strings.Cut(Format, "\n## 12.")
	demands := strings.Split(text, "A writer MUST NOT write")[1:]
	for _, demand := range demands {
		demand, _, _ = strings.Cut(demand, "\n\n")
		if m := ruleRef.FindStringSubmatch(demand); m == nil || !starred[m[1]] {
			t.Errorf("what must not be written names no rule with a star: %.100s", demand)
		}
	}
	if len(demands) < 6 {
		t.Errorf("only %d demands", len(demands))
	}
}
