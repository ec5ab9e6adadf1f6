package store_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// heldTrace is a trace in memory.
type heldTrace struct {
	meta        *trace.Meta
	definitions []trace.Record
	batches     []*trace.Batch // by their first event
	events      uint64
}

// hold reads an archive.
func hold(b *testing.B, name string) *heldTrace {
	b.Helper()
	archive, err := otf2.Open(tracetest.Anchor(b, name), otf2.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer archive.Close()
	h := &heldTrace{meta: archive.Meta()}
	for _, info := range archive.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := archive.Open(info.StreamID)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			batch := &trace.Batch{}
			if err = s.Next(batch, 4096); err == nil {
				h.batches, h.events = append(h.batches, batch), h.events+uint64(batch.Len())
			}
		}
		s.Close()
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
	if h.definitions, err = archive.Definitions(0); err != nil {
		b.Fatal(err)
	}
	slices.SortStableFunc(h.batches, func(x, y *trace.Batch) int { return cmp.Compare(x.Times[0], y.Times[0]) })
	return h
}

// write writes a file of it to nowhere.
func (h *heldTrace) write() error {
	w, err := store.NewWriter(context.Background(), io.Discard, h.meta, store.Options{})
	if err != nil {
		return err
	}
	if err := w.Define(h.definitions...); err != nil {
		return err
	}
	for _, b := range h.batches {
		if err := w.Append(b); err != nil {
			return err
		}
	}
	return w.Close()
}

// BenchmarkWrite writes files of traces that are in memory as batches.
func BenchmarkWrite(b *testing.B) {
	for _, name := range benchmarked(b) {
		var h *heldTrace
		b.Run(name+"/writer", func(b *testing.B) {
			if h == nil {
				h = hold(b, name)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := h.write(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(h.events)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mevents/s")
		})
	}
}
