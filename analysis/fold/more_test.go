package fold_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TestBins: what is read from bins is off by no more than rows say, and the union no more than what is no bound.
func TestBins(t *testing.T) {
	blurred := 0
	for seed := range uint64(4) {
		src := tracegen.Random(seed, tracegen.Knobs{Processes: 4, Threads: 2, Length: 4000, Regions: 3, Step: 1000, Lattice: 1, Repeat: 1, Attributes: 0.5, Any: 0.2})
		s := newSubject(t, src, seed)
		r := stored.Source(t, src, store.Options{SliceEvents: 100, LaneLocations: 3, Fanout: 8})
		q := s.draw(100)
		q.Window, q.Select, q.Pixels = model.Window{From: s.first - 5, To: s.last + 1, Regions: q.Regions}, fold.Idle, 3+s.IntN(20)
		want := q.rows(t, r)
		q.Exact = false
		got := q.rows(t, r)
		q.Quick = true
		quick := q.rows(t, r)
		for i := range got {
			for p := range got[i].Pixels {
				e, a, b := got[i].Errors[p], &want[i].Pixels[p].Busy, &got[i].Pixels[p].Busy
				if e > 0 {
					blurred++
				}
				all := e * uint64(got[i].Members)
				if apart(a.Least, b.Least) > e || apart(a.Most, b.Most) > e || apart(a.Sum, b.Sum) > all || apart(a.Low, b.Low) > e {
					t.Errorf("seed %d, pixel %d: %+v, want %+v, with an error of %d", seed, p, b, a, e)
				}
				if bounds := quick[i].Pixels[p].Busy; b.Low != b.High || bounds.Low > a.Low+e || bounds.High+all < a.High {
					t.Errorf("seed %d, pixel %d: %+v, without calls %+v", seed, p, b, bounds)
				}
			}
		}
	}
	if blurred < 10 {
		t.Errorf("%d pixels were taken from bins", blurred)
	}
}

func apart(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// machine returns the definitions of three nodes in a rack, with four processes and an accelerator: one process has two threads, one is at
// no node.
func machine() (*trace.Definitions, []uint64) {
	var log []trace.Record
	define := func(k trace.Kind, words ...uint64) { log = append(log, trace.Record{Kind: k, Words: words}) }
	texts := map[string]uint64{}
	text := func(s string) uint64 {
		if _, ok := texts[s]; !ok {
			texts[s] = uint64(len(texts))
			r := trace.Record{Kind: trace.KindString}
			r.Words = []uint64{texts[s], r.PutText(s)}
			log = append(log, r)
		}
		return texts[s]
	}
	const none = trace.Undefined >> 32
	node := func(id uint64, name, class string, parent uint64) {
		define(trace.KindSystemTreeNode, id, text(name), text(class), parent)
	}
	node(0, "machine", "machine", none)
	node(1, "n1", "node", 0)
	node(2, "n2", "Node", 0)
	node(3, "socket", "socket", 2)
	node(4, "n3", "host", 0)
	define(trace.KindSystemTreeNodeDomain, 4, 1)
	node(5, "half", "part", 4)
	process := func(id uint64, name string, kind, parent, creator uint64) {
		define(trace.KindLocationGroup, id, text(name), kind, parent, creator)
	}
	process(0, "p0", 1, 1, none)
	process(1, "p1", 1, 3, none)
	process(2, "p2", 1, 5, none)
	process(3, "p3", 1, none, none)
	process(4, "GPU 7", 2, none, 1)
	for _, l := range [][3]uint64{{10, 1, 0}, {11, 1, 0}, {12, 1, 1}, {13, 1, 2}, {14, 1, 3}, {15, 2, 4}, {16, 2, 4}, {17, 2, 0}} {
		define(trace.KindLocation, l[0], text("stream "+string(rune('0'+l[0]-10))), l[1], 0, l[2])
	}
	d := trace.NewDefinitions(log)
	var ids []uint64
	for _, l := range d.Locations {
		ids = append(ids, l.ID)
	}
	return d, ids
}

// TestGroups: which locations belong together.
func TestGroups(t *testing.T) {
	d, ids := machine()
	for by, want := range map[fold.By]string{
		fold.ByProcess: "[{p0 [10 11 17]} {p1 [12 15 16]} {p2 [13]} {p3 [14]}]",
		fold.ByNode:    "[{n1 [10 11 17]} {n2 [12 15 16]} {n3 [13]} {no node [14]}]",
		fold.ByDevice:  "[{gpu 7 [15 16]} {gpu 1 [17]}]",
		fold.ByAll:     "[{all [10 11 12 13 14 15 16 17]}]",
	} {
		groups, err := fold.Groups(d, ids, by)
		if got := sprint(groups); err != nil || got != want {
			t.Errorf("by %s: %s, %v, want %s", by, got, err, want)
		}
	}
	for _, c := range []struct {
		ids  []uint64
		by   fold.By
		want error
	}{{nil, fold.ByAll, fold.ErrNoLocations}, {[]uint64{14}, fold.ByNode, fold.ErrNoNodes}, {[]uint64{12}, fold.ByDevice, fold.ErrNoDevices}} {
		if _, err := fold.Groups(d, c.ids, c.by); !errors.Is(err, c.want) {
			t.Errorf("by %s: %v, want %v", c.by, err, c.want)
		}
	}
	for _, name := range fold.Bys() {
		if by, err := fold.ParseBy(name); err != nil || by.String() != name {
			t.Errorf("%s: %v, %v", name, by, err)
		}
	}
	if by := fold.Usual(d, ids); by != fold.ByProcess {
		t.Errorf("usual: by %s", by)
	}
	if by := fold.Usual(d, []uint64{13, 14}); by != fold.ByAll {
		t.Errorf("usual of two processes: by %s", by)
	}
}

// TestErrors: what cannot be answered is said in a sentence.
func TestErrors(t *testing.T) {
	src := tracegen.Exchange(4, 20, true, 100, 1)
	r := stored.Source(t, src, store.Options{})
	ids := stored.LocationIDs(t, r)
	groups := []fold.Group{{Name: "a", Locations: ids[:2]}, {Name: "b", Locations: ids[2:]}}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		window *store.Window
		groups []fold.Group
		fold.Options
		want error
	}{
		{name: "empty", window: r.Window(5, 5), want: fold.ErrEmpty},
		{name: "no location", window: r.All().WithLocations(), want: fold.ErrNoLocations},
		{name: "quantiles", Options: fold.Options{Select: fold.Quantiles, Memory: 1000}, want: memory.ErrExceeded},
		{name: "stopped", ctx: stopped, want: context.Canceled},
		{name: "pixels", Options: fold.Options{Pixels: -1}},
		{name: "duration", window: r.All().WithMinDuration(5), want: store.ErrInvalid},
		{name: "twice", groups: []fold.Group{{Locations: ids}, {Locations: ids[:1]}}},
	} {
		if c.ctx == nil {
			c.ctx = context.Background()
		}
		if c.window == nil {
			c.window = r.All()
		}
		if c.groups == nil {
			c.groups = groups
		}
		var err error
		for _, e := range fold.Rows(c.ctx, r, c.window, c.groups, c.Options) {
			err = e
		}
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestNoCalls: locations without calls have rows of no call.
func TestNoCalls(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	process := src.Process("p")
	for id := range uint64(3) {
		src.Location(id, process).Append(trace.KindMeasurementOnOff, int64(10*id), 1)
	}
	r := stored.Source(t, src, store.Options{})
	for by := range fold.Quantiles {
		n := 0
		for row, err := range fold.Rows(context.Background(), r, r.All(), []fold.Group{{Locations: []uint64{0, 1, 2}}}, fold.Options{Select: by, Pixels: 3}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range row.Pixels {
				n++
				want := fold.NoCall
				if by == fold.Diff {
					want = fold.Nothing
				}
				if p.Kind != want || p.Busy != (fold.Busy{}) || p.Apart != 0 {
					t.Errorf("%s: %+v", by, p)
				}
			}
		}
		if n != 3 {
			t.Errorf("%s: %d pixels", by, n)
		}
	}
}

func sprint(groups []fold.Group) string { return fmt.Sprint(groups) }

// TestParts: what groups are busy adds up to what all of their locations are, and no group differs more, or is busy for longer, than all together.
func TestParts(t *testing.T) {
	for seed := range uint64(20) {
		src := tracegen.Random(seed, tracegen.Knobs{Processes: 5, Threads: 2, Length: 200, Regions: 3, Step: 100, Lattice: 1, Repeat: 1, Recursion: 3, Mismatch: 0.1})
		s := newSubject(t, src, seed)
		r := stored.Source(t, src, store.Options{SliceEvents: 50, LaneLocations: 2})
		q := s.draw(200)
		q.Locations, q.Select, q.groups = nil, fold.Max, []fold.Group{{Locations: s.ids[:2]}, {Locations: s.ids[2:]}}
		parts := q.rows(t, r)
		q.groups = []fold.Group{{Locations: s.ids}}
		for i, all := range q.rows(t, r)[0].Pixels {
			a, b := &parts[0].Pixels[i], &parts[1].Pixels[i]
			x, y, z := &a.Busy, &b.Busy, &all.Busy
			if x.Sum+y.Sum != z.Sum || min(x.Least, y.Least) != z.Least || max(x.Most, y.Most) != z.Most || z.Low < max(x.Low, y.Low) || z.Low > x.Low+y.Low || z.Low < z.Most || z.Low > z.Sum || all.Apart < max(a.Apart, b.Apart) {
				t.Fatalf("seed %d, pixel %d: %+v and %+v, together %+v", seed, i, a, b, all)
			}
		}
	}
}
