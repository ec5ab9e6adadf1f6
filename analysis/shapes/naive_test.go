package shapes_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Classes, their times and their unusual calls are those of subtrees written as text, in any window and however the file is divided.
func TestRandom(t *testing.T) {
	found := map[shapes.Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		r := stored.Source(t, src, drawn.Options(t))
		w := &model.Window{From: math.MinInt64, To: math.MaxInt64}
		if info := r.Info(); info.Last-info.First > 1 && rapid.Bool().Draw(t, "part") {
			w.From = rapid.Int64Range(info.First, info.Last).Draw(t, "from")
			w.To = rapid.Int64Range(w.From, info.Last+1).Draw(t, "to")
		}
		n := rapid.SampledFrom([]int{0, 1, 3, 1000}).Draw(t, "unusual")
		a, err := shapes.Of(context.Background(), r, r.Window(w.From, w.To), shapes.Options{Unusual: n, Waits: true})
		if err != nil {
			t.Fatal(err)
		}
		mustMatch(t, a, m, w, n)
		for i := range a.Unusual {
			found[a.Unusual[i].Kind]++
		}
	})
	if found[shapes.Long] == 0 {
		t.Errorf("the unusual calls are %v", found)
	}
}

// naive is a class as the model has it.
type naive struct {
	calls         []trace.Call
	region        string
	durations     []int64
	owns          []int64
	median, spred int64
	order         map[uint64]int // of locations
}

// sooner orders calls by start, location in the order of definition, and event.
func (n *naive) sooner(a, b trace.Call) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(n.order[a.Location], n.order[b.Location]), cmp.Compare(a.Ordinal, b.Ordinal))
}

// naiveOf returns the classes of the model, by text.
func naiveOf(m *model.Trace, w *model.Window, levels int) map[string]*naive {
	name := func(c *trace.Call) string { return m.Definitions.RegionName(c.Region) }
	all, order := map[string]*naive{}, map[uint64]int{}
	for i := range m.Locations {
		order[m.Locations[i].ID] = i
	}
	for text, like := range m.Shapes(w, m.Calls(), name, 64, levels) {
		n := &naive{calls: like.Calls, region: name(&like.Calls[0]), order: order}
		for _, c := range like.Calls {
			n.durations, n.owns = append(n.durations, c.Duration()), append(n.owns, c.Exclusive)
		}
		n.median = middle(n.owns)
		n.spred = max(deviation(n.owns), 1)
		all[text] = n
	}
	return all
}

func middle(list []int64) int64 {
	return slices.Sorted(slices.Values(list))[(len(list)-1)/2]
}

func deviation(list []int64) int64 {
	m := middle(list)
	var off []int64
	for _, v := range list {
		off = append(off, max(v-m, m-v))
	}
	return middle(off)
}

// mustMatch holds an answer against the model.
func mustMatch(t stored.Failer, a *shapes.Answer, m *model.Trace, w *model.Window, most int) {
	t.Helper()
	want := naiveOf(m, w, []int{1 << 20, 1, 0}[a.Level])
	if len(want) != len(a.Classes) {
		t.Fatal(fmt.Sprintf("%d classes, not %d", len(a.Classes), len(want)))
	}
	prints, total := map[uint64]bool{}, 0
	for i := range a.Classes {
		c, text := &a.Classes[i], a.Structure(i, 0)
		n := want[text]
		if n == nil {
			t.Fatal(fmt.Sprintf("there is no class %s", text))
		}
		prints[c.Fingerprint] = true
		total += len(n.calls)
		if got, want := described(c), n.described(); got != want {
			t.Fatal(fmt.Sprintf("%s: %s, not %s", text, got, want))
		}
	}
	if len(prints) != len(a.Classes) {
		t.Fatal(fmt.Sprintf("%d classes have %d fingerprints", len(a.Classes), len(prints)))
	}
	cut := 0
	for _, c := range m.Calls() {
		if c.Start < w.To && (c.End >= w.From) && (c.Start < w.From || c.End >= w.To || c.Flags&trace.CallOpen != 0) {
			cut++
		}
	}
	if a.Cut != uint64(cut) {
		t.Fatal(fmt.Sprintf("%d calls are cut, not %d", a.Cut, cut))
	}
	var got []string
	for i := range a.Unusual {
		u := &a.Unusual[i]
		got = append(got, fmt.Sprintf("%d %d %s off %d", u.Location, u.Event, u.Kind, u.Excess()))
	}
	if expect := unusual(want, most); !slices.Equal(got, expect) {
		t.Fatal(fmt.Sprintf("the unusual calls are %q, not %q", got, expect))
	}
}

func described(c *shapes.Class) string {
	return fmt.Sprint(c.Region, c.Calls, c.Locations, c.Measured, c.First.Location, c.First.Event, c.Duration, c.Own)
}

func (n *naive) described() string {
	first := slices.MinFunc(n.calls, n.sooner)
	places := map[uint64]bool{}
	for _, c := range n.calls {
		places[c.Location] = true
	}
	return fmt.Sprint(n.region, len(n.calls), len(places), len(n.calls), first.Location, first.Ordinal, timesOf(n.durations), timesOf(n.owns))
}

func timesOf(list []int64) shapes.Times {
	s := slices.Sorted(slices.Values(list))
	n := len(s) - 1
	t := shapes.Times{Least: s[0], Median: s[n/2], P90: s[n*9/10], P99: s[n*99/100], Largest: s[n], MAD: deviation(list)}
	for _, v := range list {
		t.Sum = t.Sum.Plus(trace.SumOf(v))
	}
	return t
}

// unusual lists the calls that differ most from what is usual.
func unusual(all map[string]*naive, most int) (lines []string) {
	type call struct {
		trace.Call
		kind shapes.Kind
		off  int64
		of   *naive
	}
	var list []call
	total := map[string]int{}
	for _, n := range all {
		total[n.region] += len(n.calls)
	}
	for _, n := range all {
		usual := n
		rare := len(n.calls) < shapes.Least && len(n.calls)*shapes.Rare <= total[n.region]
		if len(n.calls) < shapes.Least && !rare {
			continue
		}
		if rare {
			usual = commonest(all, n.region)
		}
		for _, c := range n.calls {
			x := call{c, shapes.Long, c.Exclusive - usual.median, n}
			if x.off < 0 {
				x.kind = shapes.Short
			}
			if rare {
				x.kind = shapes.RareCall
			} else if max(x.off, -x.off) <= shapes.Deviations*usual.spred {
				continue
			}
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b call) int {
		return cmp.Or(cmp.Compare(max(b.off, -b.off), max(a.off, -a.off)), a.of.sooner(a.Call, b.Call))
	})
	for _, x := range list[:min(most, len(list))] {
		lines = append(lines, fmt.Sprintf("%d %d %s off %d", x.Location, x.Ordinal, x.kind, x.off))
	}
	return lines
}

// commonest returns the class of a region with most calls; of equal ones, that with most exclusive time, else that which comes first.
func commonest(all map[string]*naive, region string) (best *naive) {
	first := func(n *naive) trace.Call { return slices.MinFunc(n.calls, n.sooner) }
	for _, n := range all {
		if n.region == region && (best == nil || cmp.Or(cmp.Compare(len(n.calls), len(best.calls)), timesOf(n.owns).Sum.Cmp(timesOf(best.owns).Sum), n.sooner(first(best), first(n))) > 0) {
			best = n
		}
	}
	return best
}

// With too little memory for the classes they become coarser, and are those of the model; the answer is the same however the file is divided and
// however many processors there are.
func TestLittleMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	levels := map[shapes.Level]bool{}
	for seed := range uint64(12) {
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		m, err := model.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []int64{1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 17, 1 << 20} {
			var before string
			for _, o := range []store.Options{{}, {SliceEvents: 20, LaneLocations: 1, EpochSlices: 2}} {
				r := stored.Source(t, src, o)
				for _, cores := range []int{1, 2, 4} {
					runtime.GOMAXPROCS(cores)
					a, err := shapes.Of(t.Context(), r, r.All(), shapes.Options{Unusual: 3, Memory: memory})
					if err != nil {
						continue // of calls that are open at once: which, depends on nothing but the memory
					}
					levels[a.Level] = true
					now := fmt.Sprintf("%+v %+v", a.Level, a.Unusual)
					for i := range a.Classes {
						c := &a.Classes[i]
						now += a.Structure(i, 0) + described(c)
					}
					if before != "" && now != before {
						t.Errorf("seed %d, %d bytes: %.2000s\nis not\n%.2000s", seed, memory, now, before)
					}
					before = now
					want := naiveOf(m, &model.Window{From: math.MinInt64, To: math.MaxInt64}, []int{1 << 20, 1, 0}[a.Level])
					for i := range a.Classes {
						c, n := &a.Classes[i], want[a.Structure(i, 0)]
						if n == nil || uint64(len(n.calls)) != c.Calls || timesOf(n.durations).Sum != c.Duration.Sum {
							t.Errorf("seed %d: class %s of %d calls is not the model's", seed, a.Structure(i, 0), c.Calls)
						}
					}
				}
			}
		}
	}
	if len(levels) != 3 {
		t.Errorf("the levels are %v", levels)
	}
}
