package query_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// Columns of parents are those of the row that has the parent's number, in any window and with any conditions; at depth 0 they are null.
func TestParents(t *testing.T) {
	k := tracegen.RandomKnobs(11)
	k.Processes, k.Threads, k.Length, k.Recursion, k.Contexts, k.Start = 3, 2, 400, 4, true, 0
	for name, r := range map[string]*store.Reader{
		"skew": stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.16.skew")), "random": stored.Source(t, tracegen.Random(11, k), store.Options{SliceEvents: 64}),
	} {
		const columns = "call, name, rank, depth, start, duration_ticks, exclusive, open"
		all := answer(t, r, r.All(), query.Query{Table: "calls", Show: columns})
		byCall := map[string]string{}
		for _, row := range all {
			number, _, _ := strings.Cut(row, " ")
			byCall[number] = row
		}
		info := r.Info()
		rapid.Check(t, func(t *rapid.T) {
			w := r.All()
			if rapid.Bool().Draw(t, "within") {
				from := rapid.Int64Range(info.First, info.Last).Draw(t, "from")
				w = r.Window(from, rapid.Int64Range(from, info.Last).Draw(t, "to"))
			}
			q := query.Query{Table: "calls", Show: "parent, " + columns + ", parent." + strings.ReplaceAll(columns, ", ", ", parent.")}
			q.Where = rapid.SampledFrom([]string{"", "rank == 1", "duration > 100ns", "name contains \"a\"", "parent.name contains \"a\"", "parent.region == \"main\" || depth == 0",
				"parent.duration > 4 * duration && rank != 0", "parent.depth == 1 && duration >= 10ns"}).Draw(t, "where")
			rows := answer(t, r, w, q)
			plain := q
			plain.Plain = true
			if want := answer(t, r, w, plain); fmt.Sprint(rows) != fmt.Sprint(want) {
				t.Fatalf("%s: %d rows, and %d of all", q.Where, len(rows), len(want))
			}
			for _, row := range rows {
				parent, rest, _ := strings.Cut(row, " ")
				own := byCall[strings.Fields(rest)[0]]
				want, ok := byCall[parent]
				if !ok {
					want = strings.TrimSpace(strings.Repeat("- ", strings.Count(columns, ",")+1))
				}
				if rest != own+" "+want {
					t.Fatalf("%s: %s: row %s, want %s", name, q.Where, rest, own+" "+want)
				}
			}
		})
	}
}
