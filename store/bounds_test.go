package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Whatever a trace and the options are, the writer stays within the limits of the reader.
func TestWriterStaysWithinLimits(t *testing.T) {
	low := format.Limits{SliceEvents: 90, LaneEvents: 40, SliceValues: 900, LaneValues: 400}
	defer store.LowerLimits(low)()
	lanes, slices := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		opt := store.Options{SliceEvents: 1 + r.IntN(200), LaneLocations: 1 + r.IntN(4), PageLocations: 1 + r.IntN(5), Fanout: 2 + r.IntN(8), Workers: 1 + r.IntN(2)}
		k := tracegen.RandomKnobs(seed)
		k.Length = min(k.Length, 100)
		file := write(t, tracegen.Random(seed, k), opt)
		reader, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Limits: low})
		if err != nil {
			t.Fatal(err)
		}
		report, err := reader.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
		if err == nil {
			err = report.Err()
		}
		for _, wrong := range reader.All().Batches() { // of all lanes together
			if err == nil {
				err = wrong
			}
		}
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, optionsName(opt), err)
		}
		slices += int(reader.Info().Slices)
		lanes = max(lanes, int(reader.Info().Lanes))
	}
	if slices < 100 || lanes < 3 {
		t.Errorf("only %d slices and %d lanes", slices, lanes)
	}
}

// What cannot be divided is not written.
func TestWriterRefusesWhatNoReaderTakes(t *testing.T) {
	deep := func(b *trace.Batch) {
		for i := range int64(30) {
			b.Append(trace.KindEnter, i, 0)
		}
	}
	for says, c := range map[string]struct {
		limits format.Limits
		events func(b *trace.Batch)
	}{
		"an event with more than": {format.Limits{LaneValues: 8}, func(b *trace.Batch) {
			b.Append(trace.KindMetric, 1, 0, 3, uint64(trace.ValueUint64), 1, uint64(trace.ValueUint64), 2, uint64(trace.ValueUint64), 3)
		}},
		"calls contain each other":    {format.Limits{NodeItems: 20}, deep},
		"more than 1 locations":       {format.Limits{Locations: 1}, func(b *trace.Batch) { b.Append(trace.KindEnter, 1, 0) }},
		"parts: no reader takes":      {format.Limits{DictionaryShapes: 1}, deep},
		"bytes: no reader takes more": {format.Limits{BlockBytes: 60}, deep},
	} {
		src := tracegen.New(trace.Meta{})
		c.events(src.Location(0, src.Process("process")))
		src.Location(1, src.Process("another"))
		restore := store.LowerLimits(c.limits)
		w, err := store.NewWriter(t.Context(), &bytes.Buffer{}, src.Meta(), store.Options{Workers: 1})
		if err == nil {
			err = store.Copy(t.Context(), w, src, nil)
		}
		if err == nil {
			err = w.Close()
		}
		restore()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, should say %q", err, says)
		}
	}
	_, err := store.NewWriter(t.Context(), &bytes.Buffer{}, &trace.Meta{}, store.Options{SliceEvents: 2_796_203})
	if err == nil || !strings.Contains(fmt.Sprint(err), "2796202 at most") {
		t.Errorf("slices of 2796203 events: %v", err)
	}
}
