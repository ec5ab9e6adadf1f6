package examples

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/serve"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// bundled is the trace that the examples run on.
const bundled = "otf2.mg.S.8.snapmark"

// converted makes a Pando file of a trace.
func converted(t *testing.T, name string) string {
	t.Helper()
	a, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	path := filepath.Join(t.TempDir(), "mg.pando")
	w, err := store.Create(t.Context(), path, a.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(t.Context(), w, a, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t *testing.T, path string) *store.Reader {
	t.Helper()
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// exported writes the tables that the examples read.
func exported(t *testing.T, r *store.Reader) string {
	t.Helper()
	dir := t.TempDir()
	x, err := columnar.New(r)
	if err == nil {
		_, err = x.Export(context.Background(), columnar.Options{Dir: dir, Format: columnar.Parquet, Whole: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// needNode skips the test if node does not find a package.
func needNode(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not on PATH")
	}
	if exec.Command("node", "-e", "require.resolve("+fmt.Sprintf("%q", name)+")").Run() != nil {
		t.Skipf("%s is not below NODE_PATH=%s", name, os.Getenv("NODE_PATH"))
	}
}

// run runs a program and returns what it prints.
func run(t *testing.T, env []string, name string, arguments ...string) string {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Env = append(os.Environ(), env...)
	out, err := c.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		t.Fatalf("%s: %v\n%s", c, err, e.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// answer is what sql.mjs says of a query.
type answer struct {
	Title   string
	Columns []string
	Rows    [][]any
}

// TestSQL asks the ten questions, and holds some answers against summaries of the file.
func TestSQL(t *testing.T) {
	needNode(t, "@duckdb/node-api")
	r := opened(t, converted(t, bundled))
	var answers []answer
	if err := json.Unmarshal([]byte(run(t, nil, "node", "sql.mjs", "questions.sql", exported(t, r), "--json")), &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != 10 {
		t.Fatalf("%d answers to ten questions", len(answers))
	}
	for i, a := range answers {
		if len(a.Rows) == 0 || !strings.HasPrefix(a.Title, fmt.Sprint(i+1)) {
			t.Errorf("question %d: %q, %d rows", i+1, a.Title, len(a.Rows))
		}
	}
	sum, err := r.All().Summary()
	if err != nil {
		t.Fatal(err)
	}
	checkRegions(t, r, sum, &answers[0])
	checkMatrix(t, sum, &answers[6])
	if slow := answers[4].Rows; len(answers[3].Rows) != 5 || slow[0][1] != "mg3p_" {
		t.Errorf("%d iterations of %v, want the 5 V-cycles of mg3p_", len(answers[3].Rows), slow[0][1])
	}
	operations := 0.0
	for _, row := range answers[8].Rows {
		operations += 8 * row[2].(float64)
	}
	for _, c := range sum.Collectives {
		operations -= float64(c.Count)
	}
	if operations != 0 {
		t.Errorf("collective operations of ranks: %g more than the summary has", operations)
	}
}

// TestIterations asks what the iteration of larger programs is. LU calls rhs_ once before its steps, and then in each; exchanges are
// called far more often.
func TestIterations(t *testing.T) {
	needNode(t, "@duckdb/node-api")
	larger, asked := tracetest.LargerOf(t, "otf2"), 0
	for _, c := range []struct {
		name, region string
		count        int
	}{{"otf2.lu.S.4", "rhs_", 53}, {"otf2.bt.S.16", "adi_", 61}, {"otf2.sweep3d.16", "sweep_", 12}} {
		if !slices.Contains(larger, c.name) {
			continue
		}
		asked++
		var answers []answer
		tables := exported(t, opened(t, converted(t, c.name)))
		if err := json.Unmarshal([]byte(run(t, nil, "node", "sql.mjs", "questions.sql", tables, "--json")), &answers); err != nil {
			t.Fatal(err)
		}
		each, slow := answers[3].Rows, answers[4].Rows
		if len(each) != min(c.count, 20) || len(slow) != 5 || slow[0][1] != c.region {
			t.Errorf("%s: %d iterations, the slowest %v, want %d of %s", c.name, len(each), slow, c.count, c.region)
		}
	}
	if asked == 0 {
		t.Skip("PANDO_TRACES has none of these traces")
	}
}

// TestNumbers: integers are printed whole, however long; fractions are rounded.
func TestNumbers(t *testing.T) {
	needNode(t, "@duckdb/node-api")
	query := filepath.Join(t.TempDir(), "numbers.sql")
	if err := os.WriteFile(query, []byte("SELECT 123456789 AS a, 12345678901234567890123::HUGEINT AS b, 1.23456789 AS c;\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	out := run(t, nil, "node", "sql.mjs", query, t.TempDir())
	for _, want := range []string{" 123456789 ", "12345678901234567890123", " 1.23457 "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

func checkRegions(t *testing.T, r *store.Reader, sum *trace.Summary, a *answer) {
	t.Helper()
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	calls, seconds := map[string]float64{}, map[string]float64{}
	for _, c := range sum.Calls {
		name := d.Name(trace.SpaceRegion, c.Region)
		calls[name] += float64(c.Count)
		seconds[name] += c.Exclusive.Float() / float64(r.Meta().Resolution)
	}
	for _, row := range a.Rows {
		name := row[0].(string)
		if row[1] != calls[name] || math.Abs(row[2].(float64)-seconds[name]) > 1e-9 {
			t.Errorf("%v, want %g calls and %g s", row, calls[name], seconds[name])
		}
	}
}

func checkMatrix(t *testing.T, sum *trace.Summary, a *answer) {
	t.Helper()
	if len(a.Rows) != len(sum.Messages) {
		t.Errorf("%d pairs, want %d", len(a.Rows), len(sum.Messages))
	}
	for i, m := range sum.Messages { // locations of this trace have the ids of their ranks
		want := []any{float64(m.SendLocation), float64(m.ReceiveLocation), float64(m.Count), m.Bytes.Float()}
		if i < len(a.Rows) && fmt.Sprint(a.Rows[i][:4]) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", a.Rows[i], want)
		}
	}
}

// TestWindow lets Go read a window of the file, and JavaScript the same from a server: both print the same.
func TestWindow(t *testing.T) {
	path := converted(t, bundled)
	r := opened(t, path)
	from := (r.Info().Last - r.Info().First) * 24 / 25
	fromGo := run(t, nil, "go", "run", "./window", path, fmt.Sprint(from, "ns"), "+5ms")
	if strings.Count(fromGo, "\n") < 5 || !strings.Contains(fromGo, "calls MPI_Send\n") {
		t.Errorf("Go: %s", fromGo)
	}
	needNode(t, "apache-arrow")
	s, err := serve.New([]string{filepath.Dir(path)}, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer s.Close()
	defer h.Close()
	if fromJS := run(t, nil, "node", "window.mjs", h.URL+"/v1/traces/mg", fmt.Sprint(from, "ns"), "+5ms"); fromJS != fromGo {
		t.Errorf("JavaScript:\n%sGo:\n%s", fromJS, fromGo)
	}
}

// python finds a Python that has what the notebook needs.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import nbconvert, ipykernel, pandas, matplotlib").Run() == nil {
			return name
		}
	}
	t.Skip("no Python with nbconvert, ipykernel, pandas and matplotlib")
	return ""
}

// TestNotebook executes the notebook and looks for its pictures. With PANDO_PICTURES, they are written to that folder.
func TestNotebook(t *testing.T) {
	needNode(t, "@duckdb/node-api")
	python := python(t)
	sql, err := filepath.Abs("sql.mjs")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	env := []string{"PANDO_TABLES=" + exported(t, opened(t, converted(t, bundled))), "PANDO_SQL=" + sql, "MPLBACKEND=module://matplotlib_inline.backend_inline"}
	run(t, env, python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", out, "--output", "done.ipynb", "notebook.ipynb")
	text, err := os.ReadFile(filepath.Join(out, "done.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	pictures := notebookPictures(t, text)
	if len(pictures) != 3 {
		t.Errorf("%d pictures", len(pictures))
	}
	for i, p := range pictures {
		if len(p) < 5000 {
			t.Errorf("picture %d has %d bytes", i, len(p))
		}
		if dir := os.Getenv("PANDO_PICTURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("notebook-%d.png", i)), p, 0o666); err != nil {
				t.Error(err)
			}
		}
	}
}

// notebookPictures returns the pictures among the outputs of a notebook.
func notebookPictures(t *testing.T, text []byte) (pictures [][]byte) {
	t.Helper()
	var notebook struct {
		Cells []struct {
			Outputs []struct {
				Data map[string]any
			}
		}
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		t.Fatal(err)
	}
	for _, c := range notebook.Cells {
		for _, o := range c.Outputs {
			if png, ok := o.Data["image/png"].(string); ok {
				p, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(png, "\n", ""))
				if err != nil {
					t.Error(err)
				}
				pictures = append(pictures, p)
			}
		}
	}
	return pictures
}
