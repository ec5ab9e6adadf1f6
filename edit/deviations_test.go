package edit

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// regionTimes are sums of the calls of a region.
type regionTimes struct{ inclusive, exclusive, busy *big.Int }

// exactTimes are the sums by region that the naive model finds in a trace.
func exactTimes(m *model.Trace) map[uint64]regionTimes {
	sums := map[uint64]regionTimes{}
	first, last, _ := m.Span()
	for _, c := range m.Summary(&model.Window{From: first, To: last + 1}, m.Calls(), nil).Calls {
		addTimes(sums, c.Region, c.Inclusive, c.Exclusive, c.Busy)
	}
	return sums
}

func addTimes(sums map[uint64]regionTimes, region uint64, inclusive, exclusive, busy *big.Int) {
	s, ok := sums[region]
	if !ok {
		s = regionTimes{new(big.Int), new(big.Int), new(big.Int)}
		sums[region] = s
	}
	s.inclusive.Add(s.inclusive, inclusive)
	s.exclusive.Add(s.exclusive, exclusive)
	s.busy.Add(s.busy, busy)
}

// A coarse file tells the exact sums of the original's calls: its own ones and their deviations are those of the naive model. So does one that became coarse in two
// steps, and a copy.
func TestDeviations(t *testing.T) {
	nested, known, unknown := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		src, most := drawTrace(rt)
		most = min(most, 1<<20)
		m := loaded(t, src())
		if beyond(m, 1<<22) {
			rt.Skip("times at the edge of what there is")
		}
		want := exactTimes(m)
		once := written(t, coarser(t, src(), most))
		twice := written(t, coarser(t, once.Source(), most*rapid.Uint64Range(1, 4).Draw(rt, "multiple")))
		for _, r := range []*store.Reader{once, twice, written(t, twice.Source())} {
			sums := map[uint64]regionTimes{}
			s, err := r.All().Summary(store.SummaryCalls)
			if err != nil {
				rt.Fatal(err)
			}
			for _, c := range s.Calls {
				addTimes(sums, c.Region, c.Inclusive.Big(), c.Exclusive.Big(), c.Busy.Big())
			}
			if r.Info().Deviations == nil { // of calls whose context is defined behind them
				unknown++
				return
			}
			known++
			for _, d := range r.Info().Deviations {
				addTimes(sums, d.Region, big.NewInt(d.Inclusive), big.NewInt(d.Exclusive), big.NewInt(d.Busy))
			}
			if len(sums) != len(want) {
				rt.Fatalf("%d regions, want %d", len(sums), len(want))
			}
			for region, w := range want {
				if g := sums[region]; g.inclusive.Cmp(w.inclusive)|g.exclusive.Cmp(w.exclusive)|g.busy.Cmp(w.busy) != 0 {
					rt.Fatalf("region %d: %v, want %v", region, g, w)
				}
				if w.busy.Cmp(w.inclusive) != 0 {
					nested++
				}
			}
		}
	})
	if nested == 0 || known < unknown {
		t.Errorf("%d regions call themselves, %d files with deviations, %d without", nested, known, unknown)
	}
}

// Nobody knows the deviations of a part of a coarse trace, or of several that were put together.
func TestUnknownDeviations(t *testing.T) {
	a := written(t, coarser(t, tracegen.Ring(3, 20, 1), 50))
	if a.Info().Deviations == nil {
		t.Fatal("deviations are not known")
	}
	first, last := a.Info().First, a.Info().Last
	part, err := Cut(a, Selection{From: first, To: (first + last) / 2})
	if err != nil {
		t.Fatal(err)
	}
	both, err := Merge(AlignClocks, a.Source(), written(t, coarser(t, tracegen.Ring(3, 20, 2), 50)).Source())
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]trace.Source{"part": part, "merged": both} {
		r := written(t, src)
		if r.Info().Deviations != nil {
			t.Errorf("%s: %+v", name, r.Info().Deviations)
		}
		if again := written(t, coarser(t, r.Source(), 100)); again.Info().Deviations != nil {
			t.Errorf("%s, coarser: %+v", name, again.Info().Deviations)
		}
	}
}

// What windows of a coarse trace add up to is off by less than a cell for each call, of which one at an end may be in one of both windows only.
func TestWindowsWithinBounds(t *testing.T) {
	off := 0
	rapid.Check(t, func(rt *rapid.T) {
		src, most := drawTrace(rt)
		most = min(most, 1<<20)
		before := loaded(t, src())
		if beyond(before, 1<<22) {
			rt.Skip("times at the edge of what there is")
		}
		first, last, ok := before.Span()
		if !ok {
			rt.Skip("no events")
		}
		from := rapid.Int64Range(first, last).Draw(rt, "from")
		to := rapid.Int64Range(from, last).Draw(rt, "to") + 1
		s, err := written(t, coarser(t, src(), most)).Window(from, to).Summary(store.SummaryCalls)
		if err != nil {
			rt.Fatal(err)
		}
		type row struct{ location, region uint64 }
		rows := map[row]*[4]*big.Int{} // of the coarse trace less those of the original; calls of both
		at := func(location, region uint64) *[4]*big.Int {
			if rows[row{location, region}] == nil {
				rows[row{location, region}] = &[4]*big.Int{new(big.Int), new(big.Int), new(big.Int), new(big.Int)}
			}
			return rows[row{location, region}]
		}
		for _, c := range s.Calls {
			r := at(c.Location, c.Region)
			r[0].Add(r[0], c.Inclusive.Big())
			r[2].Add(r[2], c.Busy.Big())
			r[3].Add(r[3], new(big.Int).SetUint64(c.Count))
		}
		for _, c := range before.Summary(&model.Window{From: from, To: to}, before.Calls(), nil).Calls {
			r := at(c.Location, c.Region)
			r[0].Sub(r[0], c.Inclusive)
			r[2].Sub(r[2], c.Busy)
			r[3].Add(r[3], new(big.Int).SetUint64(c.Count))
		}
		for name, r := range rows {
			limit := new(big.Int).Mul(r[3], new(big.Int).SetUint64(2*most))
			if r[0].CmpAbs(limit) > 0 || r[2].CmpAbs(limit) > 0 {
				rt.Fatalf("%+v: off by %v and %v, %v calls, bound %d", name, r[0], r[2], r[3], most)
			}
			if r[0].Sign() != 0 {
				off++
			}
		}
	})
	if off == 0 {
		t.Error("no sum is off")
	}
}
