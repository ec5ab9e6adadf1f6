package hotspots_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/hotspots"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// steps makes a trace of locations that run steps, in ticks that a function gives. An odd name must not harm a terminal.
func steps(t *testing.T, locations, times int, work func(location, step int) int64) *report.Trace {
	t.Helper()
	src := tracegen.New(trace.Meta{Resolution: 1_000_000})
	step, inner, process := src.Region("step"), src.Region("in\x1bner"), src.Process("process")
	for i := range locations {
		events, now := src.Location(uint64(i), process), int64(5)
		for n := range times {
			events.Append(trace.KindEnter, now, step)
			events.Append(trace.KindEnter, now+10, inner)
			now += 20 + work(i, n)
			events.Append(trace.KindLeave, now-10, inner)
			events.Append(trace.KindLeave, now, step)
		}
	}
	f, err := report.NewTrace(stored.Source(t, src, store.Options{}), "steps.pando")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func reportOf(t *testing.T, f *report.Trace, limit int) *hotspots.Report {
	t.Helper()
	a, err := segment.Find(t.Context(), f.Reader, f.All(), segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := hotspots.New(t.Context(), f, a, limit)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// late is 1000 ticks, but 9000 on location 2 in step 7, 2000 on location 1 from step 20 on, and 5000 in step 3.
func late(location, step int) int64 {
	switch {
	case step == 3:
		return 5000
	case location == 2 && step == 7:
		return 9000
	case location == 1 && step >= 20:
		return 2000
	}
	return 1000 + int64(location*7+step*13)%5
}

func TestText(t *testing.T) {
	f := steps(t, 5, 40, late)
	var out bytes.Buffer
	if err := reportOf(t, f, 0).Write(&out, report.Text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		`location 1 is late in each of segments 20 to 39 of step, by 19.97 ms in all: in segment `,
		`location 2 is late in segment 7 of step: 9.020 ms of its own, 9.000 ms of it in in\x1bner; median of the others 1.0`,
		`segment 3 of step takes long on all locations: 5.020 ms, 5.000 ms of it in in\x1bner; median of all segments 1.0`,
		``,
	} {
		if want == "" && lines[i] != "" || !strings.HasPrefix(strings.ReplaceAll(lines[i], "#", ""), want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	for _, want := range []string{"\nsegments: calls of step, 200 on 5 locations", "\nnothing in the window synchronises: SOS times are durations\n", "\nfiner: in\\x1bner\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no %q in %s", want, out.String())
		}
	}
	out.Reset()
	if err := reportOf(t, f, 1).Write(&out, report.Text); err != nil || !strings.Contains(out.String(), "\n… 2 more findings (--limit 1)\n") {
		t.Errorf("%v, %s", err, out.String())
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := reportOf(t, steps(t, 5, 40, late), 0).Write(&out, report.JSON); err != nil {
		t.Fatal(err)
	}
	var plain struct {
		Findings []struct {
			Kind  string `json:"kind"`
			First int64  `json:"first_segment"`
			Sos   int64  `json:"sos_ns"`
			Ticks int64  `json:"sos_ticks"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(out.Bytes(), &plain); err != nil {
		t.Fatal(err)
	}
	kinds := ""
	for _, f := range plain.Findings {
		kinds += f.Kind + " "
		if f.Sos != 1000*f.Ticks {
			t.Errorf("%d ns are %d ticks", f.Sos, f.Ticks)
		}
	}
	if kinds != "imbalance interruption slow " || plain.Findings[1].First != 7 {
		t.Errorf("findings: %+v", plain.Findings)
	}
	if strings.Contains(out.String(), ": null,\n      \"candidates\"") {
		t.Error("a list is null")
	}
}

// The map has the largest SOS time of the segments of each cell.
func TestPicture(t *testing.T) {
	r := reportOf(t, steps(t, 5, 40, late), 0)
	whole := r.Picture(320, 1600)
	if len(whole.Rows) != 5 || len(whole.Columns) != 40 || whole.Values[2*40+7] != 9020e-6 || whole.Scale != draw.Log {
		t.Fatalf("%d rows, %d columns, %g", len(whole.Rows), len(whole.Columns), whole.Values[2*40+7])
	}
	if hint := whole.Hint(2, 7); !strings.HasPrefix(hint, "z ") {
		t.Errorf("hint %q", hint)
	}
	part := r.Picture(3, 9)
	most := make([]float64, len(part.Values))
	for row := range 5 {
		for column := range 40 {
			cell := &most[row/2*len(part.Columns)+column/5]
			*cell = max(*cell, whole.Values[row*40+column])
		}
	}
	for i, v := range part.Values {
		if v != most[i] {
			t.Errorf("cell %d is %g, want %g", i, v, most[i])
		}
	}
	var out bytes.Buffer
	if err := r.Map(draw.NewTerminal(80, 0, draw.NoColours)).Terminal(&out, draw.NewTerminal(80, 0, draw.NoColours)); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 10 || strings.Count(lines[4], "@") == 0 {
		t.Errorf("the map is %s", out.String())
	}
	if err := whole.PNG(&out, 1600); err != nil {
		t.Error(err)
	}
}

// The table of segments has one row for each, whose SOS times are those of the analysis.
func TestTable(t *testing.T) {
	f := steps(t, 3, 30, late)
	set, err := hotspots.Analysis.Make(t.Context(), tables.Question{Trace: f, Window: f.All()}, []string{"segments"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := set.Write(context.Background(), &out, set.Tables[0], columnar.Options{Format: "csv"}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 91 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if got := strings.Join(rows[1+2*30+7][2:10], " "); got != "7 step 11153000 11153 9020000 9020 9020000 9020" {
		t.Errorf("row of step 7 on location 2: %s", got)
	}
	short := steps(t, 2, 1, late)
	if _, err := hotspots.Analysis.Make(t.Context(), tables.Question{Trace: short, Window: short.All()}, nil); err == nil {
		t.Error("a trace without segments has tables")
	}
}

func TestNone(t *testing.T) {
	f := steps(t, 2, 1, late)
	r := hotspots.NewNone(f, &segment.NoneError{Why: "nothing repeats"})
	var text, out bytes.Buffer
	if r.Write(&text, report.Text) != nil || r.Write(&out, report.JSON) != nil || text.String() != "nothing repeats\n" || !strings.Contains(out.String(), `"why": "nothing repeats"`) {
		t.Errorf("%s, %s", text.String(), out.String())
	}
}
