package calltree_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// subject is a file with the naive model of its trace.
type subject struct {
	reader *store.Reader
	model  *model.Trace
	calls  []trace.Call
}

// fatal is what tests, benchmarks and rapid have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func newSubject(t *testing.T, f fatal, src trace.Source, opt store.Options) *subject {
	f.Helper()
	m, err := model.Load(src)
	if err != nil {
		f.Fatal(err)
	}
	return &subject{stored.Source(f, src, opt), m, m.Calls()}
}

func profile(f fatal, r *store.Reader, w *store.Window, opt calltree.Options) *calltree.Profile {
	f.Helper()
	p, err := calltree.Of(r, w, opt)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

// names returns the names of a path.
func names(p *calltree.Profile, path int) (list []string) {
	for ; path >= 0; path = p.Paths[path].Parent {
		list = append(list, p.Names.Text(p.Paths[path].Name))
	}
	slices.Reverse(list)
	return list
}

// flat returns what a profile says of each location and path, as lines of text in order.
func flat(p *calltree.Profile) (lines []string) {
	for i := range p.Paths {
		for c := range p.On(i) {
			lines = append(lines, line(model.CallPath{Location: c.Location, Path: names(p, i), Calls: c.Calls, Inclusive: c.Inclusive, Exclusive: c.Exclusive}))
		}
	}
	slices.Sort(lines)
	return lines
}

func line(p model.CallPath) string {
	return fmt.Sprintf("%d %s: %d calls, %d of %d ticks", p.Location, strings.Join(p.Path, "/"), p.Calls, p.Exclusive, p.Inclusive)
}

// check compares the profiles of a window with the model's.
func (s *subject) check(f fatal, w model.Window, depth int) {
	f.Helper()
	window := s.reader.Window(w.From, w.To)
	if w.Locations != nil {
		window = window.WithLocations(w.Locations...)
	}
	var want, counts []string
	all := s.model.CallPaths(&w, s.calls, depth)
	for i := range all {
		if p := &all[i]; p.Calls > 0 || p.Inclusive > 0 || below(all, p) > 0 {
			want = append(want, line(*p))
			p.Inclusive, p.Exclusive = 0, 0
			counts = append(counts, line(*p))
		}
	}
	slices.Sort(want)
	slices.Sort(counts)
	p := profile(f, s.reader, window, calltree.Options{Depth: depth})
	same(f, "profile", want, flat(p))
	checkOrder(f, p)
	same(f, "counts", counts, flat(profile(f, s.reader, window, calltree.Options{Depth: depth, CountsOnly: true})))
	s.checkSummary(f, p, window)
}

// below returns how many calls there are on the paths that begin with one.
func below(all []model.CallPath, of *model.CallPath) (n uint64) {
	for i := range all {
		if p := &all[i]; p.Location == of.Location && len(p.Path) >= len(of.Path) && slices.Equal(p.Path[:len(of.Path)], of.Path) {
			n += p.Calls
		}
	}
	return n
}

func same(f fatal, what string, want, got []string) {
	f.Helper()
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			f.Fatalf("%s: %q is too much", what, got[i])
		case i >= len(got):
			f.Fatalf("%s: %q is missing", what, want[i])
		case want[i] != got[i]:
			f.Fatalf("%s: got %q, want %q", what, got[i], want[i])
		}
	}
}

// checkOrder checks that paths follow their parents, and that they are what their locations add up to.
func checkOrder(f fatal, p *calltree.Profile) {
	f.Helper()
	last := map[int]int{}
	for i := range p.Paths {
		at := &p.Paths[i]
		if at.Parent >= i || at.Parent >= 0 && p.Paths[at.Parent].Depth+1 != at.Depth || at.Parent < 0 && at.Depth != 0 {
			f.Fatalf("path %d is a child of %d", i, at.Parent)
		}
		if before, ok := last[at.Parent]; ok && p.Paths[before].Inclusive.Cmp(at.Inclusive) < 0 {
			f.Fatalf("path %d takes longer than %d, which comes before", i, before)
		}
		last[at.Parent] = i
		sum := calltree.Path{Parent: at.Parent, Depth: at.Depth, Name: at.Name}
		for c := range p.On(i) {
			sum.Calls += c.Calls
			sum.Inclusive, sum.Exclusive = sum.Inclusive.Plus(trace.SumOf(c.Inclusive)), sum.Exclusive.Plus(trace.SumOf(c.Exclusive))
			one := calltree.LocationTime{Location: c.Location, Ticks: c.Inclusive}
			if sum.Locations == 0 || one.Ticks < sum.Least.Ticks {
				sum.Least = one
			}
			if sum.Locations == 0 || one.Ticks > sum.Most.Ticks {
				sum.Most = one
			}
			sum.Locations++
		}
		if sum != *at {
			f.Fatalf("path %d is %+v, its locations add up to %+v", i, *at, sum)
		}
	}
}

// checkSummary compares the exclusive times and calls of regions with those of a summary, which comes from tables.
func (s *subject) checkSummary(f fatal, p *calltree.Profile, w *store.Window) {
	f.Helper()
	type total struct {
		calls uint64
		ticks trace.Sum
	}
	want, got := map[string]total{}, map[string]total{}
	sum, err := w.Summary(store.SummaryCalls)
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range sum.Calls {
		name := p.Names.Text(p.Names.Of(c.Region))
		want[name] = total{want[name].calls + c.Count, want[name].ticks.Plus(c.Exclusive)}
	}
	for _, at := range p.Paths {
		name := p.Names.Text(at.Name)
		got[name] = total{got[name].calls + at.Calls, got[name].ticks.Plus(at.Exclusive)}
	}
	for name := range got {
		if got[name] != want[name] {
			f.Fatalf("paths of %s add up to %v, the summary is %v", name, got[name], want[name])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			f.Fatalf("no path of %s", name)
		}
	}
}

// drawWindow draws a window of a trace: any, one that begins or ends with an event, or all.
func drawWindow(t *rapid.T, m *model.Trace) model.Window {
	times := []int64{math.MinInt64, math.MaxInt64}
	for _, l := range m.Locations {
		for i := range l.Events {
			times = append(times, l.Events[i].Time, l.Events[i].Time+1)
		}
	}
	a, b := rapid.SampledFrom(times).Draw(t, "from"), rapid.SampledFrom(times).Draw(t, "to")
	w := model.Window{From: min(a, b), To: max(a, b)}
	if len(m.Locations) > 0 && rapid.IntRange(0, 3).Draw(t, "some locations") == 0 {
		w.Locations = []uint64{m.Locations[rapid.IntRange(0, len(m.Locations)-1).Draw(t, "location")].ID}
	}
	return w
}

func drawOptions(t *rapid.T) store.Options {
	return store.Options{
		SliceEvents: rapid.SampledFrom([]int{5, 30, 200, 0}).Draw(t, "slice"), LaneLocations: rapid.SampledFrom([]int{1, 64}).Draw(t, "lane"),
		EpochSlices: rapid.SampledFrom([]int{1, 128}).Draw(t, "epoch"), Fanout: 2,
	}
}

// Profiles of random traces, with unbalanced calls and calling contexts, are those of the model.
func TestRandomTraces(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		seed := rapid.Uint64Range(0, 300).Draw(f, "seed")
		s := newSubject(t, f, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawOptions(f))
		defer s.reader.Close()
		for range 3 {
			s.check(f, drawWindow(f, s.model), rapid.SampledFrom([]int{1, 2, 3, 64}).Draw(f, "depth"))
		}
	})
}

// So are those of traces with loops and recursions: the shapes of their calls stand for many.
func TestRepeatedCalls(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		s := newSubject(t, f, drawLoops(f), drawOptions(f))
		defer s.reader.Close()
		for range 3 {
			s.check(f, drawWindow(f, s.model), rapid.SampledFrom([]int{1, 2, 3, 5, 64}).Draw(f, "depth"))
		}
	})
}

// drawLoops draws a trace of a few regions, two of which share their name, with loops, recursions, cut calls and leaves without an enter.
func drawLoops(f *rapid.T) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	regions := []uint64{t.Region("a"), t.Region("b"), t.Region("c"), t.Region("a"), 77}
	process := t.Process("process")
	now := int64(0)
	for i := range rapid.IntRange(1, 2).Draw(f, "locations") {
		b := t.Location(uint64(7-i), process)
		put := func(kind trace.Kind, region uint64) {
			now += rapid.Int64Range(0, 3).Draw(f, "ticks")
			b.Append(kind, now, region)
		}
		now = 0
		var code func(depth int)
		code = func(depth int) {
			for range rapid.IntRange(0, 3).Draw(f, "statements") {
				region := rapid.SampledFrom(regions).Draw(f, "region")
				switch times := rapid.IntRange(1, 9).Draw(f, "times"); {
				case depth > 3:
				case times == 9:
					put(trace.KindLeave, region) // of a call further out, or of none
				case times == 8:
					put(trace.KindEnter, region) // it is cut, or open to the end
				case times > 5: // a recursion, with calls before and after
					other := rapid.SampledFrom(regions).Draw(f, "other")
					for range 3 * times {
						put(trace.KindEnter, region)
						put(trace.KindEnter, other)
						put(trace.KindLeave, other)
					}
					code(depth + 1)
					for range 3 * times {
						put(trace.KindLeave, region)
					}
				default:
					for range times {
						put(trace.KindEnter, region)
						code(depth + 1)
						put(trace.KindLeave, region)
					}
				}
			}
		}
		code(0)
	}
	return t
}
