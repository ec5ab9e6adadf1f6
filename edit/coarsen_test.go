package edit

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// coarser returns a trace with times within a number of ticks.
func coarser(t testing.TB, src trace.Source, most uint64) trace.Source {
	t.Helper()
	c, err := Coarsen(src, Bounds{Times: most})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func loaded(t testing.TB, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawTrace draws a trace, often with negative times and with many events at one time, and a bound.
func drawTrace(t *rapid.T) (src func() trace.Source, most uint64) {
	seed := rapid.Uint64Range(0, 1<<20).Draw(t, "seed")
	k := tracegen.RandomKnobs(seed)
	k.Length = min(max(k.Length, 20), 80)
	if rapid.Bool().Draw(t, "no leaps") {
		k.Leaps = 0
	}
	if rapid.Bool().Draw(t, "no threads") {
		k.Threads = 1 // of such traces messages are compared, too
	}
	most = rapid.SampledFrom([]uint64{1, 2, 3, 7, 50, 1000, 4096, 1 << 20, 3_000_000}).Draw(t, "bound")
	return func() trace.Source { return tracegen.Random(seed, k) }, most
}

// What Coarsen promises holds event by event: times are within the bound, orders on and across locations are kept, all else is the same.
func TestCoarsenWithinBounds(t *testing.T) {
	moved, events, messages := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		src, most := drawTrace(rt)
		before := loaded(t, src())
		if beyond(before, most) {
			rt.Skip("times at the edge of what there is")
		}
		r := written(t, coarser(t, src(), most))
		after := loaded(t, r.Source())
		type pair struct{ was, is int64 }
		var all []pair
		for i := range before.Locations {
			a, b := before.Locations[i].Events, after.Locations[i].Events
			if len(a) != len(b) {
				rt.Fatalf("%d events, were %d", len(b), len(a))
			}
			for j := range a {
				sameButTimes(rt, &a[j], &b[j], most)
				all = append(all, pair{a[j].Time, b[j].Time})
				if a[j].Time != b[j].Time {
					moved++
				}
			}
		}
		events += len(all)
		slices.SortFunc(all, func(x, y pair) int { return cmp.Compare(x.was, y.was) })
		for i := 1; i < len(all); i++ {
			x, y := all[i-1], all[i]
			if y.is < x.is || x.was == y.was && x.is != y.is {
				rt.Fatalf("times %d and %d became %d and %d", x.was, y.was, x.is, y.is)
			}
			if d := (y.is - x.is) - (y.was - x.was); d >= 2*int64(most) || d <= -2*int64(most) {
				rt.Fatalf("the difference of %d and %d is off by %d, bound %d", x.was, y.was, d, most)
			}
		}
		if alone(before) {
			sameMessages(rt, before, after)
			messages += len(before.Match().Messages)
		}
		if report, err := r.Verify(t.Context(), store.VerifyOptions{}); err != nil || len(report.Problems) > 0 {
			rt.Fatalf("verify: %v, %v", report, err)
		}
	})
	if moved*2 < events || messages < 50 {
		t.Errorf("only %d of %d events have another time, %d messages", moved, events, messages)
	}
}

// alone reports whether each process has one location. Which of several that send or receive at one time comes first is not kept.
func alone(m *model.Trace) bool {
	seen := map[uint64]bool{}
	for i := range m.Locations {
		process, ok := m.Definitions.Process(m.Locations[i].ID)
		if ok && seen[process] {
			return false
		}
		seen[process] = ok
	}
	return true
}

// beyond reports whether a trace has events within a bound of the edge of time.
func beyond(m *model.Trace, most uint64) bool {
	first, last, ok := m.Span()
	return ok && (last > store.MaxTime-2*int64(most) || first < -store.MaxTime+2*int64(most))
}

// sameButTimes checks that an event is another one with rounded times.
func sameButTimes(t *rapid.T, a, b *model.Record, most uint64) {
	if d := b.Time - a.Time; d > int64(most) || d < -int64(most) {
		t.Fatalf("an event at %d stands at %d, bound %d", a.Time, b.Time, most)
	}
	if a.Kind != b.Kind || b.Residual != 0 || len(a.Words) != len(b.Words) || !slices.Equal(a.Attrs, b.Attrs) {
		t.Fatalf("%+v became %+v", a, b)
	}
	spec := trace.Standard.Spec(a.Kind)
	if spec == nil {
		return
	}
	spec.Walk(a.Words, func(i int, f *trace.Field, w uint64) {
		d := int64(b.Words[i] - w)
		switch {
		case f.Type.InText() || f.Name == "stopResidual":
		case f.Type == trace.TypeTime && d >= -int64(most) && d <= int64(most):
		case d != 0:
			t.Fatalf("field %s of %+v became %d", f.Name, a, b.Words[i])
		}
	})
}

// sameMessages checks that the same sends and receives belong together, and that none that came after its send comes before it now.
func sameMessages(t *rapid.T, before, after *model.Trace) {
	a, b := before.Match().Messages, after.Match().Messages
	if len(a) != len(b) {
		t.Fatalf("%d messages, were %d", len(b), len(a))
	}
	type ends struct{ send, sent, receive, received uint64 }
	was := map[ends]trace.Message{}
	for _, m := range a {
		was[ends{m.SendLocation, m.SendOrdinal, m.ReceiveLocation, m.ReceiveOrdinal}] = m
	}
	for _, m := range b {
		o, ok := was[ends{m.SendLocation, m.SendOrdinal, m.ReceiveLocation, m.ReceiveOrdinal}]
		if !ok || o.ReceiveTime >= o.SendTime && m.ReceiveTime < m.SendTime {
			t.Fatalf("message %+v was %+v", m, o)
		}
	}
}

// A trace that is coarse gives, coarser, the very file that the original gives, where cells are a multiple; and no file depends on the number of workers.
func TestCoarsenTwice(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src, most := drawTrace(rt)
		most = min(most, 4096)
		if beyond(loaded(t, src()), 1<<20) {
			rt.Skip("times at the edge of what there is")
		}
		times := rapid.Uint64Range(1, 9).Draw(rt, "multiple")
		opt := store.Options{SliceEvents: 200, Fanout: 3, ID: format.FileID{1}, Workers: 1}
		once := fileOf(t, coarser(t, src(), most*times), opt)
		opt.Workers = 8
		twice := fileOf(t, coarser(t, coarser(t, src(), most), most*times), opt)
		if !bytes.Equal(once, twice) {
			rt.Fatalf("%d × %d: files of %d and %d bytes differ", most, times, len(once), len(twice))
		}
	})
}

// A bound that cuts the cells of a coarse trace is refused, and the error has the nearest ones that do not.
func TestCoarsenThatDoesNotNest(t *testing.T) {
	src := coarser(t, tracegen.Ring(2, 3, 1), 1000)
	for most, want := range map[uint64]NestError{1500: {1500, 1000, 2000, 1e9}, 999: {999, 1000, 1000, 1e9}, 2999: {2999, 2000, 3000, 1e9}} {
		_, err := Coarsen(src, Bounds{Times: most})
		var nest *NestError
		if !errors.As(err, &nest) || *nest != want {
			t.Errorf("%d: %v, want %+v", most, err, want)
		}
		for _, n := range []uint64{nest.Below, nest.Above} {
			if _, err := Coarsen(src, Bounds{Times: n}); err != nil {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// Values become the nearest multiple of a cell: 0 stays, orders stay, none is further than half of it.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bound := rapid.Uint64Range(1, 1<<50).Draw(t, "bound")
		cell := 2*bound + 1
		typ := rapid.SampledFrom([]trace.ValueType{trace.ValueUint8, trace.ValueUint64, trace.ValueInt64, trace.ValueDouble, trace.ValueFloat}).Draw(t, "type")
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		if typ.Compare(a, b) > 0 {
			a, b = b, a
		}
		x, y := nearest(typ, a, cell), nearest(typ, b, cell)
		if typ.Compare(x, y) > 0 {
			t.Fatalf("%x and %x became %x and %x", a, b, x, y)
		}
		if nearest(typ, 0, cell) != 0 {
			t.Fatal("0 does not stay 0")
		}
		off := func(v, w uint64) bool {
			if typ.IsFloat() {
				f, g := typ.Float(v), typ.Float(w)
				return f == f && f-g > float64(bound) || g-f > float64(bound)
			}
			d := int64(v - w)
			return d > int64(bound) || d < -int64(bound)
		}
		if off(a, x) || off(b, y) {
			t.Fatalf("%x and %x became %x and %x, bound %d", a, b, x, y, bound)
		}
	})
}

// Slices of coarse traces get longer and shorter by what groups before take. That does not depend on the number of workers.
func TestPaceOfWorkers(t *testing.T) {
	opt := store.Options{Fanout: 2, ID: format.FileID{1}, Workers: 1}
	src := func() trace.Source { return coarser(t, tracegen.Ring(4, 8_000, 1), 25) }
	one := fileOf(t, src(), opt)
	if opt.Workers = 8; !bytes.Equal(one, fileOf(t, src(), opt)) {
		t.Error("8 workers write another file than one")
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(one), int64(len(one)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := r.Info()
	if i.Slices < 6 || i.Events/i.Slices < 20_000 {
		t.Errorf("%d slices of %d events: too few for the pace to change", i.Slices, i.Events)
	}
}
