package fingerprint_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// symbols are the string of a location in a window, expanded: the names of regions, those of leaves behind a slash.
func symbols(t stored.Failer, r *store.Reader, w *store.Window) map[uint64][]string {
	t.Helper()
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	all := map[uint64][]string{}
	for b, err := range w.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range b.Kinds {
			s := all[b.Location]
			switch kind {
			case trace.KindEnter, trace.KindCallingContextEnter, trace.KindLeave, trace.KindCallingContextLeave:
				region := b.Fields(i)[0]
				if kind == trace.KindCallingContextEnter || kind == trace.KindCallingContextLeave {
					if c, ok := defs.Contexts[region]; ok {
						region = c.Region
					} else {
						region = trace.Undefined
					}
				}
				name := defs.RegionName(region)
				if kind == trace.KindLeave || kind == trace.KindCallingContextLeave {
					name = "/" + name
				}
				s = append(s, name)
			}
			all[b.Location] = s
		}
	}
	return all
}

// hashed is the hash of a string, symbol by symbol.
func hashed(bases content.Bases, s []string) (h content.Hash) {
	for _, name := range s {
		symbol := content.SymbolsOf(name).Enter
		if name[0] == '/' {
			symbol = content.SymbolsOf(name[1:]).Leave
		}
		h = h.Then(bases.Symbol(symbol))
	}
	return h
}

// drawWindow draws a window of a trace: all of it, or a part, whose ends cut slices.
func drawWindow(t *rapid.T, r *store.Reader) *store.Window {
	info := r.Info()
	if rapid.Bool().Draw(t, "all") || info.Last-info.First < 2 {
		return r.All()
	}
	from := rapid.Int64Range(info.First, info.Last).Draw(t, "from")
	return r.Window(from, rapid.Int64Range(from, info.Last+1).Draw(t, "to"))
}

// The hash of a location is that of its expanded string, in any window, however the file is divided; hashes of two locations are equal if
// their strings are.
func TestOf(t *testing.T) {
	compared, parts := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		r := stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawn.Options(t))
		w := drawWindow(t, r)
		if ids := stored.LocationIDs(t, r); len(ids) > 0 && rapid.Bool().Draw(t, "some") {
			w = w.WithLocations(rapid.SampledFrom(ids).Draw(t, "location"))
		}
		opt := fingerprint.Options{Memory: rapid.SampledFrom([]int64{1, 0}).Draw(t, "memory")}
		got, err := fingerprint.Of(context.Background(), r, w, opt)
		if err != nil {
			t.Fatal(err)
		}
		want := symbols(t, r, w)
		if len(got) != len(want) {
			t.Fatalf("%d locations, want %d", len(got), len(want))
		}
		for i, l := range got {
			if h := hashed(content.Random(), want[l.ID]); l.Hash != h {
				t.Fatalf("location %d: %v, want %v", l.ID, l.Hash, h)
			}
			for _, o := range got[:i] {
				if same := slices.Equal(want[l.ID], want[o.ID]); same != (l.Hash == o.Hash) {
					t.Fatalf("locations %d and %d: equal strings %v, equal hashes %v", l.ID, o.ID, same, !same)
				}
			}
			compared++
			parts += int(l.Hash.N)
		}
	})
	if compared < 10 || parts < 200 {
		t.Errorf("%d locations of %d symbols in all: this tests little", compared, parts)
	}
}

// renumbered is a trace whose regions have other numbers.
type renumbered struct{ trace.Source }

func other(region uint64) uint64 { return region*7 + 1000 }

func (r renumbered) Definitions(from int) ([]trace.Record, error) {
	log, err := r.Source.Definitions(from)
	log = slices.Clone(log)
	for i, d := range log {
		log[i].Words = slices.Clone(d.Words)
		switch {
		case len(d.Words) < 2:
		case d.Kind == trace.KindRegion:
			log[i].Words[0] = other(d.Words[0])
		case d.Kind == trace.KindCallingContext:
			log[i].Words[1] = other(d.Words[1])
		}
	}
	return log, err
}

func (r renumbered) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := r.Source.Open(id)
	return renumberedStream{s}, err
}

type renumberedStream struct{ trace.Stream }

func (s renumberedStream) Next(b *trace.Batch, most int) error {
	err := s.Stream.Next(b, most)
	for i, k := range b.Kinds {
		if k == trace.KindEnter || k == trace.KindLeave {
			b.Fields(i)[0] = other(b.Fields(i)[0])
		}
	}
	return err
}

// mustBeAlike checks that the locations of two files have the same hashes, in order.
func mustBeAlike(t *testing.T, a, b *store.Reader) {
	t.Helper()
	var hashes [2][]content.Hash
	for i, r := range []*store.Reader{a, b} {
		all, err := fingerprint.Of(t.Context(), r, r.All(), fingerprint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			hashes[i] = append(hashes[i], l.Hash)
		}
	}
	if len(hashes[0]) == 0 || !slices.Equal(hashes[0], hashes[1]) {
		t.Errorf("%v, want %v", hashes[1], hashes[0])
	}
}

// The numbers of regions do not count.
func TestNumbersOfRegions(t *testing.T) {
	plain, err := otf2.Open(tracetest.Anchor(t, "otf2.mg.S.16.skew"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	mustBeAlike(t, stored.Source(t, plain, store.Options{}), stored.Source(t, renumbered{plain}, store.Options{SliceEvents: 500}))
}

// Nor does the format that a trace has been through.
func TestFormats(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(4, 200, 1), store.Options{})
	path := filepath.Join(t.TempDir(), "ring.json")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(chrome.Write(t.Context(), f, r, r.All(), chrome.ExportOptions{}), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	src, err := chrome.Open(t.Context(), path, chrome.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	mustBeAlike(t, r, stored.Source(t, src, store.Options{}))
}

// Work ends with the context, and progress comes to the number of events.
func TestProgressAndContext(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(4, 200, 1), store.Options{SliceEvents: 100})
	done := int64(0)
	if _, err := fingerprint.Of(t.Context(), r, r.All(), fingerprint.Options{Progress: func(n, _ int64) { done = n }}); err != nil || done != int64(r.Info().Events) {
		t.Errorf("%d of %d events (%v)", done, r.Info().Events, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := fingerprint.Of(ctx, r, r.All(), fingerprint.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the context is done", err)
	}
}
