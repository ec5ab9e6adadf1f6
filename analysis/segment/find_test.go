package segment_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// fatal is what tests and rapid have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// subject is a file with the naive model of its trace.
type subject struct {
	reader *store.Reader
	model  *model.Trace
	calls  []trace.Call
	most   int // candidates that are checked
}

func newSubject(f fatal, src trace.Source, opt store.Options) *subject {
	f.Helper()
	m, err := model.Load(src)
	if err != nil {
		f.Fatal(err)
	}
	return &subject{stored.Source(f, src, opt), m, m.Calls(), math.MaxInt}
}

// check compares the segments of all candidates in a window with the model's, and returns how many candidates there are.
func (s *subject) check(t *testing.T, f fatal, w model.Window) int {
	f.Helper()
	window := s.reader.Window(w.From, w.To)
	if w.Locations != nil {
		window = window.WithLocations(w.Locations...)
	}
	whole, err := segment.Find(t.Context(), s.reader, window, segment.Options{})
	var none *segment.NoneError
	if errors.As(err, &none) {
		return 0
	}
	if err != nil {
		f.Fatal(err)
	}
	for i := range whole.Candidates[:min(len(whole.Candidates), s.most)] {
		c := &whole.Candidates[i]
		opt := segment.Options{Region: c.Name}
		var want []model.Segment
		if c.Group {
			opt = segment.Options{Group: c.Title()}
			want = s.model.GroupSegments(&w, s.calls, c.Around, c.Name, c.Body)
		} else {
			want = s.model.RegionSegments(&w, s.calls, c.Name)
		}
		a, err := segment.Find(t.Context(), s.reader, window, opt)
		if err != nil {
			f.Fatalf("%s: %v", c.Title(), err)
		}
		if a.Level.Stride != 1 {
			f.Fatalf("%s: %d segments are one", c.Title(), a.Level.Stride)
		}
		got := segmentsOf(&a.Level)
		for n := range max(len(got), len(want)) {
			if n >= len(got) || n >= len(want) || got[n] != want[n] {
				f.Fatalf("%s in [%d, %d): from segment %d on got %v, want %v", c.Title(), w.From, w.To, n, some(got, n), some(want, n))
			}
		}
		s.checkCandidate(f, c, want)
	}
	return len(whole.Candidates)
}

// some returns a few of a list.
func some(list []model.Segment, n int) []model.Segment {
	return list[min(n, len(list)):min(n+5, len(list))]
}

func segmentsOf(v *segment.Level) (all []model.Segment) {
	for i := range v.Lines {
		l := &v.Lines[i]
		for at := range l.Own {
			all = append(all, model.Segment{
				Location: l.Place.Location, Number: l.First + int64(at), Start: l.Starts[at], Duration: l.Durations[at], Own: l.Own[at],
			})
		}
	}
	return all
}

// checkCandidate checks what a candidate says of its segments.
func (s *subject) checkCandidate(f fatal, c *segment.Candidate, want []model.Segment) {
	f.Helper()
	var own trace.Sum
	for _, w := range want {
		own.Add(uint64(w.Own))
	}
	if uint64(len(want)) != c.Segments || !c.Group && own.Cmp(c.Covered) != 0 || own.Cmp(c.Covered) < 0 {
		f.Fatalf("%s: %d segments cover %v, want %d and %v", c.Title(), c.Segments, c.Covered, len(want), own)
	}
}

func drawOptions(t *rapid.T) store.Options {
	return store.Options{
		SliceEvents: rapid.SampledFrom([]int{5, 30, 200, 0}).Draw(t, "slice"), LaneLocations: rapid.SampledFrom([]int{1, 64}).Draw(t, "lane"),
		EpochSlices: rapid.SampledFrom([]int{1, 128}).Draw(t, "epoch"), Fanout: 2,
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

var whole = model.Window{From: math.MinInt64, To: math.MaxInt64}

// Segments of random traces, with unbalanced calls and calling contexts, are those of the model, however the file is cut.
func TestRandomTraces(t *testing.T) {
	candidates := 0
	rapid.Check(t, func(f *rapid.T) {
		seed := rapid.Uint64Range(0, 300).Draw(f, "seed")
		s := newSubject(f, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawOptions(f))
		defer s.reader.Close()
		s.most = 6
		candidates += s.check(t, f, whole)
		candidates += s.check(t, f, drawWindow(f, s.model))
	})
	if candidates == 0 {
		t.Error("no trace has a candidate")
	}
}

// So are those of traces with loops, recursions, synchronisation, tasks inside of it, cut calls and leaves without an enter.
func TestLoops(t *testing.T) {
	regions, groups := 0, 0
	rapid.Check(t, func(f *rapid.T) {
		s := newSubject(f, drawLoops(f), drawOptions(f))
		defer s.reader.Close()
		regions += s.check(t, f, whole)
		groups += s.check(t, f, drawWindow(f, s.model))
	})
	if regions == 0 || groups == 0 {
		t.Error("no trace has a candidate")
	}
}

// drawLoops draws a trace whose locations run a program of loops, each with a body of a few calls.
func drawLoops(f *rapid.T) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	var regions []uint64
	for _, name := range []string{"a", "b", "c", "a", "MPI_Barrier", "MPI_Recv", "!$omp task"} {
		regions = append(regions, t.Region(name))
	}
	regions = append(regions, 77)
	process := t.Process("process")
	for i := range rapid.IntRange(1, 3).Draw(f, "locations") {
		b := t.Location(uint64(7-i), process)
		now := int64(0)
		put := func(kind trace.Kind, region uint64) {
			now += rapid.Int64Range(0, 9).Draw(f, "ticks")
			b.Append(kind, now, region)
		}
		var code func(depth int)
		code = func(depth int) {
			body := rapid.SliceOfN(rapid.SampledFrom(regions), 1, 3).Draw(f, "body")
			times := rapid.SampledFrom([]int{1, 2, 5, 6}).Draw(f, "times")
			inner := rapid.IntRange(0, len(body)).Draw(f, "inner")
			odd := rapid.IntRange(0, 20).Draw(f, "odd")
			for n := range times {
				for at, region := range body {
					put(trace.KindEnter, region)
					if at == inner && depth < 2 {
						code(depth + 1)
					}
					if odd != 1 || n != 2 { // else it is cut, or open to the end
						put(trace.KindLeave, region)
					}
				}
				if odd == 2 && n == 1 {
					put(trace.KindLeave, body[0]) // of a call further out, or of none
				}
			}
		}
		for range rapid.IntRange(1, 2).Draw(f, "loops") {
			code(0)
		}
	}
	return t
}

// Segments of bundled traces are those of the model.
func TestBundledTraces(t *testing.T) {
	candidates := 0
	for _, name := range tracetest.Distinct(t) {
		t.Run(name, func(t *testing.T) { candidates += recorded(t, tracetest.Anchor(t, name)) })
	}
	if candidates == 0 {
		t.Error("no trace has a candidate")
	}
}

// The same of larger traces, some of which take the model minutes.
func TestLargerTraces(t *testing.T) {
	if !tracetest.Soaking() {
		t.Skip("PANDO_SOAK is not set: the model takes minutes")
	}
	for name, path := range tracetest.LargerFiles(t) {
		t.Run(name, func(t *testing.T) { recorded(t, path) })
	}
}

// recorded holds the segments of a recorded trace, and of a part of it, against the model. It returns the number of candidates.
func recorded(t *testing.T, path string) (candidates int) {
	src, err := convert.Open(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := newSubject(t, src, store.Options{})
	defer s.reader.Close()
	first, last, _ := s.model.Span()
	s.most = 8
	candidates = s.check(t, t, whole)
	return candidates + s.check(t, t, model.Window{From: first + (last-first)/3, To: last - (last-first)/4})
}

// Where segments take more memory than they may, neighbours are one: sums are those of all, without incomplete ones at the end.
func TestStride(t *testing.T) {
	src := tracegen.Ring(2, 1000, 1)
	s := newSubject(t, src, store.Options{})
	defer s.reader.Close()
	w := s.reader.All()
	fine, err := segment.Find(t.Context(), s.reader, w, segment.Options{Region: "step"})
	if err != nil {
		t.Fatal(err)
	}
	coarse, err := segment.Find(t.Context(), s.reader, w, segment.Options{Region: "step", Memory: 60 * 500})
	if err != nil {
		t.Fatal(err)
	}
	stride := coarse.Level.Stride
	if stride < 2 || stride&(stride-1) != 0 {
		t.Fatalf("a stride of %d", stride)
	}
	for i := range fine.Level.Lines {
		f, c := &fine.Level.Lines[i], &coarse.Level.Lines[i]
		if int64(len(c.Own)) != int64(len(f.Own))/stride {
			t.Errorf("%d entries of %d segments", len(c.Own), len(f.Own))
		}
		for at := range c.Own {
			var own, duration int64
			for n := range stride {
				own, duration = own+f.Own[int64(at)*stride+n], duration+f.Durations[int64(at)*stride+n]
			}
			if own != c.Own[at] || duration != c.Durations[at] || c.Starts[at] != f.Starts[int64(at)*stride] {
				t.Fatalf("entry %d of %s is not the sum of its segments", at, c.Place.Label)
			}
		}
	}
}
