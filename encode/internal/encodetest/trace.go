package encodetest

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// RandomTrace makes a trace with all kinds of events, attributes, residuals and text, and at least one event.
func RandomTrace(seed uint64) *tracegen.Trace {
	k := tracegen.RandomKnobs(seed)
	k.Processes, k.Threads, k.Length = 1+int(seed%3), 2, 200
	k.Any, k.Attributes, k.Residuals, k.Leaps = 0.3, 0.2, 0.2, 0
	k.Private = seed%2 == 0
	for ; ; seed += 1000 {
		src := tracegen.Random(seed, k)
		for _, info := range src.Streams() {
			if info.Class == trace.StreamEvents && info.Records > 0 {
				return src
			}
		}
	}
}

// Batches returns all event streams of a trace that have events.
func Batches(t testing.TB, src trace.Source) []*trace.Batch {
	t.Helper()
	var all []*trace.Batch
	for _, info := range src.Streams() {
		if info.Class == trace.StreamEvents && info.Records > 0 {
			all = append(all, ReadAll(t, src, info.StreamID))
		}
	}
	if len(all) == 0 {
		t.Fatal("a trace without events")
	}
	return all
}

// ReadAll returns all records of a stream.
func ReadAll(t testing.TB, src trace.Source, id trace.StreamID) *trace.Batch {
	t.Helper()
	s, err := src.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	b := &trace.Batch{}
	if err := s.Next(b, 1<<30); err != nil && b.Len() > 0 {
		t.Fatal(err)
	}
	return b
}

// Uvarints returns the bytes of numbers.
func Uvarints(numbers ...uint64) []byte {
	var b []byte
	for _, n := range numbers {
		b = format.AppendUvarint(b, n)
	}
	return b
}

// SomeFields visits a random part of the fields of kinds, in half of the cases none.
func SomeFields(r *rand.Rand, kinds *trace.Table, visit func(k trace.Kind, field uint16)) {
	if r.IntN(2) == 0 {
		return
	}
	for _, spec := range kinds.All() {
		for f := range spec.Fields {
			if r.IntN(3) == 0 {
				visit(spec.ID, uint16(f))
			}
		}
	}
}
