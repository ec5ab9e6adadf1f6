package calltree_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// naiveTexts writes down the calls of each location of a window, down to some levels.
func (s *subject) naiveTexts(w model.Window, levels int) map[uint64]string {
	inside := map[model.EventID][]*trace.Call{}
	outermost := map[uint64][]*trace.Call{}
	kept := map[model.EventID]bool{}
	for i := range s.calls {
		c := &s.calls[i]
		if c.Start >= w.To || c.End < w.From || w.Locations != nil && !slices.Contains(w.Locations, c.Location) {
			continue
		}
		kept[model.EventID{Location: c.Location, Ordinal: c.Ordinal}] = true
		parent := model.EventID{Location: c.Location, Ordinal: c.Parent}
		if kept[parent] {
			inside[parent] = append(inside[parent], c)
		} else {
			outermost[c.Location] = append(outermost[c.Location], c)
		}
	}
	texts := map[uint64]string{}
	var write func(b *strings.Builder, list []*trace.Call, levels int)
	write = func(b *strings.Builder, list []*trace.Call, levels int) {
		b.WriteByte('(')
		for i := 0; i < len(list) && levels > 0; i++ {
			c := list[i]
			b.WriteString(s.model.RegionName(c.Region))
			write(b, inside[model.EventID{Location: c.Location, Ordinal: c.Ordinal}], levels-1)
		}
		b.WriteByte(')')
	}
	for location, list := range outermost {
		var b strings.Builder
		write(&b, list, levels)
		texts[location] = b.String()
	}
	return texts
}

// textOf writes down a call of a forest.
func textOf(b *strings.Builder, f *calltree.Forest, n calltree.Node) {
	b.WriteString(f.NameOf(f.Name(n)))
	b.WriteByte('(')
	runs, _ := f.Flat(n, math.MaxInt)
	for _, r := range runs {
		for range r.Count {
			textOf(b, f, r.Node)
		}
	}
	b.WriteByte(')')
}

func read(t fatal, f *calltree.Forest, r *store.Reader, w model.Window, opt calltree.ReadOptions) []calltree.Location {
	t.Helper()
	window := r.Window(w.From, w.To)
	if w.Locations != nil {
		window = window.WithLocations(w.Locations...)
	}
	list, err := f.Read(context.Background(), r, window, opt)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// checkStructure compares the structure of a window with the model's.
func (s *subject) checkStructure(t fatal, f *calltree.Forest, w model.Window) []calltree.Location {
	t.Helper()
	return s.checkLevels(t, f, w, 0)
}

// checkLevels compares some levels of it, 0 for all.
func (s *subject) checkLevels(t fatal, f *calltree.Forest, w model.Window, levels int) []calltree.Location {
	t.Helper()
	return s.checkOptions(t, f, w, calltree.ReadOptions{Levels: levels})
}

func (s *subject) checkOptions(t fatal, f *calltree.Forest, w model.Window, opt calltree.ReadOptions) []calltree.Location {
	t.Helper()
	want := s.naiveTexts(w, cmp.Or(opt.Levels, math.MaxInt))
	list := read(t, f, s.reader, w, opt)
	if len(list) != len(want) {
		t.Fatalf("%d locations have calls, not %d", len(list), len(want))
	}
	for _, l := range list {
		var b strings.Builder
		textOf(&b, f, l.Root)
		if b.String() != want[l.ID] {
			t.Fatalf("location %d, window %d to %d:\n%s\nnot\n%s", l.ID, w.From, w.To, b.String(), want[l.ID])
		}
	}
	return list
}

// The structure of random traces is that of the model, in any window.
func TestReadRandomTraces(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		seed := rapid.Uint64().Draw(f, "seed")
		s := newSubject(t, f, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawOptions(f))
		forest := calltree.NewForest()
		s.checkStructure(f, forest, model.Window{From: math.MinInt64, To: math.MaxInt64})
		s.checkStructure(f, forest, drawWindow(f, s.model))
		s.checkLevels(f, forest, drawWindow(f, s.model), rapid.IntRange(1, 5).Draw(f, "levels"))
	})
}

// Messages are calls that end as they begin, if they are wanted: the structure is that of a trace which has such calls in their place.
func TestReadMessages(t *testing.T) {
	messages, fixed, varying := 0, 0, 0
	rapid.Check(t, func(f *rapid.T) {
		seed := rapid.Uint64().Draw(f, "seed")
		s := newSubject(t, f, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawOptions(f))
		s.model = s.model.MessagesAsCalls()
		s.calls = s.model.Calls()
		for i := range s.calls {
			if name := s.model.RegionName(s.calls[i].Region); strings.HasPrefix(name, "send to ") || strings.HasPrefix(name, "receive from ") {
				messages++
			}
		}
		forest := calltree.NewForest()
		for range 3 {
			events := forest.Events(s.definitions(f), nil)
			events.AddMessages()
			s.checkOptions(t, forest, drawWindow(f, s.model), calltree.ReadOptions{Events: events, Levels: rapid.IntRange(0, 5).Draw(f, "levels")})
			switch {
			case events.Vary():
				varying++
			case forest.HasMessages():
				fixed++
			}
		}
	})
	if messages == 0 || fixed == 0 || varying == 0 {
		t.Errorf("%d messages; %d windows have peers in the structure, in %d they vary: this tests nothing", messages, fixed, varying)
	}
}

func (s *subject) definitions(t fatal) *trace.Definitions {
	defs, err := s.reader.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	return defs
}

// Repeated calls are folded in other ways where slices begin elsewhere: their structure has the same numbers all the same.
func TestReadIsCanonical(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		src := drawLoops(f)
		forest := calltree.NewForest()
		w := model.Window{From: math.MinInt64, To: math.MaxInt64}
		s := newSubject(t, f, src, drawOptions(f))
		s.checkLevels(f, forest, w, rapid.IntRange(1, 8).Draw(f, "levels"))
		first := s.checkStructure(f, forest, w)
		again := read(f, forest, stored.Source(f, src, drawOptions(f)), w, calltree.ReadOptions{})
		for i := range first {
			if first[i].Root != again[i].Root {
				f.Fatalf("location %d has the numbers %d and %d", first[i].ID, first[i].Root, again[i].Root)
			}
		}
	})
}

// Real traces have the model's structure.
func TestReadRealTraces(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.8.snapmark", "otf2.amg.8.piece"} {
		t.Run(name, func(t *testing.T) {
			src := openSource(t, name)
			s := newSubject(t, t, src, store.Options{SliceEvents: 3000})
			w := model.Window{From: math.MinInt64, To: math.MaxInt64}
			s.checkStructure(t, calltree.NewForest(), w)
			for _, levels := range []int{1, 3, 7} {
				s.checkLevels(t, calltree.NewForest(), w, levels)
			}
		})
	}
}

// A forest has a limit for its memory, and reading ends with the context.
func TestReadLimits(t *testing.T) {
	s := newSubject(t, t, tracegen.Recursion(100_000, 1), store.Options{})
	w := s.reader.Window(math.MinInt64, math.MaxInt64)
	var memory *calltree.MemoryError
	if _, err := calltree.NewForest().Read(t.Context(), s.reader, w, calltree.ReadOptions{Memory: 1 << 20}); !errors.As(err, &memory) {
		t.Errorf("100,000 different calls in 1 MiB: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := calltree.NewForest().Read(ctx, s.reader, w, calltree.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func openSource(t *testing.T, name string) trace.Source {
	t.Helper()
	src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}
