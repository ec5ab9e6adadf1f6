package records

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// auxiliaryTrace makes a trace with definitions of all kinds and records in all auxiliary streams.
func auxiliaryTrace(seed uint64) *tracegen.Trace {
	k := tracegen.RandomKnobs(seed)
	k.Processes, k.Auxiliary, k.Private = 2, true, true
	return tracegen.Random(seed, k)
}

func definitionsOf(t testing.TB, src trace.Source) []trace.Record {
	t.Helper()
	defs, err := src.Definitions(0)
	if err != nil || len(defs) == 0 {
		t.Fatalf("%d definitions, %v", len(defs), err)
	}
	return defs
}

// stream is one batch of an auxiliary stream.
type stream struct {
	id    trace.StreamID
	batch *trace.Batch
}

func auxiliaryOf(t testing.TB, src trace.Source) (all []stream) {
	t.Helper()
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			all = append(all, stream{info.StreamID, encodetest.ReadAll(t, src, info.StreamID)})
		}
	}
	return all
}

func appendStreams(all []stream) (b []byte) {
	for _, s := range all {
		b = AppendBatch(b, s.id, s.batch)
	}
	return b
}

// readStreams reads batches and copies them.
func readStreams(b []byte, kinds *trace.Table) (all []stream, err error) {
	err = ReadBatches(b, kinds, func(id trace.StreamID, b *trace.Batch) error {
		own := &trace.Batch{}
		own.Reset(b.Location)
		for i := range b.Len() {
			own.AppendFrom(b, i, kinds)
		}
		own.Text = bytes.Clone(b.Text) // AppendFrom leaves out what no word refers to
		own.Words = append(own.Words[:0], b.Words...)
		all = append(all, stream{id, own})
		return nil
	})
	return all, err
}

func TestBatchesComeBack(t *testing.T) {
	records := 0
	for seed := range uint64(20) {
		src := auxiliaryTrace(seed)
		kinds := src.Meta().Table()
		want := auxiliaryOf(t, src)
		for i, b := range encodetest.Batches(t, encodetest.RandomTrace(seed)) { // attributes and residuals
			want = append(want, stream{trace.StreamID{Class: trace.StreamSnapshots, Location: uint64(i)}, b})
		}
		b := appendStreams(want)
		got, err := readStreams(b, kinds)
		if err != nil || len(got) != len(want) {
			t.Fatalf("seed %d: %d of %d batches, %v", seed, len(got), len(want), err)
		}
		for i := range want {
			if got[i].id != want[i].id || got[i].batch.Len() != want[i].batch.Len() {
				t.Fatalf("seed %d: stream %v of %d records, want %v of %d", seed, got[i].id, got[i].batch.Len(), want[i].id, want[i].batch.Len())
			}
			for j := range want[i].batch.Len() {
				records++
				if a, b := model.RecordOf(want[i].batch, j, kinds), model.RecordOf(got[i].batch, j, kinds); !reflect.DeepEqual(a, b) {
					t.Fatalf("seed %d: record %d of %v is %+v, want %+v", seed, j, want[i].id, b, a)
				}
			}
		}
		if !bytes.Equal(appendStreams(got), b) {
			t.Fatalf("seed %d: what was read is written in another way", seed)
		}
	}
	if records < 1000 {
		t.Errorf("only %d records", records)
	}
}

func TestBatchesRefuse(t *testing.T) {
	start := uint64(trace.KindSnapshotStart)
	good := append([]byte{byte(trace.StreamSnapshots)}, encodetest.Uvarints(7, 1, start, 4, 6, 1, 99, 1, 5, 8, 10, 0)...)
	all, err := readStreams(good, trace.Standard)
	if err != nil || all[0].batch.Times[0] != 2 || all[0].batch.Residual(0) != 3 || all[0].batch.AttrsOf(0)[0] != (trace.Attr{ID: 5, Type: 8, Value: 10}) {
		t.Fatalf("the model of all others: %+v, %v", all, err)
	}
	for name, b := range map[string][]byte{
		"events":                     append([]byte{byte(trace.StreamEvents)}, good[1:]...),
		"more records than bytes":    append([]byte{2}, encodetest.Uvarints(7, 99, start, 4, 6, 1, 99, 0, 0)...),
		"too few words":              append([]byte{2}, encodetest.Uvarints(7, 1, start, 4, 6, 0, 0, 0)...),
		"more words than bytes":      append([]byte{2}, encodetest.Uvarints(7, 1, start, 4, 6, 99, 0, 0)...),
		"more attributes than bytes": append([]byte{2}, encodetest.Uvarints(7, 1, start, 4, 6, 1, 99, 99, 5, 8, 10, 0)...),
		"an unknown kind":            append([]byte{2}, encodetest.Uvarints(7, 1, 0x7777, 4, 6, 0, 0, 0)...),
		"text that is not there":     append([]byte{3}, encodetest.Uvarints(7, 1, uint64(trace.KindMarker), 4, 6, 6, 0, 0, 0, 0, 0, 1, 0, 0)...),
		"half of a batch":            good[:9],
		"half of a second one":       append(bytes.Clone(good), good[:9]...),
	} {
		_, err := readStreams(b, trace.Standard)
		if corrupt, ok := err.(*format.CorruptError); !ok || corrupt.Section != auxiliarySection {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop := errors.New("stop")
	if err := ReadBatches(good, trace.Standard, func(trace.StreamID, *trace.Batch) error { return stop }); err != stop {
		t.Errorf("the caller's error became %v", err)
	}
}
