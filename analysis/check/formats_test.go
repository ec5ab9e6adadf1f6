package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// otherErrors are those of traces of other formats than OTF2 that are known to have some: MPE does not correct its clocks, which disagree by
// microseconds; quirks is a program that makes mistakes.
var otherErrors = map[string]string{
	"clog2.comm1_isr_8": "[received-before-sent:1]",
	"clog2.quirks_5":    "[lost-enter:1 received-before-sent:27 unmatched-receive:1 unmatched-send:1]",
	"clog2.threads_4":   "[received-before-sent:17]",
}

// openAny opens a bundled trace of a format.
func openAny(t testing.TB, format, name string) trace.Source {
	t.Helper()
	files := tracetest.Files(t, name, map[string]string{"clog2": ".clog2", "otf1": ".otf"}[format])
	src, err := convert.Open(t.Context(), files[0], convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// Traces of other formats are checked as they are: a naive checker finds the same, files count it, and correct ones have no errors.
func TestFormats(t *testing.T) {
	for _, format := range []string{"clog2", "otf1"} {
		for _, name := range tracetest.BundledOf(t, format) {
			t.Run(name, func(t *testing.T) {
				open := func() trace.Source { return openAny(t, format, name) }
				checkNaively(t, open())
				checkDoubts(t, open())
				if strings.Contains(name, ".allrec") {
					return // events of all kinds, which mean nothing
				}
				if got, want := errorsOf(of(t, open(), check.Options{Limit: 1})), otherErrors[name]; got != want && (want != "" || got != "[]") {
					t.Errorf("%s, want %s", got, want)
				}
			})
		}
	}
}

// errorsOf are the numbers of errors by code.
func errorsOf(r *check.Result) string {
	errors := map[string]uint64{}
	for _, c := range r.Counts {
		if c.Severity == check.Error {
			errors[c.Code.String()] += c.N
		}
	}
	return strings.TrimPrefix(fmt.Sprint(errors), "map")
}
