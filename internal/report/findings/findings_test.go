package findings_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/findings"
	"github.com/pandotrace/pando/internal/tracegen"
)

// find checks a program that a fault was put into.
func find(t *testing.T, fault tracegen.Fault, seed uint64, known *findings.Known) *findings.Report {
	t.Helper()
	src := tracegen.Program(4, 10, seed)
	fault.Break(src, seed)
	r, err := findings.Find(t.Context(), &findings.Question{Name: "run", Source: src, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The message of each fault is a sentence in which nothing is left to be filled in, and it stands in the report as text, as JSON and as SARIF; and it is no news to those who know it.
func TestFaults(t *testing.T) {
	for _, fault := range tracegen.Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			r := find(t, fault, 1, nil)
			if len(r.Findings) == 0 || r.Errors+r.Warnings+r.Notes == 0 {
				t.Fatalf("nothing is found: %+v", r)
			}
			var text, sarif, plain bytes.Buffer
			if err := r.Write(&text, report.Text); err != nil {
				t.Fatal(err)
			}
			if err := r.Write(&plain, report.JSON); err != nil {
				t.Fatal(err)
			}
			if err := r.WriteSARIF(&sarif, "test"); err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				if f.Message == "" || strings.ContainsAny(f.Message, "{}") {
					t.Errorf("message %q of %+v", f.Message, f.Values)
				}
				if !strings.Contains(text.String(), f.Message) {
					t.Errorf("text has no %q:\n%s", f.Message, text.String())
				}
			}
			if !strings.Contains(sarif.String(), `"ruleId": "`+fault.Name+`"`) || !json.Valid(sarif.Bytes()) {
				t.Errorf("SARIF: %s", sarif.String())
			}
			known, err := findings.ReadKnown(&plain)
			if err != nil {
				t.Fatal(err)
			}
			if again := find(t, fault, 1, known); again.Errors+again.Warnings+again.Notes != 0 || len(again.Findings) != 0 || again.Known == 0 {
				t.Errorf("what is known is news: %+v", again)
			}
		})
	}
}

// A report that calls locations otherwise would make all that is known news.
func TestKnownOfAnotherVersion(t *testing.T) {
	for text, want := range map[string]string{
		`{"counts":[{"code":"open-call","location":3,"location_name":"rank 3","count":1}]}`: "no location_label",
		`{"counts":1}`: "not the JSON of an earlier check",
		`{"counts":[{"code":"a","location":null,"location_label":null,"count":1},{"code":"b","location":0,"location_label":"rank 0","count":1}]}`: "",
	} {
		_, err := findings.ReadKnown(strings.NewReader(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
