package fingerprint_test

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// BenchmarkOf hashes the structure of all locations of a file, $PANDO_FILE if it is set: from opening, and when the dictionaries are at hand.
func BenchmarkOf(b *testing.B) {
	file := write(b, tracegen.Ring(8, 5000, 1), store.Options{})
	if path := os.Getenv("PANDO_FILE"); path != "" {
		var err error
		if file, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	hash := func(b *testing.B, r *store.Reader) {
		if _, err := fingerprint.Of(b.Context(), r, r.All(), fingerprint.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("opening", func(b *testing.B) {
		for b.Loop() {
			hash(b, open(b, file))
		}
	})
	b.Run("again", func(b *testing.B) {
		r := open(b, file)
		hash(b, r)
		for b.Loop() {
			hash(b, r)
		}
		b.ReportMetric(float64(r.Info().Events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	})
}
