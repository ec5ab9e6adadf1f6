package fingerprint_test

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// benchmarked returns a file with hashes: $PANDO_FILE, if it is set and has some.
func benchmarked(b *testing.B) []byte {
	file := stored.Bytes(b, tracegen.Ring(8, 5000, 1), store.Options{Hashes: true})
	if path := os.Getenv("PANDO_FILE"); path != "" {
		var err error
		if file, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	return file
}

// BenchmarkOf hashes the structure of all locations of a file: from opening, and when the dictionaries are at hand.
func BenchmarkOf(b *testing.B) {
	file := benchmarked(b)
	hash := func(b *testing.B, r *store.Reader) {
		if _, err := fingerprint.Of(b.Context(), r, r.All(), fingerprint.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("opening", func(b *testing.B) {
		for b.Loop() {
			hash(b, stored.Open(b, file))
		}
	})
	b.Run("again", func(b *testing.B) {
		r := stored.Open(b, file)
		hash(b, r)
		for b.Loop() {
			hash(b, r)
		}
		b.ReportMetric(float64(r.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	})
}

// BenchmarkCompare compares a file with itself, from opening: by stored hashes, and by the structure of its events.
func BenchmarkCompare(b *testing.B) {
	file := benchmarked(b)
	for name, distrust := range map[string]bool{"stored": false, "made": true} {
		b.Run(name, func(b *testing.B) {
			read := int64(0)
			for b.Loop() {
				var sides [2]fingerprint.Side
				for i := range sides {
					r := stored.Open(b, file)
					sides[i] = fingerprint.Side{Reader: r, Window: r.All()}
				}
				if _, err := fingerprint.Compare(b.Context(), sides[0], sides[1], fingerprint.Options{Distrust: distrust}); err != nil {
					b.Fatal(err)
				}
				read = sides[0].Reader.BytesRead()
			}
			b.ReportMetric(float64(read), "bytes/file")
		})
	}
}

// BenchmarkFirstDifference finds where a file and seven tenths of it differ, from opening: on each location another place.
func BenchmarkFirstDifference(b *testing.B) {
	file := benchmarked(b)
	for name, distrust := range map[string]bool{"stored": false, "made": true} {
		b.Run(name, func(b *testing.B) {
			read := int64(0)
			for b.Loop() {
				whole, part := stored.Open(b, file), stored.Open(b, file)
				first, last := part.Info().First, part.Info().Last
				x, y := fingerprint.Side{Reader: whole, Window: whole.All()}, fingerprint.Side{Reader: part, Window: part.Window(first, first+(last-first)/10*7)}
				if d, err := fingerprint.FirstDifference(b.Context(), x, y, fingerprint.Options{Distrust: distrust}); err != nil || d == nil {
					b.Fatal(d, err)
				}
				read = whole.BytesRead() + part.BytesRead()
			}
			b.ReportMetric(float64(read), "bytes")
		})
	}
}
