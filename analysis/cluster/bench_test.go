package cluster_test

import (
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// BenchmarkFind clusters the locations of a file, $PANDO_FILE if it is set, from opening; before, it reads its structure alone.
func BenchmarkFind(b *testing.B) {
	file := stored.Bytes(b, tracegen.Ring(64, 500, 1), store.Options{})
	if path := os.Getenv("PANDO_FILE"); path != "" {
		var err error
		if file, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	events := stored.Open(b, file).Info().Events
	run := func(name string, do func(b *testing.B, r *store.Reader) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := do(b, stored.Open(b, file)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(events), "ns/event")
		})
	}
	run("structure", func(b *testing.B, r *store.Reader) error {
		for _, err := range r.All().Structure() {
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, by := range everything {
		run(by.String(), func(b *testing.B, r *store.Reader) error {
			_, err := cluster.Find(b.Context(), []cluster.Side{{Reader: r, Window: r.All()}}, cluster.Options{By: by})
			return err
		})
	}
}
