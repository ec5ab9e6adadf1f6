package columnar

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
)

// BenchmarkCalls writes the table of calls of a regular program, about 130,000 rows.
func BenchmarkCalls(b *testing.B) {
	r := stored(b, tracegen.Ring(8, 2000, 1))
	for _, f := range []Format{Parquet, Arrow, CSV} {
		b.Run(string(f), func(b *testing.B) {
			rows := int64(0)
			for b.Loop() {
				for _, file := range export(b, r, Options{Format: f, Tables: []string{"calls"}}) {
					rows += file.Rows
				}
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
