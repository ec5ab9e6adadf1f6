package pattern_test

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/analysis/phase"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// goldens are what programs are known to do: NPB LU and Sweep3D are pipelines over a grid, MG exchanges on a torus of three dimensions.
var goldens = map[string]struct {
	class     pattern.Class
	sizes     []int
	wave      bool
	corners   bool
	pairs     int
	templates int
}{
	"otf2.lu.W.8":         {pattern.Grid, []int{4, 2}, true, false, 20, 22},
	"otf2.sweep3d.16":     {pattern.Grid, []int{4, 4}, true, false, 48, 16},
	"otf2.mg.W.64":        {pattern.Torus, []int{4, 4, 4}, false, false, 408, 92},
	"otf2.bt.S.16":        {pattern.Torus, []int{4, 4}, false, true, 96, 202},
	"otf2.amg.8":          {pattern.All, nil, false, false, 64, 574},
	"otf2.lulesh.8x4omp":  {pattern.All, nil, false, false, 56, 66},
	"otf2.ep.S.32":        {pattern.Silent, nil, false, false, 0, 0},
	"otf2.planted.heat.a": {pattern.Grid, []int{4, 4}, false, false, 48, 4},
	"otf2.planted.wave.a": {pattern.Grid, []int{4, 3}, true, false, 34, 40},
}

func TestGoldens(t *testing.T) {
	found := 0
	names := slices.Concat(tracetest.Bundled(t), tracetest.Larger(t))
	for _, name := range names {
		want, ok := goldens[name]
		if !ok {
			continue
		}
		found++
		t.Run(name, func(t *testing.T) {
			r := stored.Trace(t, tracetest.Anchor(t, name))
			x, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if x.Class != want.class || !slices.Equal(x.Sizes, want.sizes) || x.Wave != want.wave || x.Corners != want.corners {
				t.Errorf("%+v", x.Pattern)
			}
			if len(x.Traffic.Pairs) != want.pairs || len(x.Templates) != want.templates {
				t.Errorf("%d pairs and %d templates, want %d and %d", len(x.Traffic.Pairs), len(x.Templates), want.pairs, want.templates)
			}
		})
	}
	if found == 0 {
		t.Error("none of the known traces is there")
	}
}

// Pairs and templates are those of a naive count, however a file is divided.
func TestRandom(t *testing.T) {
	met := 0
	defer func() {
		if met == 0 {
			t.Error("no trace had messages between ranks: the test tells nothing")
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		k := tracegen.RandomKnobs(seed)
		k.Length = min(k.Length, 300)
		src := tracegen.Random(seed, k)
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		o := store.Options{SliceEvents: rapid.IntRange(1, 100).Draw(t, "slice"), LaneLocations: rapid.IntRange(1, 4).Draw(t, "lane")}
		r := stored.Source(t, src, o)
		x, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pairs, templates, unranked := naive(t, r, m)
		met += len(pairs)
		if !slices.Equal(x.Traffic.Pairs, pairs) || !reflect.DeepEqual(x.Templates, templates) || x.Unranked != unranked {
			t.Errorf("%+v\n%+v\nwant\n%+v\n%+v", x.Traffic.Pairs, x.Templates, pairs, templates)
		}
	})
}

func naive(t *rapid.T, r *store.Reader, m *model.Trace) (pairs []pattern.Pair, templates []pattern.Template, unranked uint64) {
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	rank := func(id uint64) int64 {
		i := slices.Index(ids, id)
		return m.Definitions.Places(ids)[i].Rank
	}
	var senders []map[int64]bool // by template
	for _, x := range m.Match().Messages {
		from, to := rank(x.SendLocation), rank(x.ReceiveLocation)
		if from < 0 || to < 0 {
			unranked++
			continue
		}
		i := slices.IndexFunc(pairs, func(p pattern.Pair) bool { return int64(p.From) == from && int64(p.To) == to })
		if i < 0 {
			i, pairs = len(pairs), append(pairs, pattern.Pair{From: int(from), To: int(to)})
		}
		pairs[i].Messages++
		pairs[i].Bytes += x.SendLength
		key := pattern.Template{Shift: int(to - from), Communicator: x.Communicator, Tag: x.Tag, Length: x.SendLength}
		j := slices.IndexFunc(templates, func(a pattern.Template) bool {
			return a.Shift == key.Shift && a.Communicator == key.Communicator && a.Tag == key.Tag && a.Length == key.Length
		})
		if j < 0 {
			j, templates = len(templates), append(templates, key)
			senders = append(senders, map[int64]bool{})
		}
		senders[j][from] = true
		templates[j].Messages++
		templates[j].Bytes += x.SendLength
		templates[j].Senders = len(senders[j])
	}
	slices.SortFunc(pairs, func(a, b pattern.Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	slices.SortFunc(templates, func(a, b pattern.Template) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Shift, b.Shift), cmp.Compare(a.Communicator, b.Communicator),
			cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Length, b.Length))
	})
	return pairs, templates, unranked
}

// Of templates that are too many, those that are new are added up; nothing is lost.
func TestManyTemplates(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	all, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
	if err != nil {
		t.Fatal(err)
	}
	few, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{Templates: 3})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(x *pattern.Result) (n, bytes uint64) {
		for i := range x.Templates {
			n, bytes = n+x.Templates[i].Messages, bytes+x.Templates[i].Bytes
		}
		return n, bytes
	}
	n, bytes := sum(all)
	if m, b := sum(few); m != n || b != bytes || len(few.Templates) >= len(all.Templates) {
		t.Errorf("%d messages of %d bytes in %d templates, want %d and %d", m, b, len(few.Templates), n, bytes)
	}
}

// Periods have each message once.
func TestPeriods(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	var n uint64
	first, last := r.Info().First, r.Info().Last+1
	step := (last - first + 16) / 17
	for from := first; from < last; from += step {
		x, err := pattern.Find(t.Context(), r, r.Window(from, min(from+step, last)), pattern.Options{Begun: from > first})
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Traffic.Pairs {
			n += x.Traffic.Pairs[i].Messages
		}
	}
	if n != r.Info().Messages {
		t.Errorf("%d messages, want %d", n, r.Info().Messages)
	}
}

// Phases have each message once, that of the phase that its sender is in.
func TestPhases(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	p, err := phase.Find(t.Context(), r, r.All(), phase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := pattern.NewFinder(r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.FindIn(t.Context(), r.All(), p, pattern.Options{})
	if err != nil || len(found) != len(p.List) {
		t.Fatalf("%d results for %d phases, %v", len(found), len(p.List), err)
	}
	m, err := model.Load(r.Source())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint64, len(p.List))
	for _, x := range m.Match().Messages {
		at, l := 0, slices.Index(p.Locations, x.SendLocation)
		for i := range p.List {
			if p.List[i].From[l] <= x.SendTime {
				at = i
			}
		}
		want[at]++
	}
	for i, x := range found {
		if n, _ := x.Traffic.Total(); n != want[i] {
			t.Errorf("phase %d has %d messages, want %d", i, n, want[i])
		}
	}
	if want[1] < 1000 || found[1].Class != pattern.Butterfly {
		t.Errorf("%d messages in the loop, %v", want[1], found[1].Class)
	}
}

// More pairs of ranks than the memory has room for are an error.
func TestTooManyPairs(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	if _, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{Memory: 1000}); !errors.Is(err, memory.ErrExceeded) {
		t.Errorf("within 1 kB: %v", err)
	}
}
