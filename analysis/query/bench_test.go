package query_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// BenchmarkQueries asks of a regular program with about 130,000 calls.
func BenchmarkQueries(b *testing.B) { benchmarkQueries(b, tracegen.Ring(8, 2000, 1)) }

// BenchmarkLargerQueries asks the same of NPB LU, 5.7 million calls.
func BenchmarkLargerQueries(b *testing.B) {
	const name = "otf2.lu.W.8"
	if !slices.Contains(tracetest.Larger(b), name) {
		b.Skipf("PANDO_TRACES has no %s", name)
	}
	src, err := convert.Open(b.Context(), tracetest.Anchor(b, name), convert.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	benchmarkQueries(b, src)
}

// benchmarkQueries asks files that were just opened: nothing of them is decoded. A window has a thousandth of the time, in the middle.
func benchmarkQueries(b *testing.B, src trace.Source) {
	file := stored.Bytes(b, src, store.Options{})
	defer query.RowsOf(query.RowsOf(query.FewEvents))
	for _, q := range []struct {
		name string
		part int64 // of how many parts of the time the window is one
		query.Query
	}{
		{"window", 1000, query.Query{Table: "calls", By: "name"}},
		{"window-by-depth", 1000, query.Query{Table: "calls", By: "depth", Show: "count(), sum(duration)"}},
		{"group", 1, query.Query{Table: "calls", By: "rank, name", Show: "count(), p99(duration)"}},
		{"nodes", 1, query.Query{Table: "calls", By: "name", Show: "count(), sum(exclusive)"}},
		{"depths", 1, query.Query{Table: "calls", By: "depth, name", Show: "count()"}},
		{"depth", 1, query.Query{Table: "calls", Where: "depth >= 1000", Show: "count()"}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				r := stored.Open(b, file)
				from, to := r.Info().First, r.Info().Last+1
				if q.part > 1 {
					from += (to - from) / 2
					to = from + (to-from)*2/q.part
				}
				p, err := query.New(b.Context(), r, r.Window(from, to), q.Query)
				if err != nil {
					b.Fatal(err)
				}
				for rows, err := range p.Rows() {
					if err != nil {
						b.Fatal(err)
					}
					rows.Release()
				}
			}
		})
	}
}
