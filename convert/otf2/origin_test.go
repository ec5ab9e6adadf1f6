package otf2

import (
	"context"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// sooner is a trace all of whose times are earlier by some ticks, from an epoch of its own on. One location has no clock.
type sooner struct {
	trace.Source
	by        int64
	epoch     uint64
	unclocked uint64
}

func (s *sooner) Meta() *trace.Meta {
	meta := *s.Source.Meta()
	meta.Epoch = s.epoch
	return &meta
}

// inSource is what a time of the source is less.
func (s *sooner) inSource() uint64 { return s.Source.Meta().Epoch - s.epoch + uint64(s.by) }

func (s *sooner) Definitions(from int) ([]trace.Record, error) {
	defs, err := s.Source.Definitions(from)
	defs = slices.Clone(defs)
	for i := range defs {
		if d := &defs[i]; d.Kind == trace.KindClockProperties {
			d.Words = slices.Clone(d.Words)
			d.Words[1] = s.epoch
		}
	}
	return defs, err
}

func (s *sooner) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class == trace.StreamLocalDefinitions && id.Location == s.unclocked {
		return noRecords{}, nil
	}
	stream, err := s.Source.Open(id)
	return &soonerStream{stream, s, id}, err
}

type noRecords struct{}

func (noRecords) Next(b *trace.Batch, _ int) error { b.Reset(0); return io.EOF }
func (noRecords) Close() error                     { return nil }

type soonerStream struct {
	trace.Stream
	of *sooner
	id trace.StreamID
}

func (s *soonerStream) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	table := s.of.Meta().Table()
	if s.id.Location == s.of.unclocked {
		b.Residuals = b.Residuals[:0]
	}
	for i, k := range b.Kinds {
		if s.id.Class == trace.StreamEvents || s.id.Class == trace.StreamSnapshots {
			b.Times[i] -= s.of.by
		}
		words := b.Fields(i)
		if k == trace.KindClockOffset {
			words[0] -= s.of.inSource()
		}
		for f, field := range table.Spec(k).Fields {
			if field.Type == trace.TypeTime {
				words[f] -= uint64(s.of.by)
			}
		}
	}
	return err
}

// Traces from archives that begin before tick 0 go there and back whole: times, residuals of clocks, snapshots, markers, and definitions.
func TestEarlyArchives(t *testing.T) {
	for name, by := range map[string]int64{"otf2.mg.S.16.skew": 1 << 39, "otf2.mg.S.8.snapmark": 1 << 40, "otf2.ez.hello.4.io": 1 << 61} {
		a, err := Open(tracetest.Anchor(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		src := &sooner{Source: a, by: by, epoch: 1 << 38 % uint64(by)}
		want := modelOf(t, src)
		back := thereAndBack(t, src, len(a.Warnings()))
		got := modelOf(t, back)
		if got.Meta.Epoch != src.epoch || !slices.Equal(got.Meta.Properties, want.Meta.Properties) {
			t.Errorf("%s: epoch %d, properties %v, want %d, %v", name, got.Meta.Epoch, got.Meta.Properties, src.epoch, want.Meta.Properties)
		}
		sameTrace(t, want, got)
		noNegativeStamps(t, back)
		sameTrace(t, want, modelOf(t, thereAndBack(t, back, len(a.Warnings()))))
	}
}

// Traces of other formats that begin before tick 0 come back with the same times, to the least and greatest that there are.
func TestEarlyTimes(t *testing.T) {
	moved := 0
	for seed := range uint64(30) {
		k := tracegen.RandomKnobs(seed)
		k.Any, k.Private, k.Auxiliary, k.Late, k.Undeclared, k.Residuals, k.Leaps = 0, false, false, false, false, 0, 0
		k.Start = []int64{-500, -1 << 40, -1 << 61, 0}[seed%4]
		k.Processes, k.Step, k.Messages, k.Contexts, k.Attributes = max(k.Processes, 1), min(k.Step, 1000), 0, false, 0
		want := modelOf(t, tracegen.Random(seed, k))
		back := thereAndBack(t, tracegen.Random(seed, k), math.MaxInt)
		got := modelOf(t, back)
		for i := range want.Locations {
			sameTimes(t, want.Locations[i], got.Locations[i], want.Meta.Epoch-got.Meta.Epoch)
		}
		if first, _, ok := want.Span(); ok && first < 0 && uint64(-first) > want.Meta.Epoch {
			moved++
			noNegativeStamps(t, back)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if moved < 10 {
		t.Errorf("only %d traces begin before tick 0", moved)
	}
}

func modelOf(t *testing.T, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// thereAndBack writes an archive, with at most the given number of warnings, and opens it.
func thereAndBack(t *testing.T, src trace.Source, warnings int) *Archive {
	t.Helper()
	anchor := filepath.Join(t.TempDir(), "new [1]", "traces[*.otf2")
	if told, err := Write(context.Background(), src, anchor, WriteOptions{}); err != nil || len(told) > warnings {
		t.Fatal(err, told)
	}
	a, err := Open(anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// noNegativeStamps checks that a reader that knows nothing of origins finds times from 0 on.
func noNegativeStamps(t *testing.T, a *Archive) {
	t.Helper()
	before, meta := a.Origin, a.Description
	a.Origin, a.Description = form.Origin{}, &trace.Meta{}
	defer func() { a.Origin, a.Description = before, meta }()
	least := int64(math.MaxInt64)
	for _, info := range a.Streams() {
		if info.Class != trace.StreamEvents && info.Class != trace.StreamSnapshots {
			continue
		}
		s, err := a.OpenFile(info.StreamID)
		if err != nil {
			continue // it has no file
		}
		var b trace.Batch
		for s.Clock = nil; s.Next(&b, 100) == nil; {
			least = min(least, b.Times[0])
		}
		s.Close()
	}
	if least < 0 || before.Moved == 0 {
		t.Errorf("the least time stamp is %d, of times that are moved by %d", least, before.Moved)
	}
}

func sameTrace(t *testing.T, want, got *model.Trace) {
	t.Helper()
	record := func(a, b model.Record) bool {
		return a.Kind == b.Kind && a.Time == b.Time && a.Residual == b.Residual && slices.Equal(a.Words, b.Words) && slices.Equal(a.Attrs, b.Attrs)
	}
	if len(want.Locations) != len(got.Locations) || len(want.Auxiliary) != len(got.Auxiliary) || len(want.Definitions.Log) != len(got.Definitions.Log) {
		t.Fatalf("%d locations, %d streams, %d definitions, want %d, %d, %d", len(got.Locations), len(got.Auxiliary), len(got.Definitions.Log),
			len(want.Locations), len(want.Auxiliary), len(want.Definitions.Log))
	}
	for i, l := range want.Locations {
		if g := got.Locations[i]; !slices.EqualFunc(l.Events, g.Events, record) {
			t.Errorf("location %d has other events: %d, want %d; the first %+v, want %+v", l.ID, len(g.Events), len(l.Events), g.Events[0], l.Events[0])
		}
	}
	for i, s := range want.Auxiliary {
		if g := got.Auxiliary[i]; g.ID != s.ID || !slices.EqualFunc(s.Records, g.Records, record) {
			t.Errorf("stream %v has other records: %+v, want %+v", s.ID, g.Records, s.Records)
		}
	}
	for i, d := range want.Definitions.Log {
		if g := got.Definitions.Log[i]; g.Kind != d.Kind || !slices.Equal(g.Words, d.Words) {
			t.Errorf("definition %d is %v, want %v", i, g, d)
		}
	}
}

// sameTimes compares the events that an archive can hold; later is how much later the archive's epoch is.
func sameTimes(t *testing.T, want, got model.Location, earlier uint64) {
	t.Helper()
	at := 0
	for _, e := range want.Events {
		if form.EventGrammar.IdOf(e.Kind) == 0 || e.Kind == trace.KindUnknownEvent {
			continue
		}
		if at == len(got.Events) {
			t.Fatalf("location %d has only %d events", got.ID, at)
		}
		if g := got.Events[at]; g.Kind != e.Kind || uint64(g.Time) != uint64(e.Time)+earlier {
			t.Fatalf("location %d: event %d is %v at %d, want %v at %d", got.ID, at, g.Kind, g.Time, e.Kind, uint64(e.Time)+earlier)
		}
		at++
	}
}

// A property of the name that can be no origin is one like others.
func TestNoOrigin(t *testing.T) {
	for value, want := range map[string]form.Origin{
		"5 7": {Moved: 5, Offset: 7}, "4611686018427387904 18446744073709551615": {Moved: 1 << 62, Offset: math.MaxUint64},
		"": {}, "5": {}, "5 7 9": {}, "0 7": {}, "-5 7": {}, "05 7": {}, "5 x": {}, "4611686018427387905 0": {}, "18446744073709551616 0": {},
	} {
		a := &form.Anchor{Properties: []trace.Property{{Name: "x", Value: "y"}, {Name: form.OriginProperty, Value: value}}}
		o := a.TakeOrigin()
		if o != want || (len(a.Properties) == 1) != (want != form.Origin{}) || a.Properties[0].Name != "x" {
			t.Errorf("%q: %v, properties %v", value, o, a.Properties)
		}
	}
}

// Whatever a property of the name says, it is an origin that writes the very same, or stays a property.
func FuzzOrigin(f *testing.F) {
	for _, value := range []string{"5 7", "0 0", "-1 2", "4611686018427387904 18446744073709551615", "+5 7", "5  7", "5 7 ", "0x5 7", ""} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		a := &form.Anchor{Properties: []trace.Property{{Name: form.OriginProperty, Value: value}}}
		switch o := a.TakeOrigin(); {
		case o == (form.Origin{}):
			if len(a.Properties) != 1 {
				t.Errorf("%q is lost", value)
			}
		case len(a.Properties) != 0 || o.Property().Value != value || o.Moved > form.MaxSpan:
			t.Errorf("%q: %+v, properties %v", value, o, a.Properties)
		}
	})
}
