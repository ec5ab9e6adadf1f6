package summary

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/document"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// opened converts a bundled trace.
func opened(t testing.TB, name string) *report.Trace {
	t.Helper()
	f, err := report.NewTrace(stored.Trace(t, tracetest.Anchor(t, name)), "trace.pando")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// summaryAnswer is a summary as another program reads it.
type summaryAnswer struct {
	By      string
	Rows    []map[string]any
	Total   map[string]any
	Omitted int `json:"omitted_rows"`
}

func summaryOf(t *testing.T, f *report.Trace, opt Options) (answer summaryAnswer, table [][]string, text string) {
	t.Helper()
	s, err := New(f, f.All(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var forms [3]bytes.Buffer
	for format := range forms {
		if err := s.Write(&forms[format], report.Format(format)); err != nil {
			t.Fatal(err)
		}
	}
	d := json.NewDecoder(&forms[report.JSON])
	d.UseNumber()
	if err := d.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if table, err = csv.NewReader(&forms[report.CSV]).ReadAll(); err != nil {
		t.Fatal(err)
	}
	return answer, table, forms[report.Text].String()
}

// decoded returns a summary as another program reads it.
func decoded(t *testing.T, s *Summary) (answer summaryAnswer) {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, report.JSON); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&b)
	d.UseNumber()
	if err := d.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// linesOf returns the text of a summary.
func linesOf(t *testing.T, s *Summary) []string {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, report.Text); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}

// TestSummaryFormats: a summary has the same rows and values as JSON and as CSV, as many lines of text, and totals that are sums of the rows,
// of those that are left out, too.
func TestSummaryFormats(t *testing.T) {
	f, rows, sums := opened(t, "otf2.mg.S.8.snapmark"), 0, 0
	for _, by := range Kinds() {
		opt := Options{By: by}
		if by == ByCallPath {
			opt.MinShare = new(float64) // text has all, too
		}
		all, table, text := summaryOf(t, f, opt)
		for i, row := range all.Rows {
			for j, name := range table[0] {
				if got, want := table[i+1][j], asCSV(row[name]); got != want {
					t.Errorf("by %s: row %d, %s: %s as CSV, %s as JSON", by, i, name, got, want)
				}
			}
			rows++
		}
		if all.By != by || len(table) != len(all.Rows)+1 || all.Omitted != 0 || len(all.Rows) > 0 && by != "matrix" && by != "region,location" && strings.Count(text, "\n") < len(all.Rows)+2 {
			t.Errorf("by %s: %q, %d rows, %d lines of CSV, %d left out, %s", by, all.By, len(all.Rows), len(table), all.Omitted, text)
		}
		some, _, _ := summaryOf(t, f, Options{By: by, Limit: 2})
		if left := len(all.Rows) - 2; left > 0 && (len(some.Rows) != 2 || some.Omitted != left || fmt.Sprint(some.Total) != fmt.Sprint(all.Total)) {
			t.Errorf("by %s: the first 2 of %d: %d rows, %d left out", by, len(all.Rows), len(some.Rows), some.Omitted)
		}
		for name, total := range all.Total {
			sum := 0.0
			for _, row := range all.Rows {
				sum += numberIn(t, row[name])
			}
			if want := numberIn(t, total); !strings.HasPrefix(name, "mean") && math.Abs(sum-want) > 1e-9*want {
				t.Errorf("by %s: %s adds up to %g, the total is %g", by, name, sum, want)
			}
			sums++
		}
	}
	if rows < 100 || sums < 15 {
		t.Errorf("%d rows, %d totals", rows, sums)
	}
}

func asCSV(v any) string {
	if v == nil {
		return ""
	}
	return strings.Trim(fmt.Sprint(v), "[]")
}

func numberIn(t *testing.T, v any) float64 {
	t.Helper()
	n, ok := v.(json.Number)
	f, err := n.Float64()
	if !ok || err != nil {
		t.Fatalf("%v is no number", v)
	}
	return f
}

// TestSummaryRefuses: an option with a value that it cannot have is named in the error.
func TestSummaryRefuses(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	for want, opt := range map[string]Options{"by": {By: "moon"}, "sort": {Sort: "colour"}, "limit": {Limit: -1}, "depth": {PathOptions: PathOptions{Depth: 2}},
		"min-share": {PathOptions: PathOptions{MinShare: new(float64)}}, "every": {By: ByCallPath, Every: 5}} {
		_, err := New(f, f.All(), opt)
		var option *OptionError
		if !errors.As(err, &option) || option.Option != want || option.Reason == "" {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestDocument: docs/answers.md has the columns of summaries.
func TestDocument(t *testing.T) {
	var b strings.Builder
	for _, by := range Kinds() {
		fmt.Fprintf(&b, "\n`--by %s`\n\n| name | type | unit | meaning |\n|---|---|---|---|\n", by)
		for _, c := range Columns(by) {
			kind := c.Type
			if c.Null {
				kind += ", null"
			}
			doc := c.Doc
			if c.With != "" {
				doc += "; with `--" + c.With + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, kind, c.Unit, doc)
		}
	}
	list := document.List{Name: "columns", Package: "./internal/report/summary"}
	list.Shows(t, "../../../docs/answers.md", b.String()+"\n")
}
