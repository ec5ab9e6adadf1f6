package rules_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// truth is a value of three-valued logic.
type truth int

const (
	no truth = iota
	null
	yes
)

func of(b bool) truth {
	if b {
		return yes
	}
	return no
}

// item is a row of a table, as the naive loop sees it: times in nanoseconds since the first event. null has no place in numbers and names.
type item struct {
	location uint64
	ordinal  uint64
	time     int64 // in ticks
	numbers  map[string]int64
	times    map[string]int64
	names    map[string]string
	stack    []uint64
}

// where names a row.
func (r *item) where() string {
	return fmt.Sprint("location ", r.location, " event ", r.ordinal, " at ", r.time, " in ", r.stack)
}

// naive has the rows of two tables, made by the model.
type naive struct {
	calls, messages []item
}

func naiveOf(t testing.TB, src trace.Source) *naive {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := m.Span()
	ns := func(ticks int64) int64 { return trace.Nanoseconds(ticks, src.Meta().Resolution) }
	ranks := map[uint64]int64{}
	d := trace.NewDefinitions(nil)
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	d.Add(log)
	var ids []uint64
	for _, s := range src.Streams() {
		ids = append(ids, s.Location)
	}
	for _, p := range d.Places(ids) {
		if p.Rank >= 0 {
			ranks[p.Location] = p.Rank
		}
	}
	put := func(to map[string]int64, name string, location uint64) {
		if rank, ok := ranks[location]; ok {
			to[name] = rank
		}
	}
	n := &naive{}
	byOrdinal := map[[2]uint64]trace.Call{}
	for _, c := range m.Calls() {
		byOrdinal[[2]uint64{c.Location, c.Ordinal}] = c
	}
	for _, c := range m.Calls() {
		r := item{location: c.Location, ordinal: c.Ordinal, time: c.Start, names: map[string]string{}, numbers: map[string]int64{"depth": int64(c.Depth), "location": int64(c.Location)}}
		r.times = map[string]int64{"start": ns(c.Start - first), "end": ns(c.End - first), "duration": ns(c.Duration())}
		put(r.numbers, "rank", c.Location)
		if name := d.RegionName(c.Region); name != "" {
			r.names["name"] = name
		}
		for up := c; up.Parent != trace.Undefined; {
			up = byOrdinal[[2]uint64{up.Location, up.Parent}]
			r.stack = append([]uint64{up.Region}, r.stack...)
		}
		n.calls = append(n.calls, r)
	}
	for _, x := range m.Match().Messages {
		r := item{location: x.SendLocation, ordinal: x.SendOrdinal, time: x.SendTime, numbers: map[string]int64{
			"tag": int64(x.Tag), "send_bytes": int64(x.SendLength), "send_location": int64(x.SendLocation), "receive_location": int64(x.ReceiveLocation),
		}}
		r.times = map[string]int64{"send": ns(x.SendTime - first), "receive": ns(x.ReceiveTime - first), "latency": ns(x.ReceiveTime - x.SendTime)}
		put(r.numbers, "send_rank", x.SendLocation)
		put(r.numbers, "receive_rank", x.ReceiveLocation)
		n.messages = append(n.messages, r)
	}
	return n
}

// condition is a random condition, with a function that decides it for a row.
type condition struct {
	text string
	of   func(r *item) truth
}

func number(op, name, unit string, value int64, get func(r *item) (int64, bool)) condition {
	return condition{fmt.Sprintf("%s %s %d%s", name, op, value, unit), func(r *item) truth {
		x, ok := get(r)
		if !ok {
			return null
		}
		c := cmp.Compare(x, value)
		return of(map[string]bool{"<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0, "==": c == 0, "!=": c != 0}[op])
	}}
}

// atom draws a comparison, whose constants are those of a row.
func atom(t *rapid.T, rows []item, numbers, times []string) condition {
	r := rapid.SampledFrom(rows).Draw(t, "row")
	op := rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "operator")
	kind := rapid.IntRange(0, 3).Draw(t, "atom")
	if name, ok := r.names["name"]; ok && kind == 0 {
		return condition{fmt.Sprintf("region != %q", name), func(o *item) truth {
			if o.names["name"] == "" {
				return null
			}
			return of(o.names["name"] != name)
		}}
	}
	if kind == 1 {
		name := rapid.SampledFrom(numbers).Draw(t, "column")
		return condition{name + " == nil", func(o *item) truth { _, ok := o.numbers[name]; return of(!ok) }}
	}
	if kind == 2 {
		name := rapid.SampledFrom(times).Draw(t, "column")
		more := rapid.Int64Range(-2, 2).Draw(t, "more")
		return number(op, name, "ns", r.times[name]+more, func(o *item) (int64, bool) { return o.times[name], true })
	}
	name := rapid.SampledFrom(numbers).Draw(t, "column")
	return number(op, name, "", r.numbers[name], func(o *item) (int64, bool) { x, ok := o.numbers[name]; return x, ok })
}

// draw draws a condition of several comparisons.
func draw(t *rapid.T, depth int, atom func() condition) condition {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if depth == 0 || kind == 0 {
		return atom()
	}
	a := draw(t, depth-1, atom)
	if kind == 1 {
		return condition{"!(" + a.text + ")", func(r *item) truth { return yes - a.of(r) }}
	}
	b := draw(t, depth-1, atom)
	if kind == 2 {
		return condition{"(" + a.text + ") && (" + b.text + ")", func(r *item) truth { return min(a.of(r), b.of(r)) }}
	}
	return condition{"(" + a.text + ") || (" + b.text + ")", func(r *item) truth { return max(a.of(r), b.of(r)) }}
}

// pair draws a condition that most rows fulfil which are unlike a row in two columns.
func pair(t *rapid.T, rows []item, numbers []string, c condition) condition {
	r := rapid.SampledFrom(rows).Draw(t, "alike")
	for range 2 {
		a, name := c, rapid.SampledFrom(numbers).Draw(t, "column")
		b := number("!=", name, "", r.numbers[name], func(o *item) (int64, bool) { x, ok := o.numbers[name]; return x, ok })
		c = condition{"(" + a.text + ") || " + b.text, func(r *item) truth { return max(a.of(r), b.of(r)) }}
	}
	return c
}

// What breaks random rules is what a naive loop finds: how often on which location, and which rows, in what calls; with the window narrowed by the
// rule, and without.
func TestRandomRules(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.16.skew", "otf2.patched.mg.S.4.unknown-id", "otf2.ez.hello.4.io"} {
		src, err := convert.Open(t.Context(), tracetest.Anchor(t, name), convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := naiveOf(t, src)
		r := stored.Source(t, src, store.Options{})
		src.Close()
		if len(n.calls) == 0 {
			t.Fatal(name, "has no calls")
		}
		rapid.Check(t, func(t *rapid.T) {
			table, rows, numbers, times := "calls", n.calls, []string{"depth", "location", "rank"}, []string{"start", "end", "duration"}
			if len(n.messages) > 0 && rapid.Bool().Draw(t, "messages") {
				table, rows, numbers = "messages", n.messages, []string{"tag", "send_bytes", "send_location", "receive_location", "send_rank", "receive_rank"}
				times = []string{"send", "receive", "latency"}
			}
			one := func() condition { return atom(t, rows, numbers, times) }
			c := draw(t, 3, one)
			if rapid.IntRange(0, 3).Draw(t, "pair") == 0 {
				c = pair(t, rows, numbers, c)
			}
			for _, plain := range []bool{false, true} {
				checkRule(t, r, table, c, rows, plain)
			}
		})
	}
}

func checkRule(t *rapid.T, r *store.Reader, table string, c condition, rows []item, plain bool) {
	counts, broken := map[uint64]uint64{}, map[string]bool{}
	for i := range rows {
		if c.of(&rows[i]) == no {
			counts[rows[i].location]++
			broken[rows[i].where()] = true
		}
	}
	rule, err := rules.Parse(table + ": " + c.text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rules.Find(t.Context(), r, r.All(), []*rules.Rule{rule}, rules.Options{Limit: 5, Plain: plain})
	if err != nil {
		t.Fatal(c.text, err)
	}
	found := map[uint64]uint64{}
	for _, n := range got.Counts {
		found[n.Location] = n.N
	}
	if !maps.Equal(found, counts) {
		t.Fatalf("%s is broken %v times by location, want %v (plain: %v)", rule.Text(), found, counts, plain)
	}
	if len(got.Findings) != min(5, len(broken)) {
		t.Fatalf("%s: %d findings of %d", rule.Text(), len(got.Findings), len(broken))
	}
	for _, f := range got.Findings {
		at := item{location: f.Location, ordinal: f.Event, time: f.Time, stack: f.Stack}
		if table == "messages" {
			at.stack = nil // not in the naive rows
		}
		if !broken[at.where()] {
			t.Fatalf("%s: %s breaks no rule (plain: %v)", rule.Text(), at.where(), plain)
		}
	}
	if table == "calls" && !slices.IsSortedFunc(got.Findings, func(a, b rules.Finding) int { return cmp.Compare(a.Time, b.Time) }) {
		t.Fatalf("%s: findings are not in order of time", rule.Text())
	}
}
