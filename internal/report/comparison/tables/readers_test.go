package tables_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	written "github.com/pandotrace/pando/internal/report/tables"
)

// TestOtherReaders lets DuckDB and the Arrow library of JavaScript ask the tables whether they keep the law of ticks. The packages of
// bench/duckdb/package.json must be found below NODE_PATH.
func TestOtherReaders(t *testing.T) {
	needReaders(t)
	s := source(t)
	dir := t.TempDir()
	for _, format := range []columnar.Format{columnar.Parquet, columnar.Arrow} {
		set, err := s.Set(tables.Names())
		if err != nil {
			t.Fatal(err)
		}
		create := func(path string) (written.File, error) { return claim.Create(path, claim.Options{}) }
		if _, err := set.Export(t.Context(), dir, format, create); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("node", "testdata/law.mjs", dir)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("law.mjs: %v", err)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[name] = number
	}
	want := answers(s.Comparison)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if n := fmt.Sprint(want[name]); got[name] != n {
			t.Errorf("%s: %q, not %s", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, not %d", len(got), len(want))
	}
}

// answers are those that law.mjs should find.
func answers(c *contrast.Comparison) map[string]int64 {
	var sum contrast.Tally
	for i := 1; i < len(c.Paths); i++ {
		sum.Add(&c.Paths[i].Tally)
	}
	n := map[string]int64{
		"regions-that-break-the-law": 0, "paths-that-break-the-law": 0, "regions-that-calls-do-not-explain": 0, "calls-of-another-region": 0,
		"gaps-between-segments": 0, "difference": sum.Net(), "pairs": int64(sum.Pairs), "similar": int64(c.Locations[0] * c.Locations[1]),
		"arrow-aligned_calls": sum.Net(), "arrow-call_path_differences": sum.Net(), "arrow-function_differences": sum.Net(),
		"segments": 0, "alone": 0, "skew": 0,
	}
	for i := range c.Pairs {
		n["segments"] += int64(len(c.Pairs[i].Segments))
		for _, b := range c.Pairs[i].Series {
			if n["alone"] += int64(b.Lone); b.Pairs > 0 {
				n["skew"]++
			}
		}
	}
	return n
}

// needReaders skips the test if node or its packages are not there.
func needReaders(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on PATH")
	}
	var exit *exec.ExitError
	if err := exec.Command("node", "testdata/law.mjs").Run(); errors.As(err, &exit) && exit.ExitCode() == 3 {
		t.Skipf("the packages of bench/duckdb/package.json are not below NODE_PATH=%s", os.Getenv("NODE_PATH"))
	}
}
