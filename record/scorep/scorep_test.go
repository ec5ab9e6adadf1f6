package scorep

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

func ExampleRules() {
	rules, err := Rules("solver.filt", []byte(`# only the solver
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE *
  INCLUDE solve init_[12]
SCOREP_REGION_NAMES_END
`))
	fmt.Println(rules, err)
	// Output: !*; solve; init_1; init_2; MPI_*; omp * <nil>
}

func TestRules(t *testing.T) {
	block := func(s string) string { return beginRegions + "\n" + s + "\n" + endRegions + "\n" }
	for text, want := range map[string]string{
		"":                               "",
		block("EXCLUDE get set\n  is_*"): "!get; !set; !is_*; " + always,
		block("INCLUDE a\nEXCLUDE b # c d\nINCLUDE e"):          "!b; e; " + always,
		block("INCLUDE a b"):                                    "",
		block("EXCLUDE std::a<int>"):                            "!std::a<int>; " + always,
		block(`EXCLUDE a\ b \[x\]`):                             `!a b; ![x]; ` + always,
		block("EXCLUDE MANGLED _ZN2ab1fEi main INCLUDE c"):      "!ab::f(int); !ab::f; !main; c; " + always,
		block("EXCLUDE a") + block("INCLUDE a"):                 "!a; a; " + always,
		beginFiles + " " + endFiles + "\n" + block("EXCLUDE a"): "!a; " + always,
	} {
		if got, err := Rules("f", []byte(text)); got != want || err != nil {
			t.Errorf("%q: %q, %v, not %q", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		"EXCLUDE a":                               "f, line 1: \"EXCLUDE\" stands outside",
		beginRegions + "\nEXCLUDE a":              "f, line 2: the block has no " + endRegions,
		block("a"):                                "f, line 2: \"a\" stands before INCLUDE or EXCLUDE",
		block("\nEXCLUDE a\n b[") + "":            "line 4: \"b[\": a set has no ]",
		block("EXCLUDE [!a]"):                     "sets of what is not in them",
		block("EXCLUDE [z-a]"):                    "z-a is no range",
		block("EXCLUDE [a-z][a-z]"):               "more than 64 patterns",
		block(`EXCLUDE operator\*`):               "stands for itself",
		block(`EXCLUDE a;b`):                      "semicolon",
		block(`EXCLUDE !a`):                       "exclamation",
		block(`EXCLUDE MANGLED _ZN*`):             "only whole mangled names",
		beginFiles + "\nEXCLUDE *.c\n" + endFiles: "f, line 2: EXCLUDE *.c: rules for source files",
	} {
		if got, err := Rules("f", []byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %q, %v, not %s", text, got, err, says)
		}
	}
	for text, want := range map[string]bool{"# a\n\n " + beginRegions: true, beginFiles: true, "solve": false, "": false, "!std::*; x": false} {
		if Detect([]byte(text)) != want {
			t.Errorf("%q is a filter file: %t", text, !want)
		}
	}
}

// leftOut asks the rules as the recorders do.
func leftOut(rules, name string) (out bool) {
	for rule := range strings.SplitSeq(rules, "; ") {
		pattern, excludes := strings.CutPrefix(rule, "!")
		if ok, err := path.Match(pattern, name); ok && err == nil {
			out = excludes
		}
	}
	return out
}

// Names are left out as a naive reading of the file says: rule by rule, each pattern by the library's own matching.
func TestDecisions(t *testing.T) {
	out, in := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		actions := rapid.SliceOfN(rapid.SampledFrom([]string{"INCLUDE", "EXCLUDE"}), 1, 6).Draw(rt, "actions")
		var file strings.Builder
		type rule struct {
			excludes bool
			pattern  string
		}
		var rules []rule
		for _, action := range actions {
			fmt.Fprint(&file, "\n", action)
			for _, p := range rapid.SliceOfN(rapid.StringMatching(`[ab*?]{0,3}(\[a-b\]|\[bc\])?[abc*?]{1,2}`), 1, 3).Draw(rt, "patterns") {
				fmt.Fprint(&file, " ", p)
				rules = append(rules, rule{action == "EXCLUDE", p})
			}
		}
		got, err := Rules("f", []byte(beginRegions+file.String()+" # end\n"+endRegions))
		if err != nil {
			rt.Fatal(err)
		}
		for range 20 {
			name := rapid.StringMatching(`[abc]{1,5}`).Draw(rt, "name")
			want := false
			for _, r := range rules {
				if ok, _ := path.Match(r.pattern, name); ok {
					want = r.excludes
				}
			}
			if leftOut(got, name) != want {
				rt.Fatalf("%s of\n%s\nis left out: %t, by %s", name, file.String(), !want, got)
			}
			if want {
				out++
			} else {
				in++
			}
		}
	})
	if out < 20 || in < 20 {
		t.Errorf("%d names are left out, %d are not", out, in)
	}
}

func FuzzRules(f *testing.F) {
	f.Add([]byte(beginRegions + "\nEXCLUDE MANGLED _ZN2ab1fEi [a-c]\\ x # y\n" + endRegions))
	f.Add([]byte(beginFiles + " EXCLUDE a"))
	f.Add([]byte(beginRegions + " EXCLUDE [ [] []] \\"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules, err := Rules("f", text)
		if err == nil && (strings.Contains(rules, "\x00") || strings.Contains(rules, ";;")) {
			t.Errorf("rules %q", rules)
		}
	})
}
