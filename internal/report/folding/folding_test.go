package folding_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// opened returns a trace for reports.
func opened(t *testing.T, r *store.Reader) *report.Trace {
	t.Helper()
	f, err := report.NewTrace(r, "run.pando")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func question(t *testing.T, r *store.Reader, by string, o fold.Options) *folding.Question {
	return &folding.Question{Trace: opened(t, r), Window: r.All(), By: by, Options: o}
}

// answer is the data of a question, as a reader of JSON has it.
type answer struct {
	folding.Head
	Rows    []folding.Row    `json:"rows"`
	Regions []folding.Region `json:"regions"`
}

func jsonOf(t *testing.T, q *folding.Question) (a answer) {
	t.Helper()
	var out bytes.Buffer
	if err := q.JSON(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&out)
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestData: JSON and the table say what rows are, of all ways to choose.
func TestData(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	for _, name := range fold.Selects() {
		by, err := fold.ParseSelect(name)
		if err != nil {
			t.Fatal(err)
		}
		o := fold.Options{Select: by, Pixels: 30}
		a := jsonOf(t, question(t, r, "all", o))
		if a.By != "all" || a.Select != name || a.Pixels != 30 || len(a.Rows) != 1 || len(a.Rows[0].Locations) != 8 {
			t.Fatalf("%+v", a)
		}
		list := tableOf(t, question(t, r, "all", o))
		known := map[uint64]bool{}
		for _, region := range a.Regions {
			known[region.Region] = true
		}
		groups := []fold.Group{{Locations: stored.LocationIDs(t, r)}}
		for row, err := range fold.Rows(context.Background(), r, r.All(), groups, o) {
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range row.Pixels {
				j, b := &a.Rows[0], p.Busy
				got := []uint64{j.Apart[i], j.UtilisationLow[i], j.UtilisationHigh[i], j.BusySum[i], j.BusyLeast[i], j.BusyMost[i], j.Errors[i]}
				want := []uint64{p.Apart, b.Low, b.High, b.Sum, b.Least, b.Most, row.Errors[i]}
				if by == fold.Quantiles {
					got, want = append(got, j.BusyQ1[i], j.BusyQ2[i], j.BusyQ3[i]), append(want, b.Quartiles[:]...)
				} else if got, want = append(got, j.Ticks[i]), append(want, p.Ticks); (j.Shown[i] != nil) != (p.Kind == fold.Called) || j.Shown[i] != nil && (*j.Shown[i] != p.Region || !known[p.Region]) {
					t.Errorf("%s, pixel %d shows %v, want %+v", name, i, j.Shown[i], p.State)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, pixel %d: JSON has %d, want %d", name, i, got, want)
				}
				columns := []string{"apart_ticks", "utilisation_low_ticks", "utilisation_high_ticks", "busy_ticks", "busy_least_ticks", "busy_most_ticks", "error_ticks", "shown_ticks"}
				if by == fold.Quantiles {
					columns = append(columns[:7], "busy_q1_ticks", "busy_median_ticks", "busy_q3_ticks")
				}
				for n, column := range columns {
					if list[column][i] != fmt.Sprint(want[n]) {
						t.Errorf("%s, row %d: %s is %s, want %d", name, i, column, list[column][i], want[n])
					}
				}
			}
		}
	}
}

// tableOf returns the table by its columns.
func tableOf(t *testing.T, q *folding.Question) map[string][]string {
	t.Helper()
	set, err := q.Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return columnsOf(t, set)
}

func columnsOf(t *testing.T, set *tables.Set) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	if _, err := set.Write(context.Background(), &out, set.Tables[0], columnar.Options{Format: columnar.CSV}); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for _, row := range all[1:] {
		for i, v := range row {
			list[all[0][i]] = append(list[all[0][i]], v)
		}
	}
	return list
}

// TestAnalysis: the server's table has the usual groups; its parts are the window, one after the other.
func TestAnalysis(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	a := folding.Analysis
	set, err := a.Make(context.Background(), tables.Question{Trace: opened(t, r), Window: r.All()}, a.Names)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []*store.Window{r.Window(5, 5), r.All().WithLocations()} {
		none, err := a.Make(context.Background(), tables.Question{Trace: opened(t, r), Window: w}, a.Names)
		if err != nil || len(columnsOf(t, none)) > 0 {
			t.Errorf("nothing to fold: %v, %v", none, err)
		}
	}
	list := columnsOf(t, set)
	next := int64(0)
	for i, start := range list["start_ticks"] {
		n, _ := strconv.ParseInt(list["duration_ticks"][i], 10, 64)
		if start != fmt.Sprint(next) {
			t.Fatalf("row %d begins at %s, not at %d", i, start, next)
		}
		next += n
	}
	from, to := r.All().Bounds()
	if next != to-from || len(list["pixel"]) != 1000 {
		t.Errorf("%d rows cover %d of %d ticks", len(list["pixel"]), next, to-from)
	}
}

// TestPictures: pictures have a row for each group, with hints in SVG; neighbours share rows where groups are too many.
func TestPictures(t *testing.T) {
	ctx := context.Background()
	r := stored.Source(t, tracegen.Ring(1300, 2, 1), store.Options{})
	for by := range fold.Quantiles + 1 {
		q := question(t, r, "process", fold.Options{Select: by, Pixels: draw.Pixels(600)})
		chart, err := q.Chart(ctx, "a title", true)
		if err != nil {
			t.Fatal(err)
		}
		if len(chart.Rows) != 434 || !strings.Contains(chart.Subtitle, "1,300 locations by process") || !strings.Contains(chart.Subtitle, "3 in each line") {
			t.Errorf("%s: %d rows, %q", by, len(chart.Rows), chart.Subtitle)
		}
		var picture, vector bytes.Buffer
		if err := errors.Join(chart.PNG(&picture, 600), chart.SVG(&vector, 600)); err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(&picture); err != nil || img.Bounds().Dx() != 600 {
			t.Errorf("%s: %v", by, err)
		}
		for _, text := range []string{"a title", "at least one of 3 in a call: ", "rank 0 … rank 2"} {
			if !strings.Contains(vector.String(), text) {
				t.Errorf("%s: the picture lacks %q", by, text)
			}
		}
	}
}

// TestText: rows in the terminal, what they add up to, and a sentence where there is no call.
func TestText(t *testing.T) {
	text := func(r *store.Reader, by fold.Select) string {
		var out bytes.Buffer
		q := question(t, r, "", fold.Options{Select: by})
		if err := q.Text(context.Background(), &out, draw.NewTerminal(80, 0, draw.NoColours), "run", func(*draw.Chart) {}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	src := tracegen.New(trace.Meta{Resolution: 1000})
	kernel, process := src.Region("kernel"), src.Process("p")
	for id := range uint64(2) {
		b := src.Location(id, process)
		b.Append(trace.KindEnter, 50*int64(id), kernel)
		b.Append(trace.KindLeave, 50*int64(id)+50, kernel)
	}
	r := stored.Source(t, src, store.Options{})
	for by, want := range map[fold.Select]string{
		fold.Idle: "A 100.0 % kernel", fold.Max: "A  98.0 % kernel", fold.Diff: "A  97.0 % kernel", fold.Quantiles: "median without a call",
	} {
		got := text(r, by)
		if !strings.Contains(got, "2 locations: ") || !strings.Contains(got, "all            2") || !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nlacks %q", by, got, want)
		}
	}
	if got := text(r, fold.Idle); !strings.Contains(got, "AAAAAAAAAAAAAAAAAAAA") || strings.Contains(got, "no location is") {
		t.Error(got)
	}
	none := tracegen.New(trace.Meta{Resolution: 1000})
	process = none.Process("p")
	for id := range uint64(2) {
		none.Location(id, process).Append(trace.KindMeasurementOnOff, 10*int64(id), 1)
	}
	if got := text(stored.Source(t, none, store.Options{}), fold.Max); !strings.Contains(got, "no location is in a call in this window\n") {
		t.Error(got)
	}
}

// TestUsage: questions without an answer are told apart from failures.
func TestUsage(t *testing.T) {
	r := stored.Source(t, tracegen.Exchange(4, 20, true, 100, 1), store.Options{})
	for _, c := range []struct {
		by     string
		window *store.Window
	}{{"device", r.All()}, {"node", r.All()}, {"all", r.Window(7, 7)}, {"all", r.All().WithLocations()}} {
		q := question(t, r, c.by, fold.Options{Pixels: 10})
		q.Window = c.window
		if _, err := q.Chart(context.Background(), "", false); !folding.IsUsage(err) {
			t.Errorf("by %s: %v", c.by, err)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := question(t, r, "all", fold.Options{Pixels: 10}).JSON(stopped, &bytes.Buffer{}); !errors.Is(err, context.Canceled) || folding.IsUsage(err) {
		t.Errorf("stopped: %v", err)
	}
}
