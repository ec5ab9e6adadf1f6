package waits_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// fatal is what tests and rapid have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// answer is all that the analysis tells of a window, in a form that does not depend on numbers of paths.
type answer struct {
	waits     []string
	stretches []string
	result    *waits.Result
}

func path(p *waits.Paths, id waits.PathID) string { return strings.Join(p.Names(id), " > ") }

func ask(t fatal, r *store.Reader, w *store.Window, opt waits.Options) *answer {
	t.Helper()
	a := &answer{}
	opt.Critical = true
	opt.EachWait = func(p *waits.Paths, w *waits.Wait) error {
		a.waits = append(a.waits, fmt.Sprint(w.Location, w.Call, w.Kind.String(), path(p, w.Path), w.Start, w.End, w.Cause, path(p, w.CausePath), w.CauseTime, w.Late, w.Clamped))
		return nil
	}
	opt.EachStretch = func(p *waits.Paths, s *waits.Stretch) error {
		a.stretches = append(a.stretches, fmt.Sprint(s.Location, path(p, s.Path), s.Start, s.End))
		return nil
	}
	var err error
	if a.result, err = waits.Of(context.Background(), r, w, opt); err != nil {
		t.Fatal(err)
	}
	return a
}

// check compares the answer for a window with the naive one.
func check(t fatal, r *store.Reader, m *model.Trace, from, to int64, opt waits.Options) *answer {
	t.Helper()
	got := ask(t, r, r.Window(from, to), opt)
	first, last, ok := m.Span()
	if !ok || from > last {
		return got
	}
	from, to = max(from, first), min(to, last+1)
	if from >= to {
		return got
	}
	want := m.Waits(from, to)
	var lines []string
	late, clamped := map[uint64]int64{}, uint64(0)
	for _, w := range want {
		lines = append(lines, fmt.Sprint(w.Location, w.Call, w.Kind, w.Path, w.Start, w.End, w.Cause, w.CausePath, w.CauseTime, w.Late, w.Clamped))
		clamped += w.ClampedLate
		for location, ticks := range w.LateTicks {
			late[location] += ticks
		}
	}
	sorted := slices.Sorted(slices.Values(got.waits))
	slices.Sort(lines)
	if !slices.Equal(sorted, lines) {
		t.Fatalf("window [%d, %d): waits\n%s\nwant\n%s", from, to, strings.Join(sorted, "\n"), strings.Join(lines, "\n"))
	}
	for _, l := range got.result.Late {
		late[l.Location] -= l.Ticks
	}
	for location, ticks := range late {
		if ticks != 0 {
			t.Errorf("location %d: late by %d ticks more than told", location, ticks)
		}
	}
	if got.result.Counts.Clamped != clamped {
		t.Errorf("%d clamped, want %d", got.result.Counts.Clamped, clamped)
	}
	checkSums(t, got, want)
	checkPath(t, got, m, want, from, to)
	return got
}

// checkSums compares the sums with those over the naive waits.
func checkSums(t fatal, got *answer, want []model.Wait) {
	t.Helper()
	groups, waiting := map[string]int64{}, map[string]int64{}
	for _, w := range want {
		groups[fmt.Sprint(w.Kind, w.Path, w.Cause, w.CausePath)] += w.End - w.Start
		waiting[fmt.Sprint(w.Kind, w.Path, w.Location)] += w.End - w.Start
	}
	p := got.result.Paths
	for _, g := range got.result.Groups {
		groups[fmt.Sprint(g.Kind.String(), path(p, g.Path), g.Cause, path(p, g.CausePath))] -= g.Ticks
	}
	for _, g := range got.result.Waiting {
		waiting[fmt.Sprint(g.Kind.String(), path(p, g.Path), g.Location)] -= g.Ticks
	}
	for _, sums := range []map[string]int64{groups, waiting} {
		for k, left := range sums {
			if left != 0 {
				t.Errorf("%s: %d ticks more than in the sums", k, left)
			}
		}
	}
}

// checkPath compares the critical path with the naive one, and sees that it covers the window once.
func checkPath(t fatal, got *answer, m *model.Trace, want []model.Wait, from, to int64) {
	t.Helper()
	steps := m.CriticalPath(want, from, to)
	c := got.result.Critical
	if (c != nil) != hasEvents(m, from, to) {
		t.Fatalf("critical path: %v, want %v", c, steps)
	}
	if c == nil {
		return
	}
	if n := len(got.stretches); n*n > 2_000_000*max(len(steps), 1) { // naive stretches would take long
		return
	}
	var lines []string
	for _, s := range m.Stretches(steps) {
		lines = append(lines, fmt.Sprint(s.Location, s.Path, s.Start, s.End))
	}
	if !slices.Equal(got.stretches, lines) {
		t.Fatalf("window [%d, %d): critical path\n%s\nwant\n%s", from, to, strings.Join(got.stretches, "\n"), strings.Join(lines, "\n"))
	}
	if c.Steps != uint64(len(steps)) && len(steps) > 0 {
		t.Errorf("%d steps, want %d", c.Steps, len(steps))
	}
	var sum int64
	for _, s := range c.Shares {
		sum += s.Ticks
	}
	if sum != c.Ticks() {
		t.Errorf("shares are %d ticks of %d", sum, c.Ticks())
	}
}

func hasEvents(m *model.Trace, from, to int64) bool {
	for _, l := range m.Locations {
		for _, e := range l.Events {
			if from <= e.Time && e.Time < to {
				return true
			}
		}
	}
	return false
}

// drawOptions draws how a file is divided.
func drawOptions(t *rapid.T) store.Options {
	return store.Options{
		SliceEvents: rapid.IntRange(1, 40).Draw(t, "slice"), LaneLocations: rapid.IntRange(1, 4).Draw(t, "lane"),
		EpochSlices: rapid.IntRange(1, 4).Draw(t, "epoch"), Fanout: rapid.IntRange(2, 4).Draw(t, "fanout"),
	}
}

// Waits and critical path of random programs are those of the naive model, in whole traces however the file is divided.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawProgram(t, rapid.Bool().Draw(t, "wild"), false)
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		a := check(t, stored.Source(t, src, drawOptions(t)), m, math.MinInt64, math.MaxInt64, waits.Options{})
		b := check(t, stored.Source(t, src, drawOptions(t)), m, math.MinInt64, math.MaxInt64, waits.Options{})
		if !slices.Equal(a.waits, b.waits) {
			t.Errorf("the order of waits depends on slices:\n%s\n%s", strings.Join(a.waits, "\n"), strings.Join(b.waits, "\n"))
		}
	})
}

// In windows they are those of the whole trace, as far as they lie there. With clocks that disagree a part of a collective operation may lie behind
// what is read for a window; so these programs have none. Windows of real traces have some.
func TestRandomWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawProgram(t, false, true)
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		r := stored.Source(t, src, drawOptions(t))
		from := int64(rapid.IntRange(0, 100).Draw(t, "from"))
		check(t, r, m, from, from+int64(rapid.IntRange(0, 100).Draw(t, "length")), waits.Options{})
	})
}

// Whatever the clocks and the mistakes of a program are, the critical path covers a window once, and waits lie in it.
func TestWildWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := stored.Source(t, drawProgram(t, true, false), drawOptions(t))
		from := int64(rapid.IntRange(0, 100).Draw(t, "from"))
		to := from + int64(rapid.IntRange(1, 100).Draw(t, "length"))
		now, first := int64(0), true
		x, err := waits.Of(context.Background(), r, r.Window(from, to), waits.Options{
			Critical: true,
			EachWait: func(_ *waits.Paths, w *waits.Wait) error {
				if w.Start < from || w.End > to || w.Start >= w.End || w.Late == 0 {
					t.Errorf("window [%d, %d): %+v", from, to, w)
				}
				return nil
			},
			EachStretch: func(_ *waits.Paths, s *waits.Stretch) error {
				if !first && s.Start != now || s.Start >= s.End {
					t.Errorf("a stretch from %d to %d at %d", s.Start, s.End, now)
				}
				now, first = s.End, false
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if c := x.Critical; c != nil && c.From < c.To && now != min(to, r.Info().Last) {
			t.Errorf("the path of [%d, %d) ends at %d", from, to, now)
		}
	})
}
