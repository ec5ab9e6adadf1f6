package query_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// row is a call as the naive loop sees it.
type row struct {
	trace.Call
	name  string
	rank  int64 // -1 for none
	start int64 // since the first event, in nanoseconds
	last  int64
	long  int64 // its duration in nanoseconds
}

// truth is a value of three-valued logic: 0 for false, 1 for null, 2 for true.
type truth int

func of(b bool) truth {
	if b {
		return 2
	}
	return 0
}

// condition is a random condition, with a function that decides it for a row.
type condition struct {
	text string
	of   func(r *row) truth
}

// atom draws a comparison, whose constants are those of a call.
func atom(t *rapid.T, rows []row) condition {
	r := rapid.SampledFrom(rows).Draw(t, "call")
	op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "operator")
	number := func(name, unit string, value int64, get func(r *row) int64) condition {
		return condition{fmt.Sprintf("%s %s %d%s", name, op, value, unit), func(r *row) truth {
			x := get(r)
			return of(map[string]bool{"<": x < value, "<=": x <= value, ">": x > value, ">=": x >= value, "==": x == value, "!=": x != value}[op])
		}}
	}
	more := rapid.Int64Range(-2, 2).Draw(t, "more")
	switch rapid.IntRange(0, 7).Draw(t, "atom") {
	case 0:
		return number("start", "ns", r.start+more, func(r *row) int64 { return r.start })
	case 1:
		return number("end", "ns", r.last+more, func(r *row) int64 { return r.last })
	case 2:
		return number("duration", "ns", r.long+more, func(r *row) int64 { return r.long })
	case 3:
		return number("depth", "", int64(r.Depth), func(r *row) int64 { return int64(r.Depth) })
	case 4:
		c := number("rank", "", r.rank, func(r *row) int64 { return r.rank })
		decide := c.of
		return condition{c.text, func(r *row) truth {
			if r.rank < 0 {
				return 1
			}
			return decide(r)
		}}
	case 5:
		return condition{fmt.Sprintf("region != %q", r.name), func(o *row) truth {
			if o.name == "" {
				return 1
			}
			return of(o.name != r.name)
		}}
	case 6:
		return condition{fmt.Sprintf("name startsWith %q", r.name[:len(r.name)/2]), func(o *row) truth {
			if o.name == "" {
				return 1
			}
			return of(strings.HasPrefix(o.name, r.name[:len(r.name)/2]))
		}}
	}
	return condition{fmt.Sprintf("location in [%d]", r.Location), func(o *row) truth { return of(o.Location == r.Location) }}
}

// draw draws a condition of several comparisons.
func draw(t *rapid.T, rows []row, depth int) condition {
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if depth == 0 || kind == 0 {
		return atom(t, rows)
	}
	a := draw(t, rows, depth-1)
	if kind == 1 {
		return condition{"!(" + a.text + ")", func(r *row) truth { return 2 - a.of(r) }}
	}
	b := draw(t, rows, depth-1)
	if kind == 2 {
		return condition{"(" + a.text + ") || (" + b.text + ")", func(r *row) truth { return max(a.of(r), b.of(r)) }}
	}
	return condition{"(" + a.text + ") && " + "(" + b.text + ")", func(r *row) truth { return min(a.of(r), b.of(r)) }}
}

// rowsOf lists all calls of a window.
func rowsOf(t stored.Failer, r *store.Reader, w *store.Window) (list []row) {
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	ranks := map[uint64]int64{}
	var ids []uint64
	locations, err := r.Locations()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range locations {
		ids = append(ids, l.ID)
	}
	for _, p := range d.Places(ids) {
		ranks[p.Location] = p.Rank
	}
	ns := func(ticks int64) int64 { return trace.Nanoseconds(ticks, r.Meta().Resolution) }
	first := r.Info().First
	for c, err := range w.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, row{c, d.RegionName(c.Region), ranks[c.Location], ns(c.Start - first), ns(c.End - first), ns(c.Duration())})
	}
	return list
}

// answer returns the rows of an answer, each as text.
func answer(t stored.Failer, r *store.Reader, w *store.Window, q query.Query) (lines []string) {
	p, err := query.New(context.Background(), r, w, q)
	if err != nil {
		t.Fatal(q, err)
	}
	for b, err := range p.Rows() {
		if err != nil {
			t.Fatal(q, err)
		}
		for i := range b.Rows {
			var line []string
			for c := range b.Vectors {
				switch v := &b.Vectors[c]; {
				case v.IsNull(i):
					line = append(line, "-")
				case len(v.Codes) > 0:
					line = append(line, p.Answer.Names[c](nil).List[v.Codes[i]])
				case len(v.Doubles) > 0:
					line = append(line, fmt.Sprint(v.Doubles[i]))
				case len(v.Bools) > 0:
					line = append(line, fmt.Sprint(v.Bools[i]))
				default:
					line = append(line, fmt.Sprint(v.Ints[i]))
				}
			}
			lines = append(lines, strings.Join(line, " "))
		}
		b.Release()
	}
	return lines
}

func TestMain(m *testing.M) {
	query.RowsOf(0) // so that nodes answer for windows of small files, too
	thrift.Main(m)
}

// TestRandomConditions holds random conditions on calls, in random windows, against a loop over the calls: what is selected, and what groups add
// up to; with the window narrowed by the condition, and without.
func TestRandomConditions(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.16.skew", "otf2.patched.mg.S.4.unknown-id", "otf2.ez.hello.4.io"} {
		r := stored.Trace(t, tracetest.Anchor(t, name))
		info := r.Info()
		all := rowsOf(t, r, r.All())
		rapid.Check(t, func(t *rapid.T) {
			w := r.All()
			if rapid.Bool().Draw(t, "window") {
				from := rapid.Int64Range(info.First, info.Last).Draw(t, "from")
				w = r.Window(from, rapid.Int64Range(from, info.Last+1).Draw(t, "to"))
			}
			c := draw(t, all, 3)
			var rows, groups []string
			count, sum := map[string]int64{}, map[string]int64{}
			for _, o := range rowsOf(t, r, w) {
				if c.of(&o) == 2 {
					rows = append(rows, fmt.Sprint(o.Location, o.Start-info.First, o.Depth))
					count[o.name]++
					sum[o.name] += o.long
				}
			}
			for name := range count {
				groups = append(groups, fmt.Sprint(strings.TrimSpace(orDash(name)), " ", count[name], " ", sum[name]))
			}
			slices.Sort(groups)
			for _, plain := range []bool{false, true} {
				q := query.Query{Table: "calls", Where: c.text, Show: "location, start_ticks, depth", Plain: plain}
				if got := answer(t, r, w, q); !slices.Equal(got, rows) {
					t.Fatalf("%s selects %d rows, and not %d (plain: %v)", c.text, len(got), len(rows), plain)
				}
				q.By, q.Show = "name", "count(), sum(duration)"
				got := answer(t, r, w, q)
				if slices.Sort(got); !slices.Equal(got, groups) {
					t.Fatalf("%s has the groups\n%v, and not\n%v (plain: %v)", c.text, got, groups, plain)
				}
			}
		})
	}
}

func orDash(name string) string {
	if name == "" {
		return "-"
	}
	return name
}
