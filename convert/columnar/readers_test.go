package columnar

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// TestOtherReaders lets DuckDB, parquet-wasm, hyparquet and the Arrow library of JavaScript read the tables: every cell
// must be what our own libraries read. The packages of bench/duckdb/package.json must be found below NODE_PATH.
func TestOtherReaders(t *testing.T) {
	needReaders(t)
	work := t.TempDir()
	want := map[string]string{} // by file
	for name, src := range map[string]trace.Source{
		"empty":      tracegen.New(trace.Meta{Resolution: 1}),
		"handmade":   handmade(),
		"allrecords": bundled(t, "otf2.synthetic.allrecords"),
		"metric":     bundled(t, "otf2.ep.S.4.metric"),
		"mpi":        bundled(t, "otf2.patched.mg.S.4.unknown-id"),
	} {
		r := stored(t, src)
		for _, f := range []Format{Parquet, Arrow} {
			for _, file := range export(t, r, Options{Format: f}) {
				to := name + "-" + filepath.Base(file.Path)
				want[to] = checksum(t, file)
				if err := os.Rename(file.Path, filepath.Join(work, to)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := os.WriteFile(filepath.Join(work, "numbered.parquet"), writeNumbered(t, 10*table.PageRows), 0o666); err != nil {
		t.Fatal(err)
	}
	want["numbered.parquet"] = numberedChecksum(t)
	checkReaders(t, work, want)
}

// needReaders skips the test if node or its packages are not there.
func needReaders(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on PATH")
	}
	if err := exec.Command("node", "testdata/readers.mjs").Run(); exitCode(err) == 3 {
		t.Skipf("the packages of bench/duckdb/package.json are not below NODE_PATH=%s", os.Getenv("NODE_PATH"))
	}
}

func exitCode(err error) int {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		return e.ExitCode()
	}
	return 0
}

func checkReaders(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	command := exec.Command("node", "testdata/readers.mjs", dir)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Errorf("readers.mjs: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, line := range lines {
		f := strings.Fields(line)
		if got := strings.Join(f[2:], " "); got != want[f[0]] {
			t.Errorf("%s: %s read %s, want %s", f[0], f[1], got, want[f[0]])
		}
	}
	if parquets, arrows := 3, 1; len(lines) != (len(want)-1)/2*(parquets+arrows)+parquets {
		t.Errorf("%d lines for %d files", len(lines), len(want))
	}
}

// checksum of a file's cells: see testdata/readers.mjs.
func checksum(t *testing.T, f File) string {
	t.Helper()
	i := slices.IndexFunc(Tables(), func(t table.Schema) bool { return t.Name == f.Table })
	return checksumOf(t, read(t, f), Tables()[i].Columns)
}

func numberedChecksum(t *testing.T) string {
	t.Helper()
	c, err := readParquet(writeNumbered(t, 10*table.PageRows))
	if err != nil {
		t.Fatal(err)
	}
	return checksumOf(t, c, numbered.Columns)
}

func checksumOf(t *testing.T, c *contents, columns []table.Column) string {
	t.Helper()
	hash := sha256.New()
	for _, row := range c.rows {
		cells := slices.Clone(row)
		for i, column := range columns {
			if column.Type == table.Double && cells[i] != null {
				cells[i] = bitsOf(t, cells[i])
			}
		}
		hash.Write([]byte(strings.Join(cells, "\x1f") + "\x1e"))
	}
	return fmt.Sprintf("%d %x", len(c.rows), hash.Sum(nil))
}

func bitsOf(t *testing.T, cell string) string {
	t.Helper()
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	if math.IsNaN(v) {
		return "nan"
	}
	return fmt.Sprintf("%016x", math.Float64bits(v))
}
