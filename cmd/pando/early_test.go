package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/model"
)

// chromeFile makes a Pando file of trace events.
func chromeFile(t *testing.T, events string) (path string) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(from, []byte("["+events+"]"), 0o666); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(filepath.Dir(from), "trace.pando")
	pandoOrFail(t, "convert", from, path)
	return path
}

func pandoOrFail(t *testing.T, args ...string) {
	t.Helper()
	if _, stderr, code := pando(args...); code != exitOK {
		t.Fatalf("%q: exit code %d, %s", args, code, stderr)
	}
}

// earlyEvents begin 1.5 s before tick 0.
const earlyEvents = `{"ph":"B","ts":-1500000,"pid":1,"tid":1,"name":"main"}, {"ph":"X","ts":-1000000,"dur":400000,"pid":1,"tid":1,"name":"work"},
	{"ph":"X","ts":-10,"dur":30,"pid":1,"tid":1,"name":"work"}, {"ph":"E","ts":500000,"pid":1,"tid":1}`

// A trace that begins before tick 0 has negative times, in text and in JSON, and in the archives and trace events that are made of it.
func TestEarly(t *testing.T) {
	early := chromeFile(t, earlyEvents)
	for _, step := range []string{"", ".otf2", ".json"} {
		file := early
		if step != "" {
			file = filepath.Join(t.TempDir(), "back.pando")
			pandoOrFail(t, "convert", early, strings.TrimSuffix(early, ".pando")+"-back"+step)
			pandoOrFail(t, "convert", strings.TrimSuffix(early, ".pando")+"-back"+step, file)
		}
		var told struct {
			First    *big.Int `json:"first_event_ticks"`
			Last     *big.Int `json:"last_event_ticks"`
			Duration int64    `json:"duration_ticks"`
		}
		if err := json.Unmarshal([]byte(output(t, "info", file, "--json")), &told); err != nil {
			t.Fatal(err)
		}
		if told.First.Cmp(big.NewInt(-15e8)) != 0 || told.Last.Cmp(big.NewInt(5e8)) != 0 || told.Duration != 2e9 {
			t.Errorf("%s: %+v", step, told)
		}
		if text := output(t, "info", file); !strings.Contains(text, "first event at tick -1500000000, last at 500000000") {
			t.Errorf("%s: %s", step, text)
		}
		checkWindows(t, file)
	}
}

// Tables count times from the first event: those of the trace are the ones of the same trace at later times. What says when that was does so.
func TestEarlyTables(t *testing.T) {
	early := chromeFile(t, earlyEvents)
	later := chromeFile(t, strings.NewReplacer("-1500000", "500000", "-1000000", "1000000", "-10,", "1999990,", `"ts":500000`, `"ts":2500000`).Replace(earlyEvents))
	tables := func(file, kind string) (all []string) {
		dir := filepath.Join(t.TempDir(), kind)
		pandoOrFail(t, "export", file, "--format", kind, "-o", dir)
		for _, name := range []string{"calls", "events", "locations"} {
			text, err := os.ReadFile(filepath.Join(dir, name+"."+kind))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
		return all
	}
	if a, b := tables(early, "csv"), tables(later, "csv"); !slices.Equal(a, b) || strings.Count(a[0], "\n") != 4 {
		t.Errorf("%q\nwant\n%q", a, b)
	}
	for _, kind := range []string{"arrow", "parquet"} {
		for i, text := range tables(early, kind) {
			if !strings.Contains(text, "-1500000000") {
				t.Errorf("table %d as %s does not say when the first event was", i, kind)
			}
		}
	}
}

// A call that was never left is still open at the trace's last instant: in windows, in their sums, and on the stack.
func TestNeverLeft(t *testing.T) {
	file := chromeFile(t, `{"ph":"B","ts":0,"pid":1,"tid":1,"name":"main"}, {"ph":"B","ts":2,"pid":1,"tid":1,"name":"work"},
		{"ph":"E","ts":10,"pid":1,"tid":1}, {"ph":"B","ts":10,"pid":1,"tid":2,"name":"late"}, {"ph":"B","ts":1,"pid":1,"tid":3,"name":"early"}`)
	checkWindows(t, file)
	if n := len(jsonLinesOf(t, output(t, "window", file, "--calls", "--json", "--from", "10us"))); n != 3 {
		t.Errorf("%d calls in a window at the last instant, want 3", n)
	}
	open := 0
	for location := range 3 {
		open += len(jsonLinesOf(t, output(t, "stack", file, "--json", "--at", "10us", "--location", fmt.Sprint(location))))
	}
	if open != 3 {
		t.Errorf("%d calls on stacks at the last instant, want 3", open)
	}
	sums := output(t, "summary", file, "--from", "10us")
	for _, name := range []string{"main", "late", "early"} {
		if !strings.Contains(sums, name) {
			t.Errorf("%s is not in the summary of the last instant:\n%s", name, sums)
		}
	}
}

// checkWindows compares windows of a file, many at the ends of the trace, with the naive model.
func checkWindows(t *testing.T, file string) {
	t.Helper()
	m := loadFile(t, file)
	first, last, _ := m.Span()
	span := last - first + 1
	for _, w := range [][2]int64{{0, span}, {0, 0}, {0, 1}, {span / 4, span / 2}, {span - 1, span - 1}, {span - 1, span}, {span - 1, 2 * span}, {span - 2, span - 1}, {span, span}, {span, 2 * span}} {
		want := model.Window{From: first + w[0], To: first + w[1]}
		texts := identities(first, want.Calls(m.Calls()), nil, nil)
		var got []string
		for _, l := range jsonLinesOf(t, output(t, "window", file, "--json", "--calls", "--from", fmt.Sprint(w[0]), "--to", fmt.Sprint(w[1]))) {
			got = append(got, l.identity(t))
		}
		if !slices.Equal(got, texts) {
			t.Errorf("[%d, %d): %q, want %q", w[0], w[1], got, texts)
		}
	}
}
