package fingerprint_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// edited is a trace in which one event, the first enter or leave from an ordinal on, is of another region.
type edited struct {
	trace.Source
	location, ordinal uint64
}

func (e edited) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := e.Source.Open(id)
	if id.Class != trace.StreamEvents || id.Location != e.location {
		return s, err
	}
	return &editedStream{Stream: s, ordinal: e.ordinal}, err
}

type editedStream struct {
	trace.Stream
	ordinal, next uint64
	done          bool
}

func (s *editedStream) Next(b *trace.Batch, most int) error {
	err := s.Stream.Next(b, most)
	for i, k := range b.Kinds {
		if !s.done && s.next+uint64(i) >= s.ordinal && (k == trace.KindEnter || k == trace.KindLeave) {
			b.Fields(i)[0]++
			s.done = true
		}
	}
	s.next += uint64(b.Len())
	return err
}

// place is an enter or leave among the events, with its name.
type place struct {
	name    string
	ordinal uint64
	time    int64
}

// placed lists the enters and leaves of each location in a window, by its events.
func placed(t stored.Failer, r *store.Reader, w *store.Window) map[uint64][]place {
	t.Helper()
	names := symbols(t, r, w)
	all := map[uint64][]place{}
	for e, err := range w.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Batch.Kinds[e.Index] {
		case trace.KindEnter, trace.KindLeave, trace.KindCallingContextEnter, trace.KindCallingContextLeave:
			location := e.Batch.Location
			list := all[location]
			all[location] = append(list, place{names[location][len(list)], e.Ordinal, e.Batch.Times[e.Index]})
		}
	}
	return all
}

// mustBe checks a place against the n-th of a list, or its end.
func mustBe(t *rapid.T, got fingerprint.Place, list []place, n uint64) {
	t.Helper()
	if got.End != (n == uint64(len(list))) {
		t.Fatalf("end %v at %d of %d", got.End, n, len(list))
	}
	if got.End {
		return
	}
	name := got.Name
	if got.Leave {
		name = "/" + name
	}
	if p := (place{name, got.Ordinal, got.Time}); p != list[n] {
		t.Fatalf("%+v, want %+v", p, list[n])
	}
}

// drawSides draws two windows: of one trace, or of one that was edited, in files that are divided in two ways.
func drawSides(t *rapid.T) (a, b fingerprint.Side) {
	seed := rapid.Uint64Range(0, 300).Draw(t, "seed")
	src := func() trace.Source { return tracegen.Random(seed, tracegen.RandomKnobs(seed)) }
	optA, optB := drawn.Options(t), drawn.Options(t)
	optA.Hashes, optB.Hashes = rapid.IntRange(0, 3).Draw(t, "hashes") > 0, rapid.IntRange(0, 3).Draw(t, "hashes") > 0
	a.Reader = stored.Source(t, src(), optA)
	a.Window = drawWindow(t, a.Reader)
	other := src()
	for _, l := range stored.Locations(t, a.Reader) {
		if l.Events > 0 && rapid.Bool().Draw(t, "edit") {
			other = edited{other, l.ID, rapid.Uint64Range(0, l.Events-1).Draw(t, "event")}
		}
	}
	b.Reader = stored.Source(t, other, optB)
	b.Window = b.Reader.Window(a.Window.Bounds())
	if rapid.IntRange(0, 3).Draw(t, "window") == 0 {
		b.Window = drawWindow(t, b.Reader)
	}
	return a, b
}

// The first difference of each location is that of its expanded strings, however the files are divided, with stored hashes and without; and
// locations without one have equal strings.
func TestDifferences(t *testing.T) {
	found, stored, equal := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		opt := fingerprint.Options{Distrust: rapid.IntRange(0, 3).Draw(t, "distrust") == 0, Memory: rapid.SampledFrom([]int64{1, 0}).Draw(t, "memory")}
		inA, inB := placed(t, a.Reader, a.Window), placed(t, b.Reader, b.Window)
		got := map[uint64]*fingerprint.Difference{}
		for d, err := range fingerprint.Differences(context.Background(), a, b, opt) {
			if err != nil {
				t.Fatal(err)
			}
			got[d.Location] = d
		}
		pairs, err := fingerprint.Compare(context.Background(), a, b, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pairs {
			x, y := inA[p.Location], inB[p.Location]
			n := uint64(0)
			for n < uint64(min(len(x), len(y))) && x[n].name == y[n].name {
				n++
			}
			d := got[p.Location]
			if same := len(x) == len(y) && int(n) == len(x); same != p.Same() || same != (d == nil) {
				t.Fatalf("location %d: equal strings %v, equal hashes %v, difference %v", p.Location, same, p.Same(), d)
			}
			if d == nil {
				equal++
				continue
			}
			if d.Same != n {
				t.Fatalf("location %d: %d are the same, want %d", p.Location, d.Same, n)
			}
			mustBe(t, d.A, x, n)
			mustBe(t, d.B, y, n)
			found++
		}
		hasA, _ := a.Window.HasHashes()
		if hasB, _ := b.Window.HasHashes(); hasA && hasB && !opt.Distrust {
			stored++
		}
	})
	if found < 5 || equal < 5 || stored < 1 {
		t.Errorf("%d differences, %d equal locations, %d comparisons by stored hashes: this tests little", found, equal, stored)
	}
}

// The first of all differences is that of the location where it comes first.
func TestFirstDifference(t *testing.T) {
	src := tracegen.Ring(4, 200, 1)
	a := stored.Source(t, src, store.Options{SliceEvents: 100, Hashes: true})
	late, early := edited{src, 1, 1500}, edited{src, 2, 700}
	for _, opt := range []store.Options{{SliceEvents: 100, Hashes: true}, {SliceEvents: 77, Hashes: true}, {SliceEvents: 300}} {
		b := stored.Source(t, edited{late, early.location, early.ordinal}, opt)
		d, err := fingerprint.FirstDifference(t.Context(), fingerprint.Side{Reader: a, Window: a.All()}, fingerprint.Side{Reader: b, Window: b.All()}, fingerprint.Options{})
		if err != nil || d == nil || d.Location != 2 || d.A.Ordinal < 700 || d.A.Ordinal != d.B.Ordinal || d.A.Name == d.B.Name {
			t.Errorf("%+v (%v), want event 700 of location 2 or one soon behind", d, err)
		}
		d, err = fingerprint.FirstDifference(t.Context(), fingerprint.Side{Reader: a, Window: a.All()}, fingerprint.Side{Reader: a, Window: a.All()}, fingerprint.Options{})
		if err != nil || d != nil {
			t.Errorf("a file differs from itself: %+v (%v)", d, err)
		}
	}
}

// Files whose hashes are not those of their events differ from sound ones, and where is not to be found; unless they are not trusted.
func TestWrongHashes(t *testing.T) {
	plain, err := damage.Plain(stored.Bytes(t, tracegen.Ring(2, 200, 1), store.Options{SliceEvents: 100, Fanout: 4, Hashes: true}))
	if err != nil {
		t.Fatal(err)
	}
	blocks := damage.Blocks(plain)
	sound := stored.Open(t, plain)
	wrong := 0
	for i := range blocks {
		if blocks[i].Kind != format.BlockHashes {
			continue
		}
		changed := slices.Clone(blocks)
		changed[i].Payload = slices.Clone(blocks[i].Payload)
		changed[i].Payload[len(blocks[i].Payload)-10] ^= 1 // of a sum of the last location
		r := stored.Open(t, damage.Join(plain, changed))
		a, b := fingerprint.Side{Reader: sound, Window: sound.All()}, fingerprint.Side{Reader: r, Window: r.All()}
		d, err := fingerprint.FirstDifference(t.Context(), a, b, fingerprint.Options{})
		if d != nil || err != nil && !errors.Is(err, fingerprint.ErrHashes) {
			t.Errorf("block %d: %+v, %v", i, d, err)
		}
		if err != nil {
			wrong++
		}
		if d, err := fingerprint.FirstDifference(t.Context(), a, b, fingerprint.Options{Distrust: true}); d != nil || err != nil {
			t.Errorf("block %d, not trusted: %+v, %v", i, d, err)
		}
	}
	if wrong == 0 {
		t.Error("no wrong hash was noticed: that of the root must be")
	}
}
