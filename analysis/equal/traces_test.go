package equal

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Differences are those that a comparison without batches finds, which groups the records of each stream by time.
func TestMutated(t *testing.T) {
	found := 0
	for seed := range uint64(40) {
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		changed := mutated(t, src, rand.New(rand.NewPCG(seed, 1)))
		r, err := Traces(context.Background(), src, changed, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := map[counted]uint64{}
		for _, s := range src.Streams() {
			naive(s.StreamID, recordsOf(t, src, s.StreamID), recordsOf(t, changed, s.StreamID), want)
		}
		got := map[counted]uint64{}
		for _, p := range r.Parts {
			for _, k := range p.Kinds {
				for what, n := range []uint64{k.OnlyA, k.OnlyB, k.Changed} {
					if n > 0 {
						got[counted{p.Stream, k.Name, what}] = n
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
		if r.Equal != (len(want) == 0) {
			t.Errorf("seed %d: equal is %v with %d differences", seed, r.Equal, len(want))
		}
		if runs, err := Runs(context.Background(), src, changed, nil); err != nil || runs.Equal != r.Equal || runs.Start != nil && len(want) == 0 {
			t.Errorf("seed %d: as runs they are %+v, %v", seed, runs, err)
		}
		found += len(want)
	}
	if found < 100 {
		t.Errorf("only %d differences were made", found)
	}
}

// counted is what differences are counted by: the stream, the kind, and whether the record is only in A, only in B, or changed.
type counted struct {
	Stream trace.StreamID
	Kind   string
	What   int
}

// record is one as the naive comparison sees it.
type record struct {
	time       int64
	kind, text string
}

func recordsOf(t *testing.T, src trace.Source, id trace.StreamID) (list []record) {
	t.Helper()
	c, err := newCursor(src, -src.Meta().Epoch, id, true)
	for ; err == nil && c.stream != nil; err = c.fill(7) {
		for ; c.has(); c.at++ {
			list = append(list, record{c.batch.Times[c.at], c.kindName(), c.text()})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func naive(id trace.StreamID, a, b []record, counts map[counted]uint64) {
	groups := map[int64][2][]record{}
	timed := id.Class == trace.StreamEvents
	for side, list := range [][]record{a, b} {
		for _, r := range list {
			key := r.time
			if !timed {
				key = 0
			}
			g := groups[key]
			g[side] = append(g[side], r)
			groups[key] = g
		}
	}
	for _, g := range groups {
		for i := range max(len(g[0]), len(g[1])) {
			switch {
			case i >= len(g[1]):
				counts[counted{id, g[0][i].kind, 0}]++
			case i >= len(g[0]):
				counts[counted{id, g[1][i].kind, 1}]++
			case g[0][i] != g[1][i]:
				counts[counted{id, g[0][i].kind, 2}]++
			}
		}
	}
}

// mutated copies a trace with a record now and then left out, doubled or changed.
func mutated(t *testing.T, src trace.Source, rnd *rand.Rand) trace.Source {
	t.Helper()
	again := tracegen.New(*src.Meta())
	often := []int{10, 100, 10000}[rnd.IntN(3)]
	for _, info := range src.Streams() {
		s, err := src.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		to := again.Stream(info.StreamID)
		var b trace.Batch
		for err = s.Next(&b, 100); err == nil; err = s.Next(&b, 100) {
			for i := range b.Len() {
				mutate(to, &b, i, rnd.IntN(often), src.Meta().Table())
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	defs, err := src.Definitions(0) // all of them, now that the events were read
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defs {
		again.DefineRecord(d)
	}
	return again
}

func mutate(to, from *trace.Batch, i, how int, table *trace.Table) {
	switch how {
	case 0: // left out
		return
	case 1: // doubled
		to.AppendFrom(from, i, table)
	case 2: // changed
		to.AppendFrom(from, i, table)
		to.SetResidual(from.Residual(i) + 1)
		return
	}
	to.AppendFrom(from, i, table)
}

// A trace is equal to the file made of it, and not to one of another name, with other definitions or with another clock.
func TestWholes(t *testing.T) {
	src := tracegen.Ring(4, 50, 1)
	path := filepath.Join(t.TempDir(), "ring.pando")
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{SliceEvents: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.Copy(t.Context(), w, src, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compared := uint64(0)
	r, err := Traces(context.Background(), src, f.Source(), func(n, _ int64) { compared = uint64(n) })
	if err != nil || !r.Equal || r.Records != f.Info().Events || r.Definitions != f.Info().Definitions || r.Records == 0 || compared != r.Records {
		t.Fatalf("%+v, %v", r, err)
	}
	meta := *src.Meta()
	meta.Resolution++
	meta.Properties = append(meta.Properties, trace.Property{Name: "a", Value: "b"})
	r, err = Traces(context.Background(), src, renamed{src, &meta}, nil)
	if err != nil || r.Equal || len(r.Meta) != 2 || len(r.Parts) != 1 || r.Parts[0].Name != "definitions" || r.FirstPart().First.B != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Traces(stopped, src, src, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// renamed is a source with another Meta and without its last definition.
type renamed struct {
	trace.Source
	meta *trace.Meta
}

// Meta implements trace.Source.
func (r renamed) Meta() *trace.Meta { return r.meta }

// Definitions implements trace.Source.
func (r renamed) Definitions(from int) ([]trace.Record, error) {
	defs, err := r.Source.Definitions(0)
	return defs[from : len(defs)-1], err
}

// defined is a source with other definitions.
type defined struct {
	trace.Source
	log []trace.Record
}

// Definitions implements trace.Source.
func (d defined) Definitions(from int) ([]trace.Record, error) { return d.log[from:], nil }

// Definitions are matched by id or by what they say: another order is one difference, and what differs besides is counted by itself.
func TestDefinitions(t *testing.T) {
	src := tracegen.Ring(4, 10, 1)
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	log = append(slices.Clone(log), trace.Record{Kind: trace.KindClockProperties, Words: []uint64{1, 2, 3, 4}},
		trace.Record{Kind: trace.KindLocationProperty, Words: []uint64{1, 0, uint64(trace.ValueUint32), 5}},
		trace.Record{Kind: trace.KindLocationProperty, Words: []uint64{2, 0, uint64(trace.ValueUint32), 6}})
	region := slices.IndexFunc(log, func(r trace.Record) bool { return r.Kind == trace.KindRegion })
	shuffled := slices.Clone(log)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	type count struct{ meta, onlyA, onlyB, changed uint64 }
	for name, c := range map[string]struct {
		log  []trace.Record
		want count
	}{
		"the same":      {log, count{}},
		"another order": {shuffled, count{meta: 1}},
		"reversed":      {reversed(log), count{meta: 1}},
		"one missing":   {slices.Delete(slices.Clone(log), region, region+1), count{onlyA: 1}},
		"one more":      {append(slices.Clone(log), log[region]), count{onlyB: 1}},
		"one changed":   {changedAt(log, region, 3), count{changed: 1}},
		"another id":    {changedAt(log, region, 0), count{onlyA: 1, onlyB: 1}},
		"no id":         {changedAt(log, len(log)-3, 1), count{changed: 1}},
		"all of it":     {append(changedAt(reversed(log), 0, 3), log[region]), count{meta: 1, changed: 1, onlyB: 1}},
	} {
		r, err := Traces(context.Background(), defined{src, log}, defined{src, c.log}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := count{meta: uint64(len(r.Meta))}
		for _, p := range r.Parts {
			for _, k := range p.Kinds {
				got.onlyA, got.onlyB, got.changed = got.onlyA+k.OnlyA, got.onlyB+k.OnlyB, got.changed+k.Changed
			}
		}
		runs, err := Runs(context.Background(), defined{src, log}, defined{src, c.log}, nil)
		if err != nil || runs.Equal != r.Equal {
			t.Errorf("%s: as runs they are %+v, %v", name, runs, err)
		}
		if got != c.want || r.Equal != (c.want == count{}) {
			t.Errorf("%s: %+v, want %+v (equal: %v): %+v", name, got, c.want, r.Equal, r)
		}
	}
}

func reversed(log []trace.Record) []trace.Record {
	log = slices.Clone(log)
	slices.Reverse(log)
	return log
}

// changedAt changes a word of a definition.
func changedAt(log []trace.Record, i, word int) []trace.Record {
	log = slices.Clone(log)
	log[i].Words = slices.Clone(log[i].Words)
	log[i].Words[word] += 1000
	return log
}
