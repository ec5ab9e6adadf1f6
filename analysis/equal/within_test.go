package equal

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// coarse returns a trace with times within a number of ticks.
func coarse(t testing.TB, src trace.Source, most uint64) trace.Source {
	t.Helper()
	c, err := edit.Coarsen(src, edit.Bounds{Times: most})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func within(t testing.TB, a, b trace.Source, bounds []trace.Bound) *Report {
	t.Helper()
	r, err := Within(t.Context(), a, b, bounds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Random traces are within the bound of what is coarser, with the deviations that a plain loop finds, and not within a tick less.
func TestWithin(t *testing.T) {
	changed := 0
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64Range(0, 1<<20).Draw(rt, "seed")
		k := tracegen.RandomKnobs(seed)
		k.Leaps = 0
		src := tracegen.Random(seed, k)
		most := rapid.SampledFrom([]uint64{1, 3, 50, 1000, 1 << 20}).Draw(rt, "bound")
		c := coarse(t, src, most)
		r := within(t, src, c, c.Meta().Loss.Bounds)
		if !r.Equal {
			rt.Fatalf("%+v, %+v", r, r.Tolerance)
		}
		values, largest, sum := times(t, src, c)
		d := r.Tolerance.Columns[0]
		if d.Values < values || d.Largest < largest || d.Largest > float64(most) || d.Column != "times" || d.Changed > d.Values {
			rt.Fatalf("%+v, want %d values, largest %g", d, values, largest)
		}
		if d.Values == values && math.Abs(d.Mean*float64(values)-sum) > 1e-6*sum {
			rt.Fatalf("mean %g of %d, sum %g", d.Mean, values, sum)
		}
		if changed += int(d.Changed); largest > 1 {
			if r := within(t, src, c, []trace.Bound{trace.TimeBound(uint64(largest) - 1)}); r.Equal {
				rt.Fatalf("within %g, but a time is %g away", largest-1, largest)
			}
		}
	})
	if changed < 1000 {
		t.Errorf("only %d times changed", changed)
	}
}

// times compares times of events by a plain loop.
func times(t testing.TB, a, b trace.Source) (values uint64, largest, sum float64) {
	for _, s := range a.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		y := allTimes(t, b, s.StreamID)
		for i, x := range allTimes(t, a, s.StreamID) {
			d := math.Abs(float64(y[i] - x))
			values, largest, sum = values+1, max(largest, d), sum+d
		}
	}
	return values, largest, sum
}

func allTimes(t testing.TB, src trace.Source, id trace.StreamID) (list []int64) {
	s, err := src.Open(id)
	var b trace.Batch
	for ; err == nil; err = s.Next(&b, 100) {
		list = append(list, b.Times...)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return list
}

// A trace that is within the bounds is so no more when one time moves to the bound and a tick, or another value changes; and neither when a time moves
// within the bound past an event of another location.
func TestWithinRefuses(t *testing.T) {
	src := tracegen.Ring(4, 20, 1)
	c := coarse(t, src, 100)
	bounds := c.Meta().Loss.Bounds
	id := src.Streams()[1].StreamID
	was := allTimes(t, src, id)
	for at := range was {
		for _, by := range []int64{101, -101} {
			r := within(t, src, &patched{c, id, at, func(b *trace.Batch, i int) { b.Times[i] = was[at] + by }}, bounds)
			if r.Equal || len(r.Parts) != 1 || r.Parts[0].First.IndexA != uint64(at) {
				t.Fatalf("event %d moved by %d: %+v", at, by, r)
			}
		}
		r := within(t, src, &patched{c, id, at, func(b *trace.Batch, i int) { b.Kinds[i] = trace.KindUnknownEvent }}, bounds)
		if r.Equal || r.Parts[0].Kinds[0].Changed != 1 {
			t.Fatalf("event %d of another kind: %+v", at, r)
		}
	}
	r, err := Within(t.Context(), src, renamed{c, &trace.Meta{Resolution: 7}}, bounds, nil)
	if err == nil {
		t.Errorf("another resolution: %+v", r)
	}
}

// patched is a trace with one event changed.
type patched struct {
	trace.Source
	id    trace.StreamID
	at    int
	patch func(b *trace.Batch, i int)
}

// Open implements trace.Source.
func (p *patched) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := p.Source.Open(id)
	if err != nil || id != p.id {
		return s, err
	}
	return &patchedStream{s, p, 0}, nil
}

type patchedStream struct {
	trace.Stream
	of     *patched
	before int
}

// Next implements trace.Stream.
func (s *patchedStream) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	if i := s.of.at - s.before; err == nil && i >= 0 && i < b.Len() {
		s.of.patch(b, i)
	}
	s.before += b.Len()
	return err
}

// Orders are found to be reversed just where a loop over all pairs of events finds one, however the events come in and whenever they are looked at.
func TestOrder(t *testing.T) {
	kept, reversed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		type event struct{ a, b int64 }
		lanes := rapid.IntRange(1, 4).Draw(t, "locations")
		slip := rapid.SampledFrom([]int64{0, 0, 1, 4}).Draw(t, "slip")
		cell := rapid.Int64Range(1, 9).Draw(t, "cell")
		var all []event
		var of [][]event
		o := &order{}
		for i := range lanes {
			times := rapid.SliceOfN(rapid.Int64Range(-60, 60), 0, 25).Draw(t, "times")
			slices.Sort(times)
			var list []event
			for _, a := range times {
				b := (a+1000)/cell*cell + rapid.Int64Range(-slip, slip).Draw(t, "by")
				list = append(list, event{a, b})
			}
			all, of = append(all, list...), append(of, list)
			o.add(uint64(i))
		}
		o.least = 0
		for at := make([]int, lanes); ; {
			behind := -1
			for i := range of {
				if at[i] < len(of[i]) && (behind < 0 || o.reach[i] < o.reach[behind]) {
					behind = i
				} else if at[i] == len(of[i]) {
					o.reached(i, 0, true)
				}
			}
			if behind < 0 {
				break
			}
			n := rapid.IntRange(1, 5).Draw(t, "batch")
			for ; n > 0 && at[behind] < len(of[behind]); n-- {
				e := of[behind][at[behind]]
				o.event(behind, e.a, e.b)
				o.reach[behind] = e.a
				at[behind]++
			}
			o.reached(behind, o.reach[behind], false)
			o.least = 0
		}
		o.flush()
		want := false
		for _, x := range all {
			for _, y := range all {
				want = want || x.a <= y.a && x.b > y.b
			}
		}
		if want != (o.reversed > 0) {
			t.Fatalf("%d reversed, want %v: %v", o.reversed, want, of)
		}
		if f := o.first; want {
			reversed++
			if !(int64(f.First.A) <= int64(f.Second.A) && int64(f.First.B) > int64(f.Second.B)) {
				t.Fatalf("%+v is no reversal", f)
			}
			for _, e := range []Instant{f.First, f.Second} {
				if !slices.Contains(of[e.Location], event{int64(e.A), int64(e.B)}) {
					t.Fatalf("%+v: there is no such event in %v", e, of)
				}
			}
			return
		}
		kept++
	})
	if kept == 0 || reversed == 0 { // in 40 cases, about 30 and 10
		t.Errorf("%d kept and %d reversed", kept, reversed)
	}
}
