package waits_test

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/store"
)

// BenchmarkCritical finds the critical path of a file, PANDO_FILE, from opening it.
func BenchmarkCritical(b *testing.B) {
	path := os.Getenv("PANDO_FILE")
	if path == "" {
		b.Skip("PANDO_FILE names no Pando file")
	}
	for b.Loop() {
		r, err := store.Open(b.Context(), path, store.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		x, err := waits.Of(b.Context(), r, r.All(), waits.Options{Critical: true})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(x.Critical.Steps), "steps")
		b.ReportMetric(float64(len(x.Groups)), "groups")
		r.Close()
	}
}
