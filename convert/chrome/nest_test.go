package chrome

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/trace"
)

// plainCall is a call as it was: on a thread, from start to end in microseconds, in the file a slice or a begin and an end.
type plainCall struct {
	name       string
	tid        int
	start, end int
	slice      bool
	begun      int // place of its begin in the file
}

// edgeText is an event of the file.
type edgeText struct {
	tid, at int
	edge    bool // a begin or an end
	text    string
	of      int // the call that begins here, or -1 less the one that ends
}

// TestNesting writes calls that nest, many of which begin or end at the same time, as slices and as begins and ends, in an order
// that the format allows. Reading finds each call at the depth that all intervals around it make, and nothing is odd.
func TestNesting(t *testing.T) {
	ties := 0
	rapid.Check(t, func(t *rapid.T) {
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var calls []plainCall
		named := make([]bool, 3)
		for tid := range named {
			named[tid] = dice.IntN(2) == 0
			grow(dice, &calls, tid, 0, 2+dice.IntN(12), 0)
		}
		text := writeCalls(dice, calls, named)
		memory := int64(1)
		if dice.IntN(2) == 0 {
			memory = 0
		}
		a, err := openText(text, Options{Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		want, got := depths(calls), depthsRead(t, a)
		if diff := gocmp.Diff(want, got); diff != "" || len(a.Warnings()) > 0 {
			t.Fatalf("%s\n%v\n%s", text, a.Warnings(), diff)
		}
		for i := range calls[1:] {
			if calls[i].start == calls[i+1].start && calls[i].slice != calls[i+1].slice {
				ties++
			}
		}
	})
	if ties < 100 {
		t.Errorf("only %d ties", ties)
	}
}

// grow appends calls between two times of a thread: some beside each other, with others within them.
func grow(dice *rand.Rand, calls *[]plainCall, tid, from, to, depth int) {
	for from < to && depth < 5 && len(*calls) < 40 {
		start := from + dice.IntN(3)*dice.IntN(2)
		end := min(start+1+dice.IntN(to-from), to)
		if start >= end {
			return
		}
		*calls = append(*calls, plainCall{fmt.Sprint("f", len(*calls)), tid, start, end, dice.IntN(2) == 0, 0})
		if dice.IntN(4) == 0 {
			at := start + dice.IntN(end-start)
			*calls = append(*calls, plainCall{fmt.Sprint("f", len(*calls)), tid, at, at, true, 0})
		}
		if dice.IntN(4) > 0 {
			grow(dice, calls, tid, start, end, depth+1)
		}
		from = end
	}
}

// writeCalls writes calls in any order, as far as the format lets it: where ends have names, begins and ends of one time stand
// anyhow; where they have none, these stand as they nest.
func writeCalls(dice *rand.Rand, calls []plainCall, named []bool) []byte {
	var list []edgeText
	for i, c := range calls {
		head := fmt.Sprintf(`"pid":1,"tid":%d,"ts":`, c.tid)
		if c.slice {
			list = append(list, edgeText{c.tid, c.start, false, fmt.Sprintf(`{"ph":"X","name":"%s",%s%d,"dur":%d}`, c.name, head, c.start, c.end-c.start), i})
			continue
		}
		end := `{"ph":"E",` + head + fmt.Sprint(c.end) + "}"
		if named[c.tid] {
			end = fmt.Sprintf(`{"ph":"E","name":"%s",%s%d}`, c.name, head, c.end)
		}
		list = append(list, edgeText{c.tid, c.start, true, fmt.Sprintf(`{"ph":"B","name":"%s",%s%d}`, c.name, head, c.start), i}, edgeText{c.tid, c.end, true, end, -1 - i})
	}
	dice.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	nestUnnamed(list, calls, named)
	var b strings.Builder
	for i, e := range list {
		if e.of >= 0 {
			calls[e.of].begun = i
		}
		b.WriteString(",\n" + e.text)
	}
	return []byte("[" + b.String()[1:] + "]")
}

// nestUnnamed puts begins and ends without names in order of time, those of one time ends first, inner ones before outer ones, then
// begins, outer ones first. The places that they take in the list stay the same.
func nestUnnamed(list []edgeText, calls []plainCall, named []bool) {
	var at []int
	var edges []edgeText
	for i, e := range list {
		if e.edge && !named[e.tid] {
			at, edges = append(at, i), append(edges, e)
		}
	}
	slices.SortStableFunc(edges, func(a, b edgeText) int {
		if c := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(rankOf(a), rankOf(b))); c != 0 {
			return c
		}
		if a.of >= 0 {
			return cmp.Or(cmp.Compare(calls[b.of].end, calls[a.of].end), cmp.Compare(a.of, b.of))
		}
		x, y := -1-a.of, -1-b.of
		return cmp.Or(cmp.Compare(calls[y].start, calls[x].start), cmp.Compare(y, x))
	})
	for i, e := range edges {
		list[at[i]] = e
	}
}

// rankOf puts ends before begins.
func rankOf(e edgeText) int {
	if e.of < 0 {
		return 0
	}
	return 1
}

// depths lists calls with the number of those around them: all that begin no later and end no earlier, and of equal ones those that
// stand before. What begins when another ends lies behind it.
func depths(calls []plainCall) (list []string) {
	for i, c := range calls {
		depth := 0
		for j, o := range calls {
			around := o.tid == c.tid && o.start <= c.start && o.end >= c.end && o.end > c.start
			equal := o.start == c.start && o.end == c.end
			if i != j && around && (!equal || o.begun < c.begun) {
				depth++
			}
		}
		list = append(list, fmt.Sprintf("%d: %s %d to %d, depth %d", c.tid, c.name, c.start, c.end, depth))
	}
	slices.Sort(list)
	return list
}

// depthsRead lists the calls of an archive; leaves must be those of the innermost call.
func depthsRead(t tester, a *read.Archive) []string { return depthsIn(t, a, 1000) }

// depthsIn does so with times in a number of ticks.
func depthsIn(t tester, a *read.Archive, ticks int) (list []string) {
	t.Helper()
	log, _ := a.Definitions(0)
	defs := trace.NewDefinitions(log)
	for i, info := range a.Streams() {
		tid := int(a.Locations.List[a.Locations.Order[i]].Tid.Value)
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var stack []plainCall
		var b trace.Batch
		for s.Next(&b, 3) == nil {
			for i, k := range b.Kinds {
				name := defs.Name(trace.SpaceRegion, b.Fields(i)[0])
				now := int(b.Times[i]) / ticks
				if k == trace.KindEnter {
					stack = append(stack, plainCall{name: name, start: now})
					continue
				}
				n := len(stack) - 1
				if k != trace.KindLeave || n < 0 || stack[n].name != name {
					list = append(list, fmt.Sprintf("%d: %v of %s at %d in %v", tid, k, name, now, stack))
					continue
				}
				list = append(list, fmt.Sprintf("%d: %s %d to %d, depth %d", tid, name, stack[n].start, now, n))
				stack = stack[:n]
			}
		}
	}
	slices.Sort(list)
	return list
}
