package slog2

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/clog2"
	"github.com/pandotrace/pando/trace"
)

// A log and the file that the viewer's converter made of it show the same, but for what the converter gets wrong: the size of a
// message whose receive stands before its send in the log becomes 0, and the first begin of a state that recurses is
// paired with the first end.
func TestSameAsLog(t *testing.T) {
	compared := 0
	for _, path := range files(t) {
		log := strings.TrimSuffix(path, ".slog2") + ".clog2"
		if found, _ := filepath.Glob(log); found == nil {
			continue
		}
		compared++
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := clog2.Open(clog2.Options{}, log)
			if err != nil {
				t.Fatal(err)
			}
			compareWithLog(t, shown(t, stored(t, a)), readPlain(t, path).drawables)
			compareDefinitions(t, a, path)
		})
	}
	if compared < 5 {
		t.Errorf("only %d files have a log", compared)
	}
}

func compareWithLog(t *testing.T, log, drawables []plain) {
	t.Helper()
	more, less := difference(log, drawables)
	unsized := 0
	for i := range less {
		if p := &less[i]; p.category == messageCategory && p.cargo[4:] == "\x00\x00\x00\x00" {
			unsized++
		}
	}
	// Without the sizes, and with begins and ends by themselves, what is left is the same.
	moreEnds, lessEnds := difference(apart(more), apart(less))
	if len(moreEnds)+len(lessEnds) > 0 {
		t.Errorf("%d ends in the log only, %d in the other file only; for example\n%+v\n%+v", len(moreEnds), len(lessEnds), moreEnds[:min(len(moreEnds), 3)], lessEnds[:min(len(lessEnds), 3)])
	}
	for _, p := range less {
		if p.category != messageCategory && !overlaps(p, less) {
			t.Errorf("%+v is not in the log, and does not overlap another one", p)
		}
	}
	t.Logf("%d drawables; the size of %d messages was lost, %d states are paired otherwise", len(drawables), unsized, len(less)-unsized)
}

// apart takes messages their size, and states apart.
func apart(list []plain) (all []plain) {
	for _, p := range list {
		if p.category == messageCategory {
			p.cargo = p.cargo[:4]
			all = append(all, p)
			continue
		}
		begin, end := p, p
		begin.vertices, begin.times[1], begin.cargo = -1, 0, ""
		end.vertices, end.times[0] = -2, 0
		all = append(all, begin, end)
	}
	return all
}

// overlaps reports whether a state overlaps another one of its category and line, neither being inside the other.
func overlaps(p plain, list []plain) bool {
	for _, q := range list {
		if p.category == q.category && p.lines == q.lines && (p.times[0] < q.times[0] && q.times[0] < p.times[1] && p.times[1] < q.times[1] ||
			q.times[0] < p.times[0] && p.times[0] < q.times[1] && q.times[1] < p.times[1]) {
			return true
		}
	}
	return false
}

// compareDefinitions: both files name categories, processes and threads alike.
func compareDefinitions(t *testing.T, log trace.Source, path string) {
	t.Helper()
	a, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	definitions := func(src trace.Source) *trace.Definitions {
		list, err := src.Definitions(0)
		if err != nil {
			t.Fatal(err)
		}
		return trace.NewDefinitions(list)
	}
	got, want := definitions(a), definitions(log)
	for _, id := range got.Regions() {
		if g, w := got.Name(trace.SpaceRegion, id), want.Name(trace.SpaceRegion, id); g != w {
			t.Errorf("region %d is called %q, not %q", id, g, w)
		}
	}
	if len(got.Locations) != len(want.Locations) {
		t.Errorf("%d locations, not %d", len(got.Locations), len(want.Locations))
	}
	for i, l := range got.Locations {
		w := want.Locations[i]
		if g, w := got.Name(trace.SpaceLocation, l.ID), want.Name(trace.SpaceLocation, w.ID); g != w {
			t.Errorf("location %d is called %q, not %q", l.ID, g, w)
		}
		if w.ID != l.ID || w.Group != l.Group {
			t.Errorf("location %+v, not %+v", l, w)
		}
	}
}
