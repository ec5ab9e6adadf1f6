package tables_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	written "github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// side converts and opens a trace.
func side(t *testing.T, path string) contrast.Side {
	t.Helper()
	r := stored.Trace(t, path)
	return contrast.Side{Name: path, Reader: r, Window: r.All()}
}

// source compares two traces: two of one program, and two ranks of a program whose ranks differ.
func source(t *testing.T) *tables.Source {
	t.Helper()
	ctx := context.Background()
	a, b := side(t, "../../../../examples/heat.before.tar.zst"), side(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	c, err := contrast.Compare(ctx, a, b, contrast.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &tables.Source{Context: ctx, Comparison: c, Likeness: func() (*contrast.Likeness, error) {
		return contrast.Alike(ctx, []contrast.Side{a, b}, contrast.Options{})
	}}
}

// rows returns a table by its columns.
func rows(t *testing.T, s *tables.Source, name string) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	set, err := s.Set([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	f, err := set.Write(s.Context, &out, set.Tables[0], columnar.Options{Format: columnar.CSV})
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != int64(len(all)-1) || f.Rows == 0 {
		t.Fatalf("%s: %d rows are told, %d are there", name, f.Rows, len(all)-1)
	}
	columns := map[string][]string{}
	for i, column := range all[0] {
		for _, r := range all[1:] {
			columns[column] = append(columns[column], r[i])
		}
	}
	return columns
}

// sum adds up integers, null being 0.
func sum(t *testing.T, list []string) (n int64) {
	t.Helper()
	if len(list) == 0 {
		t.Fatal("there is no such column")
	}
	for _, text := range list {
		if text == "" {
			continue
		}
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		n += v
	}
	return n
}

// Tables of times add up to what the comparison found.
func TestSums(t *testing.T) {
	s := source(t)
	var all contrast.Tally
	for i := 1; i < len(s.Comparison.Paths); i++ {
		all.Add(&s.Comparison.Paths[i].Tally)
	}
	if all.Pairs == 0 || all.LoneCalls[0] == 0 || all.LoneCalls[1] == 0 {
		t.Fatalf("a comparison that tests little: %+v", all)
	}
	for _, name := range []string{"function_differences", "call_path_differences"} {
		r := rows(t, s, name)
		for column, want := range map[string]int64{
			"difference_ticks": all.Net(), "exclusive_a_ticks": all.Ticks[0], "exclusive_b_ticks": all.Ticks[1], "pairs": int64(all.Pairs), "count_a": int64(all.Calls[0]),
			"count_b": int64(all.Calls[1]), "only_a_count": int64(all.LoneCalls[0]), "only_b_ticks": all.LoneTicks[1], "plus_ticks": all.Plus, "minus_ticks": all.Minus,
			"slower": int64(all.Slower), "inclusive_b_ticks": all.Inclusive[1],
		} {
			if got := sum(t, r[column]); got != want {
				t.Errorf("%s: %s adds up to %d, not %d", name, column, got, want)
			}
		}
	}
	r := rows(t, s, "aligned_calls")
	for column, want := range map[string]int64{
		"difference_ticks": all.Net(), "exclusive_a_ticks": all.Ticks[0], "exclusive_b_ticks": all.Ticks[1], "duration_a_ticks": all.Inclusive[0],
	} {
		if got := sum(t, r[column]); got != want {
			t.Errorf("aligned calls: %s adds up to %d, not %d", column, got, want)
		}
	}
	if want := all.Pairs + all.LoneCalls[0] + all.LoneCalls[1]; uint64(len(r["state"])) != want {
		t.Errorf("%d aligned calls, not %d", len(r["state"]), want)
	}
}

// The alignment covers all events, and the series count all calls of pairs.
func TestAlignment(t *testing.T) {
	s := source(t)
	var events, enters, lone uint64
	for i := range s.Comparison.Pairs {
		events += s.Comparison.Pairs[i].Events[0]
		for _, b := range s.Comparison.Pairs[i].Series {
			enters, lone = enters+b.Enters, lone+b.Lone
		}
	}
	r := rows(t, s, "alignment")
	covered := int64(0)
	for i, n := range r["events"] {
		if r["state"][i] != "only b" {
			covered += sum(t, []string{n})
		}
	}
	if covered != int64(events) {
		t.Errorf("segments have %d events of A, not %d", covered, events)
	}
	d := rows(t, s, "dissimilarity")
	if a, b := sum(t, d["calls"]), sum(t, d["alone"]); a != int64(enters) || b != int64(lone) || lone == 0 {
		t.Errorf("%d calls, %d alone, not %d and %d", a, b, enters, lone)
	}
	k := rows(t, s, "skew")
	if k["begin_ticks"][0] != "0" || len(k["least_ns"]) == 0 {
		t.Errorf("the first bin begins at %s", k["begin_ticks"][0])
	}
}

// Each location of A meets each of B.
func TestSimilarity(t *testing.T) {
	s := source(t)
	r := rows(t, s, "similarity")
	if len(r["proven"]) != 16*8 {
		t.Errorf("%d pairs", len(r["proven"]))
	}
	for i := range s.Comparison.Pairs {
		p := &s.Comparison.Pairs[i]
		at := slices.IndexFunc(r["location_label_a"], func(n string) bool { return n == p.A.Label })
		for r["location_label_b"][at] != p.B.Label {
			at++
		}
		if low := strconv.FormatFloat(p.Similarity.Lowest, 'g', -1, 64); r["lowest_similarity"][at] != low {
			t.Errorf("%s: %s, not %s", p.A.Label, r["lowest_similarity"][at], low)
		}
	}
}

// All tables can be written in all formats.
func TestExport(t *testing.T) {
	s := source(t)
	for _, format := range columnar.Formats() {
		dir := filepath.Join(t.TempDir(), "tables")
		set, err := s.Set(tables.Names())
		if err != nil {
			t.Fatal(err)
		}
		files, err := set.Export(s.Context, dir, format, func(path string) (written.File, error) { return claim.Create(path, claim.Options{}) })
		if err != nil || len(files) != len(tables.Names()) {
			t.Fatalf("%s: %d files, %v", format, len(files), err)
		}
		for _, f := range files {
			if info, err := os.Stat(f.Path); err != nil || info.Size() != f.Bytes || f.Rows == 0 {
				t.Errorf("%s: %+v, %v", f.Path, f, err)
			}
		}
	}
	if err := tables.Check([]string{"skew", "skwe"}); err == nil {
		t.Error("there is a table skwe")
	}
}
