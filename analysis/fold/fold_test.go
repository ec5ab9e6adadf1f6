package fold_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// subject is a file with the naive model of its trace.
type subject struct {
	*testing.T
	*rand.Rand
	model   *model.Trace
	calls   []trace.Call
	regions []uint64
	ids     []uint64
	first   int64
	last    int64
	times   []int64 // of calls
}

func newSubject(t *testing.T, src trace.Source, seed uint64) *subject {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{T: t, Rand: rand.New(rand.NewPCG(seed, 7)), model: m, calls: m.Calls()}
	for i := range m.Locations {
		s.ids = append(s.ids, m.Locations[i].ID)
	}
	for i := range s.calls {
		s.times = append(s.times, s.calls[i].Start, s.calls[i].End)
		if !slices.Contains(s.regions, s.calls[i].Region) {
			s.regions = append(s.regions, s.calls[i].Region)
		}
	}
	s.first, s.last, _ = m.Span()
	return s
}

// question is what rows are made of.
type question struct {
	model.Window
	groups []fold.Group
	fold.Options
}

// window draws a window of a few events, or of the whole trace if it is short.
func (s *subject) window(most int) model.Window {
	if len(s.times) == 0 || len(s.times) < most && s.IntN(3) == 0 {
		return model.Window{From: s.first - s.Int64N(3), To: s.last + 1 + s.Int64N(3)}
	}
	sorted := slices.Sorted(slices.Values(s.times))
	at := s.IntN(len(sorted))
	from, to := sorted[at]-s.Int64N(4), sorted[min(at+s.IntN(most), len(sorted)-1)]+s.Int64N(4)
	return model.Window{From: from, To: max(to, from+1)}
}

// draw draws a question about windows of at most a number of times of calls.
func (s *subject) draw(most int) *question {
	q := &question{Window: s.window(most)}
	if len(s.regions) > 0 && s.IntN(3) == 0 {
		for range 1 + s.IntN(3) {
			q.Regions = append(q.Regions, s.regions[s.IntN(len(s.regions))])
		}
	}
	if s.IntN(4) == 0 {
		for range 1 + s.IntN(4) {
			q.Locations = append(q.Locations, s.ids[s.IntN(len(s.ids))])
		}
	}
	n := 1 + s.IntN(4)
	q.groups = make([]fold.Group, n)
	for _, id := range s.ids {
		if g := s.IntN(n + 1); g < n { // some are in no group
			q.groups[g].Locations = append(q.groups[g].Locations, id)
		}
	}
	q.Options = fold.Options{Select: fold.Select(s.IntN(5)), Pixels: 1 + s.IntN(12), Exact: true}
	return q
}

// least returns the memory that n groups take at least, 0 for the default.
func (q *question) least(n int) int64 {
	most := 0
	for _, g := range q.groups {
		most = max(most, len(g.Locations))
	}
	return int64(n * 2 * q.Pixels * (400 + 6*most))
}

// rows asks a file.
func (q *question) rows(t testing.TB, r *store.Reader) (rows []fold.Row) {
	t.Helper()
	w := r.Window(q.From, q.To)
	if q.Regions != nil {
		w = w.WithRegions(q.Regions...)
	}
	if q.Locations != nil {
		w = w.WithLocations(q.Locations...)
	}
	for row, err := range fold.Rows(context.Background(), r, w, q.groups, q.Options) {
		if err != nil {
			t.Fatal(err)
		}
		c := *row
		c.Pixels, c.Errors = slices.Clone(row.Pixels), slices.Clone(row.Errors)
		rows = append(rows, c)
	}
	return rows
}

// want answers a question by the model.
func (s *subject) want(q *question) (rows []fold.Row) {
	for g, group := range q.groups {
		members := slices.DeleteFunc(slices.Clone(group.Locations), func(id uint64) bool { return q.Locations != nil && !slices.Contains(q.Locations, id) })
		if len(members) == 0 {
			continue
		}
		row := fold.Row{Group: g, Members: len(members), Errors: make([]uint64, q.Pixels)}
		for p, f := range s.model.Fold(&q.Window, s.calls, members, q.Pixels) {
			row.Pixels = append(row.Pixels, wantedPixel(&f, q.Border(p+1, q.Pixels)-q.Border(p, q.Pixels), (q.To-q.From)/int64(q.Pixels), q.Select))
		}
		rows = append(rows, row)
	}
	return rows
}

// wantedPixel returns what a row shows of a pixel; longest is that of the longest pixel, less a tick.
func wantedPixel(f *model.FoldedPixel, length, longest int64, by fold.Select) (p fold.Pixel) {
	if by != fold.Quantiles {
		if state, ok := f.Shown(by.String()); ok {
			p.Kind = fold.NoCall
			if state.Called {
				p.State = fold.State{Kind: fold.Called, Region: state.Region}
			}
			for _, of := range f.Ticks {
				p.Ticks += uint64(of[state])
			}
		}
	}
	p.Apart = uint64(f.Apart(length))
	slices.Sort(f.Busy)
	n := len(f.Busy)
	p.Busy = fold.Busy{Least: uint64(f.Busy[0]), Most: uint64(f.Busy[n-1]), Low: uint64(f.Union), High: uint64(f.Union)}
	for _, busy := range f.Busy {
		p.Busy.Sum += uint64(busy)
	}
	if by == fold.Quantiles {
		for i, q := range []float64{0.25, 0.5, 0.75} {
			v, unit := f.Busy[int(math.Floor(q*float64(n-1)))], int64(1)
			for (longest+1)/unit >= 1<<32 {
				unit *= 2
			}
			p.Busy.Quartiles[i] = uint64(v / unit * unit)
		}
	}
	return p
}

// check holds the answer of a file against the model.
func (s *subject) check(r *store.Reader, q *question) {
	s.Helper()
	if diff := cmp.Diff(s.want(q), q.rows(s, r)); diff != "" {
		s.Fatalf("[%d, %d) %+v, regions %v, locations %v, groups %v (-want +got):\n%s", q.From, q.To, q.Options, q.Regions, q.Locations, q.groups, diff)
	}
}

// TestRandom: rows are those of the model, whatever the slices and lanes, and however little memory there is.
func TestRandom(t *testing.T) {
	asked := 0
	for seed := range uint64(thrift.Of(40, 60)) {
		k := tracegen.RandomKnobs(seed)
		k.Start = max(k.Start, -1<<40)
		src := tracegen.Random(seed, k)
		s := newSubject(t, src, seed)
		if len(s.ids) == 0 {
			continue
		}
		r := stored.Source(t, src, store.Options{SliceEvents: 1 + s.IntN(200), LaneLocations: 1 + s.IntN(4), Fanout: 2 + s.IntN(4), EpochSlices: 1 + s.IntN(40)})
		for range 12 {
			q := s.draw(300)
			q.Memory = q.least(s.IntN(3))
			if q.Locations == nil || slices.ContainsFunc(q.groups, func(g fold.Group) bool { return len(g.Locations) > 0 }) {
				s.check(r, q)
				asked++
			}
		}
	}
	if asked < 300 {
		t.Fatalf("%d questions", asked)
	}
}

// TestBundled: rows are those of the model on recorded traces.
func TestBundled(t *testing.T) {
	for _, name := range tracetest.Distinct(t) {
		t.Run(name, func(t *testing.T) { recorded(t, tracetest.Anchor(t, name)) })
	}
}

// TestLarger does the same with larger traces.
func TestLarger(t *testing.T) {
	for name, path := range tracetest.LargerFiles(t) {
		t.Run(name, func(t *testing.T) {
			if n := stored.Trace(t, path).Info().Events; n > mostModelled && !tracetest.Soaking() {
				t.Skipf("the model would take too long for %d events", n)
			}
			recorded(t, path)
		})
	}
}

// mostModelled is the number of events up to which the model takes little memory and time.
const mostModelled = 1_500_000

// recorded holds a recorded trace against the model, in windows of some calls.
func recorded(t *testing.T, path string) {
	src, err := convert.Open(context.Background(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := newSubject(t, src, 1)
	if len(s.ids) == 0 || len(s.times) == 0 {
		t.Skip("the trace has no calls")
	}
	r := stored.Source(t, src, store.Options{SliceEvents: 5000, LaneLocations: 3})
	for range thrift.Of(4, 8) {
		s.check(r, s.draw(2000))
	}
}

// TestCores: the answer does not depend on the number of processors, the memory, or what is read from bins.
func TestCores(t *testing.T) {
	src := tracegen.Exchange(12, 300, true, 100, 3)
	s := newSubject(t, src, 3)
	r := stored.Source(t, src, store.Options{SliceEvents: 500, LaneLocations: 3})
	for range 10 {
		q := s.draw(100)
		q.Window = model.Window{From: s.first, To: s.last + 1}
		q.Exact = s.IntN(2) == 0
		want := q.rows(t, r)
		before := runtime.GOMAXPROCS(1)
		q.Memory = q.least(1)
		got := q.rows(t, r)
		runtime.GOMAXPROCS(before)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v (-two +one):\n%s", q.Options, diff)
		}
	}
}
