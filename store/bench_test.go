package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// benchmarked returns the traces to measure with: those below $PANDO_TRACES, or else the bundled ones.
func benchmarked(b *testing.B) []string {
	if os.Getenv("PANDO_TRACES") != "" {
		return tracetest.LargerOf(b, "otf2")
	}
	return tracetest.BundledOf(b, "otf2")
}

// convertToMemory returns the file that an archive makes.
func convertToMemory(b *testing.B, name string) []byte {
	b.Helper()
	archive, err := otf2.Open(tracetest.Anchor(b, name), otf2.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer archive.Close()
	var file bytes.Buffer
	w, err := store.NewWriter(b.Context(), &file, archive.Meta(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(store.Copy(b.Context(), w, archive, nil), w.Close()); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

// BenchmarkDecode decodes all slices of a trace from memory on one core: first as far as queries need it, then to batches.
func BenchmarkDecode(b *testing.B) {
	for _, name := range benchmarked(b) {
		var slices *store.Slices
		for _, depth := range []string{"slices", "batches"} {
			b.Run(name+"/"+depth, func(b *testing.B) {
				if slices == nil {
					var err error
					if slices, err = store.LoadSlices(convertToMemory(b, name)); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := slices.Decode(depth == "batches"); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(slices.Events)*float64(b.N)/1e6/b.Elapsed().Seconds(), "Mevents/s")
			})
		}
	}
}

// BenchmarkSummary adds up the calls of windows of a share of the trace's time, with a warm cache.
func BenchmarkSummary(b *testing.B) {
	for _, name := range benchmarked(b) {
		var r *store.Reader
		for _, perMille := range []int64{1, 100} {
			b.Run(fmt.Sprintf("%s/%gpercent", name, float64(perMille)/10), func(b *testing.B) {
				if r == nil {
					file := convertToMemory(b, name)
					var err error
					// One reader serves several benchmarks, and the context of each ends with it.
					if r, err = store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{}); err != nil {
						b.Fatal(err)
					}
				}
				first, last := r.Info().First, r.Info().Last
				length := max((last-first)*perMille/1000, 1)
				places := rand.New(rand.NewPCG(1, 2))
				sum := func() {
					from := first + places.Int64N(max(last-first-length, 1))
					if _, err := r.Window(from, from+length).Summary(store.SummaryCalls); err != nil {
						b.Fatal(err)
					}
				}
				for range 100 {
					sum()
				}
				b.ReportAllocs()
				for b.Loop() {
					sum()
				}
			})
		}
	}
}

// BenchmarkMessages goes through the messages of windows of a hundredth of the trace's time: of all locations, and of one; the cache is
// too small to keep what was made of a slice.
func BenchmarkMessages(b *testing.B) {
	for _, name := range benchmarked(b) {
		file := convertToMemory(b, name)
		r, err := store.NewReader(b.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: 1 << 20})
		if err != nil {
			b.Fatal(err)
		}
		info, ids := r.Info(), stored.LocationIDs(b, r)
		for _, locations := range []int{len(ids), 1} {
			b.Run(fmt.Sprintf("%s/%d", name, locations), func(b *testing.B) {
				places := rand.New(rand.NewPCG(1, 2))
				length, found := (info.Last-info.First)/100, 0
				b.ReportAllocs()
				for b.Loop() {
					from := info.First + places.Int64N(info.Last-info.First-length)
					w := r.Window(from, from+length)
					if locations == 1 {
						w = w.WithLocations(ids[len(ids)/2])
					}
					for _, err := range w.Messages() {
						if err != nil {
							b.Fatal(err)
						}
						found++
					}
				}
				b.ReportMetric(float64(found)/float64(b.N), "messages/op")
			})
		}
	}
}

// BenchmarkConvert makes a file of an archive, in memory.
func BenchmarkConvert(b *testing.B) {
	for _, name := range benchmarked(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				convertToMemory(b, name)
			}
		})
	}
}
