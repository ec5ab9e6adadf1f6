package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// work is the folder of what is built and prepared: programs are linked once for all tests.
var work string

// TestMain makes the test program the instance in between that measures.
func TestMain(m *testing.M) {
	if measureAsked() {
		os.Exit(measure(os.Args[2:]))
	}
	var err error
	if work, err = os.MkdirTemp("", "pando-compare-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	os.RemoveAll(work)
	os.Exit(status)
}

// compareWith runs the command and returns its report.
func compareWith(t *testing.T, args ...string) string {
	t.Helper()
	if os.Getenv("PANDO_SOAK") == "" {
		t.Skip("PANDO_SOAK is not set, which .ci/run sets: the program is built and run beside its peers")
	}
	var out, progress bytes.Buffer
	file := filepath.Join(t.TempDir(), "report.md")
	if err := run(t.Context(), append([]string{"-out", file, "-work", work, "-profile", ""}, args...), &out, &progress); err != nil {
		t.Fatalf("%v\n%s%s", err, progress.Bytes(), out.Bytes())
	}
	if written, err := os.ReadFile(file); err != nil || !bytes.Equal(written, out.Bytes()) {
		t.Errorf("-out wrote something else than what was printed: %v", err)
	}
	return out.String()
}

// tableRows returns the cells of the rows of a section's tables, without their heads.
func tableRows(t *testing.T, report, title string) (rows [][]string) {
	t.Helper()
	_, section, ok := strings.Cut(report, "\n## "+title+"\n")
	if !ok {
		t.Fatalf("there is no section %s in\n%s", title, report)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var before string
	for line := range strings.Lines(section) {
		isRow := strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| -")
		if isRow && strings.HasPrefix(before, "| ") {
			rows = append(rows, each(strings.Split(strings.Trim(line, "| \n"), "|"), strings.TrimSpace))
		}
		before = line
	}
	return rows
}

// column returns a cell of each row.
func column(rows [][]string, n int) (cells []string) {
	for _, row := range rows {
		if n < len(row) {
			cells = append(cells, row[n])
		}
	}
	return cells
}

// TestReport runs all sections that need no long work on a bundled trace. Answers of Pando and DuckDB are compared on the way.
func TestReport(t *testing.T) {
	archive := tracetest.Anchor(t, "otf2.patched.mg.S.4.unknown-id")
	report := compareWith(t, "-section", "size,conversion,windows,summaries,timelines,scaling", "-rounds", "1", "-windows", "3", "-calls", "500,1e9",
		"-events", "5e3,1e4", "-locations", "3,20", "-base", archive, archive)
	for _, line := range []string{"machine:", "commit:", "date:", "Peers:", "* DuckDB: ", "* otf2-print: ", "* xz: "} {
		if !strings.Contains(report, line) {
			t.Errorf("the report lacks %q", line)
		}
	}
	for title, want := range map[string]struct {
		column int
		cells  []string
	}{
		"Size":                    {1, []string{"41,714"}},
		"Conversion and printing": {2, []string{"pando convert", "pando cat"}},
		"Windows":                 {2, []string{"Pando"}},
		"Summaries":               {3, []string{"Pando"}},
		"Timelines":               {1, []string{"all"}},
		"Scaling":                 {1, []string{"5,000", "10,000", "3", "20", "5", "1,000"}},
	} {
		got := column(tableRows(t, report, title), want.column)
		for _, cell := range want.cells {
			if !slices.Contains(got, cell) {
				t.Errorf("section %s has %q, and not %q", title, got, cell)
			}
		}
	}
	for peer, rows := range map[string][]string{
		"OTF2's C library": {"convert | OTF2's C library"},
		"otf2-print":       {"print   | otf2-print"},
		"DuckDB":           {"| DuckDB, Parquet  ", "| DuckDB, table in memory |"},
	} {
		if strings.Contains(report, "* "+peer+": missing") {
			t.Logf("without %s, which is missing", peer)
			continue
		}
		for _, row := range rows {
			if !strings.Contains(report, row) {
				t.Errorf("there is %s, but no row with %q", peer, row)
			}
		}
	}
	if t.Failed() {
		t.Log(report)
	}
}

// TestWithoutPeers names what is missing, and measures Pando alone.
func TestWithoutPeers(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("NODE_PATH", empty)
	t.Setenv("PANDO_CI_CACHE", empty)
	report := compareWith(t, "-section", "windows", "-rounds", "1", "-windows", "2", "-calls", "500",
		tracetest.Anchor(t, "otf2.patched.mg.S.4.unknown-id"))
	if !strings.Contains(report, "* DuckDB: missing (") {
		t.Error("the report does not say that DuckDB is missing")
	}
	for _, row := range tableRows(t, report, "Windows") {
		if strings.Contains(strings.Join(row, " "), "DuckDB") {
			t.Errorf("a row of what is missing: %q", row)
		}
	}
	if p := findProgram("pando-no-such-program"); p.missing == nil || !strings.Contains(p.String(), "missing") {
		t.Errorf("a program that nobody has: %v", &p)
	}
}

func TestTurns(t *testing.T) {
	var order strings.Builder
	named := func(name string) contender[string] {
		return contender[string]{name, func(turn int) (string, error) {
			order.WriteString(name)
			return name + string(rune('0'+turn)), nil
		}}
	}
	got, err := inTurns(3, []contender[string]{named("a"), named("b")})
	if err != nil || order.String() != "abbaab" || !slices.Equal(got[1], []string{"b0", "b1", "b2"}) {
		t.Errorf("%v, %v, in the order %s", got, err, &order)
	}
	failing := contender[string]{"c", func(int) (string, error) { return "", io.EOF }}
	if _, err := inTurns(1, []contender[string]{named("a"), failing}); !errors.Is(err, io.EOF) || !strings.HasPrefix(err.Error(), "c:") {
		t.Errorf("error %v", err)
	}
}

// TestRaceComparesAnswers lets one of two be wrong once.
func TestRaceComparesAnswers(t *testing.T) {
	b := &bench{options: options{rounds: 2}}
	asked := 0
	right := contender[timed]{"right", func(turn int) (timed, error) { return timed{1, []uint64{7}}, nil }}
	other := contender[timed]{"other", func(turn int) (timed, error) {
		asked++
		return timed{2, []uint64{7}}, nil
	}}
	ms, err := b.race(3, []contender[timed]{right, other})
	if err != nil || asked != 9 || len(ms[1]) != 6 || ms[1][5] != 2 {
		t.Errorf("%v, %v, asked %d times", ms, err, asked)
	}
	wrong := contender[timed]{"wrong", func(turn int) (timed, error) { return timed{1, []uint64{uint64(7 + turn/5)}}, nil }}
	if _, err := b.race(3, []contender[timed]{right, wrong}); err == nil {
		t.Error("a wrong answer passed")
	}
}

// TestMeasured measures what is known, while this process holds more memory than that.
func TestMeasured(t *testing.T) {
	b := &bench{ctx: t.Context()}
	held := bytes.Repeat([]byte{1}, 200<<20)
	var out bytes.Buffer
	u, err := b.measured(&out, []string{"WORD=pando"}, "sh", "-c", "sleep 0.1; echo $WORD")
	runtime.KeepAlive(held)
	if err != nil || out.String() != "pando\n" {
		t.Fatalf("printed %q, %v", out.String(), err)
	}
	if u.Wall.Seconds() < 0.1 || u.Wall.Seconds() > 60 || u.CPU > u.Wall || u.Peak < 1<<18 || u.Peak > 100<<20 {
		t.Errorf("%+v", u)
	}
	u, err = b.measured(nil, nil, "sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; head -c 50000000 /dev/zero | tail -c 40000000 >/dev/null")
	if err != nil || u.CPU.Milliseconds() < 5 || u.Peak < 30e6 {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := b.measured(nil, nil, "sh", "-c", "echo broken >&2; exit 3"); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v", err)
	}
	if _, err := b.measured(nil, nil, "pando-no-such-program"); err == nil {
		t.Error("a program that nobody has was run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&bench{ctx: ctx}).measured(nil, nil, "sleep", "60"); err == nil {
		t.Error("a program was run that nobody waits for")
	}
}

func TestOptions(t *testing.T) {
	o, err := parse([]string{"-section", "size,windows", "-calls", "1e3,2000", "-huge", "a", "b"}, io.Discard)
	if err != nil || !slices.Equal(o.sections, []string{"size", "windows"}) || !slices.Equal(o.calls, []float64{1000, 2000}) ||
		o.events[len(o.events)-1] != 1e9 || !slices.Equal(o.traces, []string{"a", "b"}) {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{
		{"-section", "sizes"}, {"-section", ""}, {"-calls", "0"}, {"-calls", "1.5"}, {"-calls", "many"}, {"-events", "1e13"},
		{"-rounds", "0"}, {"-windows", "0"}, {"-threads", "0"}, {"-threads", "x"}, {"-sectoin", "size"},
	} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	if err := run(t.Context(), []string{"-section", "size", "no-such-trace"}, io.Discard, io.Discard); err == nil {
		t.Error("a trace that is not there was accepted")
	}
}
