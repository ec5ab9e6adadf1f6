package columnar

import (
	"io"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
)

// BenchmarkCalls writes the table of calls of a regular program, about 130,000 rows, to nowhere.
func BenchmarkCalls(b *testing.B) {
	benchmarkCalls(b, storedIn(b, tracegen.Ring(8, 2000, 1), 0))
}

// BenchmarkLargerCalls does the same with NPB LU, 5.7 million rows.
func BenchmarkLargerCalls(b *testing.B) {
	const name = "otf2.lu.W.8"
	if !slices.Contains(tracetest.Larger(b), name) {
		b.Skipf("PANDO_TRACES has no %s", name)
	}
	benchmarkCalls(b, storedIn(b, bundled(b, name), 0))
}

func benchmarkCalls(b *testing.B, r *store.Reader) {
	x, err := New(r)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range Formats() {
		b.Run(string(f), func(b *testing.B) {
			rows := int64(0)
			for b.Loop() {
				written, err := x.Write(b.Context(), io.Discard, "calls", Options{Format: f, Whole: true})
				if err != nil {
					b.Fatal(err)
				}
				rows += written.Rows
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
