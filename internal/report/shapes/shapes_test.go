package shapes_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// find finds the unusual calls of a file.
func find(t stored.Failer, r *store.Reader, most int) *shapes.Report {
	t.Helper()
	of, err := report.NewTrace(r, "run")
	if err != nil {
		t.Fatal(err)
	}
	q := &shapes.Question{Trace: of, Window: r.All()}
	q.Options.Unusual, q.Waits = most, true
	a, err := shapes.Find(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The calls around an unusual call are its parents in the model.
func TestPaths(t *testing.T) {
	met, deep := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		calls := map[model.EventID]trace.Call{}
		for _, c := range m.Calls() {
			calls[model.EventID{Location: c.Location, Ordinal: c.Ordinal}] = c
		}
		for _, u := range find(t, stored.Source(t, src, drawn.Options(t)), 50).Unusual {
			var want []string
			for at := u.Event; at != trace.Undefined; {
				c := calls[model.EventID{Location: u.LocationID, Ordinal: at}]
				want, at = append(want, m.Definitions.RegionName(c.Region)), c.Parent
			}
			slices.Reverse(want)
			if !slices.Equal(u.Path, want) {
				t.Fatal(fmt.Sprintf("the path of event %d on location %d is %q, not %q", u.Event, u.LocationID, u.Path, want))
			}
			if met++; len(want) > 1 {
				deep++
			}
		}
	})
	if met == 0 || deep == 0 {
		t.Errorf("%d paths were looked at, %d of them of several calls: the test tells nothing", met, deep)
	}
}

// late is ten calls inside of as many callers. The last one takes no time, and its caller ends at the same tick.
func late() trace.Source {
	s := tracegen.New(trace.Meta{Resolution: 1000})
	outer, inner := s.Region("outer"), s.Region("inner")
	b := s.Location(0, s.Process("rank 0"))
	for i := range int64(10) {
		end := 1000*i + 500
		begin := end - 100
		if i == 9 {
			begin = end
		}
		b.Append(trace.KindEnter, 1000*i, outer)
		b.Append(trace.KindEnter, begin, inner)
		b.Append(trace.KindLeave, end, inner)
		b.Append(trace.KindLeave, end, outer)
	}
	return s
}

// A caller that ends at the tick at which the call begins is around it, and the lines of JSON have a window's before them, and a type each.
func TestLateCaller(t *testing.T) {
	a := find(t, stored.Source(t, late(), store.Options{}), 10)
	at := slices.IndexFunc(a.Unusual, func(u shapes.Call) bool { return u.Region == "inner" })
	if at < 0 || a.Unusual[at].Duration != 0 || strings.Join(a.Unusual[at].Path, " > ") != "outer > inner" {
		t.Fatalf("the unusual calls are %+v", a.Unusual)
	}
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	if err := a.WriteUnusual(out, report.JSON); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != len(a.Unusual)+1 {
		t.Fatalf("%d lines of %d calls:\n%s", len(lines), len(a.Unusual), text.String())
	}
	for i, line := range lines {
		var x struct {
			Type           string `json:"type"`
			TicksPerSecond uint64 `json:"ticks_per_second"`
			StartNs        int64  `json:"start_ns"`
			StartTicks     int64  `json:"start_ticks"`
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		switch {
		case i == 0 && (x.Type != "window" || x.TicksPerSecond != 1000), i > 0 && (x.Type != "unusual_call" || x.StartNs != 1e6*x.StartTicks):
			t.Errorf("line %d is %s", i, line)
		}
	}
}
