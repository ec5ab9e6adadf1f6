package comparison

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
)

// A run compared with two others has the report of each, and one line of each in a table.
func TestEach(t *testing.T) {
	runs := heat(t)
	for _, f := range []report.Format{report.Text, report.JSON} {
		var each Each
		var got, single strings.Builder
		var texts []string
		for _, b := range []contrast.Side{runs[1], runs[0]} {
			c, err := contrast.Compare(t.Context(), runs[0], b, contrast.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := New(c)
			if err := each.Add(&got, r, f); err != nil {
				t.Fatal(err)
			}
			single.Reset()
			if err := r.Write(&single, f); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, single.String())
		}
		if err := each.End(&got, f); err != nil {
			t.Fatal(err)
		}
		if f == report.Text {
			table, ok := strings.CutPrefix(got.String(), texts[0]+"\n"+texts[1]+"\n")
			if lines := strings.Split(table, "\n"); !ok || len(lines) != 5 || !strings.HasSuffix(lines[2], " boundary +24.04 ms on rank 10") || !strings.HasSuffix(strings.TrimRight(lines[3], " "), " +0 s (+0.0 %)") {
				t.Errorf("%v: %q", ok, table)
			}
			continue
		}
		var back struct{ Comparisons []Report }
		if err := json.Unmarshal([]byte(got.String()), &back); err != nil || len(back.Comparisons) != 2 {
			t.Fatalf("%d comparisons, %v", len(back.Comparisons), err)
		}
		for i, text := range texts {
			var want Report
			if err := json.Unmarshal([]byte(text), &want); err != nil {
				t.Fatal(err)
			}
			if back.Comparisons[i].B != want.B || back.Comparisons[i].Program != want.Program || len(back.Comparisons[i].Rows) != len(want.Rows) {
				t.Errorf("comparison %d is of %s", i, back.Comparisons[i].B)
			}
		}
	}
}
