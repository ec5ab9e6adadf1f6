package edit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// written writes a source into a file in memory, of small slices, and opens it.
func written(t *testing.T, src trace.Source) *store.Reader {
	t.Helper()
	return writtenAs(t, src, store.Options{SliceEvents: 200, Fanout: 3})
}

func writtenAs(t *testing.T, src trace.Source, opt store.Options) *store.Reader {
	t.Helper()
	file := fileOf(t, src, opt)
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fileOf writes a source into a file.
func fileOf(t testing.TB, src trace.Source, opt store.Options) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err == nil {
		err = errors.Join(store.Copy(t.Context(), w, src, nil), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// randomTrace is one that has marks of cuts nowhere else than at cuts.
func randomTrace(seed uint64) *tracegen.Trace {
	k := tracegen.RandomKnobs(seed)
	k.Any, k.Repeat, k.Leaps, k.Length = 0, 0, 0, min(max(k.Length, 30), 100)
	return tracegen.Random(seed, k)
}

func load(t *testing.T, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bounds are two times within a trace, now and then beyond, often those of events.
func bounds(r *rand.Rand, i *store.Info) (from, to int64) {
	span := i.Last - i.First + 3
	a, b := i.First-1+r.Int64N(span), i.First-1+r.Int64N(span)
	return min(a, b), max(a, b)
}

// What a cut has, event by event, is what the naive model of the whole trace says.
func TestCut(t *testing.T) {
	put := 0
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		whole := written(t, randomTrace(seed))
		m := load(t, randomTrace(seed))
		s := Selection{DropMetrics: rnd.IntN(3) == 0}
		s.From, s.To = bounds(rnd, whole.Info())
		if rnd.IntN(3) == 0 {
			s.Locations = []uint64{}
			for _, l := range m.Locations {
				if rnd.IntN(2) == 0 {
					s.Locations = append(s.Locations, l.ID)
				}
			}
		}
		src, err := Cut(whole, s)
		if err != nil {
			t.Fatal(err)
		}
		got := load(t, src)
		calls, exchanges := m.Calls(), exchangesOf(m, s.Locations)
		for i := range m.Locations {
			want := expected(&m.Locations[i], s, calls, exchanges)
			put += len(want)
			if have := got.Locations[i].Events; len(have)+len(want) > 0 && !reflect.DeepEqual(have, want) {
				n := 0
				for n < min(len(have), len(want)) && reflect.DeepEqual(have[n], want[n]) {
					n++
				}
				t.Fatalf("seed %d, [%d, %d), location %d: event %d:\n%+v, want\n%+v", seed, s.From, s.To, m.Locations[i].ID, n, have[n:], want[n:])
			}
		}
		if len(got.Auxiliary) != len(m.Auxiliary) || !reflect.DeepEqual(got.Definitions.Log, m.Definitions.Log) {
			t.Fatalf("seed %d: definitions or auxiliary records are not the same", seed)
		}
	}
	if put < 1000 {
		t.Errorf("only %d events", put)
	}
}

// expected are the events of a location of a cut.
func expected(l *model.Location, s Selection, calls []trace.Call, exchanges []*exchange) (list []model.Record) {
	if s.Locations != nil && !slices.Contains(s.Locations, l.ID) || s.From >= s.To {
		return nil
	}
	before, after := map[uint64]bool{}, map[uint64]bool{}
	for _, c := range calls {
		if c.Location != l.ID {
			continue
		}
		before[c.Ordinal] = before[c.Ordinal] || c.Start < s.From && c.End >= s.From
		after[c.EndOrdinal] = after[c.EndOrdinal] || c.Flags == 0 && c.Start < s.To && c.End >= s.To
	}
	for _, x := range exchanges {
		if !x.underWay(s.From) && !x.underWay(s.To) {
			continue
		}
		for _, e := range x.events {
			if e.Location == l.ID {
				before[e.Ordinal] = before[e.Ordinal] || e.Time < s.From
				after[e.Ordinal] = after[e.Ordinal] || e.Time >= s.To
			}
		}
	}
	pair := func(mark trace.Kind, e model.Record, at int64) {
		list = append(list, model.Record{Kind: mark, Time: at, Words: []uint64{uint64(e.Time)}})
		e.Time, e.Residual = at, 0
		list = append(list, e)
	}
	for i, e := range l.Events {
		switch {
		case before[uint64(i)]:
			pair(trace.KindCutBefore, e, s.From)
		case e.Time >= s.From && e.Time < s.To && (e.Kind != trace.KindMetric || !s.DropMetrics):
			list = append(list, e)
		}
	}
	for i, e := range l.Events {
		if after[uint64(i)] {
			pair(trace.KindCutAfter, e, s.To)
		}
	}
	return list
}

// The calls of a written cut are those of the window, clipped to it.
func TestCallsOfCut(t *testing.T) {
	compared := 0
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		whole := written(t, randomTrace(seed))
		s := Selection{}
		s.From, s.To = bounds(rnd, whole.Info())
		defs, err := whole.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		if rnd.IntN(2) == 0 {
			s.Regions = []uint64{}
			for _, id := range defs.Regions() {
				if id%2 == 0 {
					s.Regions = append(s.Regions, id)
				}
			}
		}
		src, err := Cut(whole, s)
		if err != nil {
			t.Fatal(err)
		}
		type call struct {
			location, region, context uint64
			start                     int64
		}
		collect := func(calls []trace.Call, keep func(*trace.Call) bool) (list []call) {
			for i := range calls {
				if c := &calls[i]; keep(c) && (s.Regions == nil || slices.Contains(s.Regions, c.Region)) {
					list = append(list, call{c.Location, c.Region, c.Context, max(c.Start, s.From)})
				}
			}
			slices.SortFunc(list, func(a, b call) int {
				return cmp.Or(cmp.Compare(a.location, b.location), cmp.Compare(a.start, b.start), cmp.Compare(a.region, b.region), cmp.Compare(a.context, b.context))
			})
			return list
		}
		want := collect(load(t, randomTrace(seed)).Calls(), func(c *trace.Call) bool { return s.From < s.To && c.Start < s.To && c.End >= s.From })
		got := collect(load(t, written(t, src).Source()).Calls(), func(*trace.Call) bool { return true })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, [%d, %d): %d calls, want %d", seed, s.From, s.To, len(got), len(want))
		}
		compared += len(want)
	}
	if compared < 500 {
		t.Errorf("only %d calls", compared)
	}
}

// So are the messages, with both ends where they lie in the window, and with their requests.
func TestMessagesOfCut(t *testing.T) {
	compared := 0
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		parts := 4 // of an exchange; 0 if they differ
		open := func() trace.Source { return tracegen.Ring(5, 20, seed) }
		switch {
		case seed%4 == 0:
			parts = 2
			open = func() trace.Source { return tracegen.Exchange(4, 50, seed%8 == 0, 1000, seed) }
		case seed%2 == 0:
			parts = 0
			open = func() trace.Source { return randomTalk(seed) }
		}
		whole := written(t, open())
		s := Selection{}
		s.From, s.To = bounds(rnd, whole.Info())
		src, err := Cut(whole, s)
		if err != nil {
			t.Fatal(err)
		}
		part := load(t, written(t, src).Source())
		if parts > 0 {
			wantWhole(t, part, parts)
		}
		got, want := s.messages(part), s.messages(load(t, open()))
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, [%d, %d): %d messages, want %d", seed, s.From, s.To, len(got), len(want))
		}
		compared += len(want)
	}
	if compared < 500 {
		t.Errorf("only %d messages", compared)
	}
}

// messages returns the messages of the selected window, in some order: those that are under way in it, with their requests.
func (s *Selection) messages(m *model.Trace) (list []trace.Message) {
	kept := map[eventID]bool{}
	for _, x := range exchangesOf(m, nil) {
		for _, e := range x.events {
			kept[eventID{e.Location, e.Ordinal}] = x.underWay(s.From) || x.underWay(s.To) || slices.ContainsFunc(x.events, func(e model.Event) bool { return e.Time >= s.From && e.Time < s.To })
		}
	}
	for _, x := range m.Match().Messages {
		if kept[eventID{x.SendLocation, x.SendOrdinal}] {
			x.SendTime, x.ReceiveTime = min(max(x.SendTime, s.From), s.To), min(max(x.ReceiveTime, s.From), s.To)
			x.SendOrdinal, x.ReceiveOrdinal = 0, 0
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b trace.Message) int {
		return cmp.Or(cmp.Compare(a.SendLocation, b.SendLocation), cmp.Compare(a.ReceiveLocation, b.ReceiveLocation), cmp.Compare(a.Tag, b.Tag),
			cmp.Compare(a.SendTime, b.SendTime), cmp.Compare(a.ReceiveTime, b.ReceiveTime), cmp.Compare(a.SendLength, b.SendLength))
	})
	return list
}

// A trace that was cut in three, each part written, is the same again when they are joined.
func TestConcatOfCuts(t *testing.T) {
	for seed := range uint64(25) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		whole := written(t, randomTrace(seed))
		i := whole.Info()
		a, b := bounds(rnd, i)
		var windows []trace.Source
		for _, s := range []Selection{{From: i.First, To: a}, {From: a, To: b}, {From: b, To: i.Last + 1}} {
			src, err := Cut(whole, s)
			if err != nil {
				t.Fatal(err)
			}
			if rnd.IntN(4) > 0 {
				src = written(t, src).Source()
			}
			windows = append(windows, src)
		}
		joined, err := Concat(windows...)
		if err != nil {
			t.Fatal(err)
		}
		again := written(t, joined)
		r, err := equal.Traces(context.Background(), whole.Source(), again.Source(), nil)
		if err != nil || !r.Equal || again.Info().SHA256 != i.SHA256 {
			t.Fatalf("seed %d, cut at %d and %d: %+v, %v", seed, a, b, r, err)
		}
	}
}

// Windows that do not belong together are refused.
func TestConcatRefuses(t *testing.T) {
	small := func(change func(*tracegen.Trace, *trace.Meta)) trace.Source {
		m := trace.Meta{Resolution: 1000, Epoch: 5}
		trial := tracegen.New(m)
		change(trial, &m)
		made := tracegen.New(m)
		made.Region("main")
		made.Events(1).Append(trace.KindEnter, 10, 0)
		change(made, &trace.Meta{})
		return made
	}
	same := func(*tracegen.Trace, *trace.Meta) {}
	for what, change := range map[string]func(*tracegen.Trace, *trace.Meta){
		"ticks per second": func(_ *tracegen.Trace, m *trace.Meta) { m.Resolution++ },
		"count from tick":  func(_ *tracegen.Trace, m *trace.Meta) { m.Epoch++ },
		"from the format":  func(_ *tracegen.Trace, m *trace.Meta) { m.Format = "x" },
		"otherwise than":   func(s *tracegen.Trace, _ *trace.Meta) { s.Define(trace.KindParadigm, 1, 0, 0, 0) },
	} {
		first := small(func(s *tracegen.Trace, _ *trace.Meta) {
			if what == "otherwise than" {
				s.Define(trace.KindParadigm, 1, 0, 1, 0)
			}
		})
		if _, err := Concat(first, small(change)); err == nil || !bytes.Contains([]byte(err.Error()), []byte(what)) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Concat(small(same), small(same)); err != nil {
		t.Error(err)
	}
	if _, err := Concat(); err == nil {
		t.Error("nothing was joined")
	}
}

// Windows in another order than that of their times are refused before they are read: the first location with events in two of them tells.
func TestConcatOutOfOrder(t *testing.T) {
	window := func(times map[uint64]int64) trace.Source {
		made := tracegen.New(trace.Meta{Resolution: 1000})
		made.Region("main")
		for location := range uint64(3) {
			events := made.Events(location)
			if at, ok := times[location]; ok {
				events.Append(trace.KindEnter, at, 0)
			}
		}
		return made
	}
	early, late := window(map[uint64]int64{0: 1, 1: 10, 2: 20}), window(map[uint64]int64{1: 100, 2: 50})
	if _, err := Concat(early, late); err != nil {
		t.Error(err)
	}
	want := "trace 3: an event of location 1 is at tick 10, and one of an earlier trace at 100: traces are named in the order of their times, and do not overlap"
	if _, err := Concat(window(nil), late, early); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
