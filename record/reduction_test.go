package record

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
	"pgregory.net/rapid"
)

const regions = 9

// run is a random program with a recorder and the naive one beside it.
type run struct {
	naive
	r       *Recorder
	l       *Location
	handles []Region
	clock   uint64
	steers  float64                      // how often it is steered
	note    func(what string, of ...any) // writes down what happens
	deepest int
	marking
}

func start(t testing.TB, dir string, opt Options) *run { return startBehind(t, dir, opt, 0) }

// startBehind is start for a run that has defined other regions before, so that its own have larger numbers.
func startBehind(t testing.TB, dir string, opt Options, others int) *run {
	t.Helper()
	opt.Monotonic = true
	r, err := Start(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	x := &run{naive: naive{t: 1 << 50}, r: r, deepest: 40, clock: 1 << 50, note: func(string, ...any) {}}
	r.given = func() uint64 { return x.clock }
	for i := range others {
		r.Region(fmt.Sprint("other ", i))
	}
	for i := range regions {
		x.handles = append(x.handles, r.Region(fmt.Sprint("region ", i)))
	}
	x.l = r.Location("main")
	r.Metric("load", "1")
	x.marker = r.Marker("group", "category", SeverityHigh)
	return x
}

// tagOf is one of few, so that messages are like others, or one of many.
func tagOf(clock uint64) int {
	if clock%3 == 0 {
		return int(clock % 1000)
	}
	return int(clock % 5)
}

// act does one random thing.
func (x *run) act(rng *rand.Rand, sends, metrics float64) {
	x.t += 1 + uint64(rng.ExpFloat64()*float64(uint64(1)<<rng.IntN(14)))
	x.clock = x.t
	switch p := rng.Float64(); {
	case p < sends && x.clock%8 == 5:
		x.mark()
	case p < sends:
		if x.attend(); !x.paused && x.skipping == 0 {
			if x.clock%4 == 0 {
				x.event(happening{x.t, trace.KindMpiRequestTest, fmt.Sprint([]uint64{x.clock / 16})})
			} else {
				x.event(happening{x.t, trace.KindMpiSend, fmt.Sprintf("[1 0 %d 80]", tagOf(x.clock))})
			}
		} else if x.skipping > 0 {
			x.missed++
		}
		x.note("s")
		if x.clock%4 == 0 {
			x.l.Event(20, x.clock/16)
		} else {
			x.l.Send(World, 1, tagOf(x.clock), 80)
		}
	case p < sends+metrics:
		if x.attend(); !x.paused && x.skipping == 0 {
			x.events = append(x.events, happening{x.t, trace.KindMetric, "[0 1 4 5]"})
		} else if x.skipping > 0 {
			x.missed++
		}
		x.note("m")
		x.l.Metric(0, 5)
	case p > 1-x.steers:
		x.steer(rng)
	case len(x.open) == 0 || len(x.open) < x.deepest && rng.IntN(2) == 0:
		region := rng.IntN(regions)
		x.attend()
		x.enter(region)
		x.note("e", region)
		x.l.Enter(x.handles[region])
	default:
		x.leave()
		x.note("l")
		x.l.Leave()
	}
}

// filters are rules, and the regions that they leave out.
var filters = []struct {
	rules   string
	leftOut func(region int) bool
}{
	{"", nil},
	{"!region 3", func(r int) bool { return r == 3 }},
	{"!region 3; ?region 3", func(r int) bool { return r == 3 }},
	{"region 1; *4", func(r int) bool { return r != 1 && r != 4 }},
	{"!*; *; !region 5", func(r int) bool { return r == 5 }},
}

// rhythms are phases, and how many calls of regions there are for one that is recorded.
var rhythms = []struct {
	rules Phases
	every map[int]int
}{
	{"", nil},
	{"", nil},
	{"region 4=every:3", map[int]int{4: 3}},
	{" ?egion 1 =every:2; region 6=every:10;region 3=every:1", map[int]int{1: 2, 6: 10, 3: 1}},
}

// steer pauses, resumes, or puts another filter into force; by the recorder's own functions, or as another process does.
func (x *run) steer(rng *rand.Rand) {
	wanted, n := []uint32{wantPause, wantResume, wantRules, wantRules | wantPause, wantRules | wantResume}[rng.IntN(5)], rng.IntN(len(filters))
	outside := rng.IntN(2)
	x.note("c", outside, wanted, n)
	switch rules := filters[n].rules; {
	case outside == 0:
		x.r.control.steer(wanted, rules)
	default:
		m := x.r.mem
		clear(m[atRules:headSize])
		copy(m[atRules:], rules)
		binary.LittleEndian.PutUint32(m[atWanted:], wanted)
		binary.LittleEndian.PutUint32(m[atAsked:], 1+binary.LittleEndian.Uint32(m[atAsked:]))
		atomic.OrUint32(x.r.control.attention, requestWaits)
		x.l.attend()
	}
	if wanted&wantRules != 0 {
		x.leftOut = filters[n].leftOut
	}
	if wanted&(wantPause|wantResume) != 0 {
		x.paused = wanted&wantPause != 0
	}
	x.changed = x.changed || x.paused || x.leftOut != nil
	if outside == 1 {
		x.attend()
	}
}

// What is left is exactly what the recorder says: calls of at least some duration, and those with events inside.
func TestKeepsTheLongest(t *testing.T) {
	checkReduction(t, "", func(c *naiveCall, g *GivenUp) bool { return c.end-c.start >= g.Below })
}

// So it is with the other reductions: what is left are calls of the upper levels, the first ones of each region, or those of some regions.
func TestReductions(t *testing.T) {
	none := ^uint64(0)
	ofClasses := func(class map[int]int, others int) func(*naiveCall, *GivenUp) bool {
		return func(c *naiveCall, g *GivenUp) bool {
			n, named := class[c.region]
			if !named {
				n = others
			}
			return g.Below != none && (n > g.Classes || n == 0 && c.end-c.start >= g.Below)
		}
	}
	for _, r := range []struct {
		by   Reduction
		keep func(*naiveCall, *GivenUp) bool
	}{
		{Level, func(c *naiveCall, g *GivenUp) bool { return g.Below != none && (g.Level == 0 || c.depth < g.Level) }},
		{Occurrence, func(c *naiveCall, g *GivenUp) bool {
			return g.Below != none && (g.Later == 0 || uint64(c.ordinal) < g.Later)
		}},
		{Classes("?egion 2", "paradigm:mpi", " *5", "region 7; region 2"), ofClasses(map[int]int{2: 1, 5: 3, 7: 4}, 0)},
		{Classes("region 8", "region 1", "region 3", "region 0", "region 6", "paradigm:user"), ofClasses(map[int]int{8: 1, 1: 2, 3: 3, 0: 4, 6: 5}, 6)},
	} {
		t.Run(string(r.by), func(t *testing.T) { checkReduction(t, r.by, r.keep) })
	}
}

// checkReduction runs random programs, and holds what is left of them to what the recorder says that it gave up: keep tells it of a call without events inside.
func checkReduction(t *testing.T, by Reduction, keep func(*naiveCall, *GivenUp) bool) {
	reduced, stopped, restored, partly, skipped := 0, 0, 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		budget := rapid.IntRange(minBudget, 1<<20).Draw(rt, "budget")
		events := rapid.IntRange(0, 60_000).Draw(rt, "events")
		sends := rapid.SampledFrom([]float64{0, 0.001, 0.2}).Draw(rt, "sends")
		whole := rapid.Bool().Draw(rt, "whole")
		filter := rapid.SampledFrom(filters).Draw(rt, "filter")
		phases := rapid.SampledFrom(rhythms).Draw(rt, "phases")
		x := start(t, t.TempDir(), Options{Budget: budget, Filter: filter.rules, By: by, Phases: phases.rules})
		x.deepest = rapid.SampledFrom([]int{40, 250}).Draw(rt, "deepest")
		x.leftOut, x.changed = filter.leftOut, filter.leftOut != nil
		x.steers, x.every = rapid.SampledFrom([]float64{0, 0.001, 0.02}).Draw(rt, "steers"), phases.every
		rng := rand.New(rand.NewPCG(seed, 1))
		for range events {
			x.act(rng, sends, 0.05)
		}
		for whole && len(x.open) > 0 {
			x.t += rng.Uint64N(500) + 1
			x.clock = x.t
			x.leave()
			x.l.Leave()
		}
		x.t++
		x.clock = x.t
		g := x.r.GivenUp()
		if err := x.r.Close(); err != nil {
			t.Fatal(err)
		}
		end := ^uint64(0)
		if g.After != 0 {
			end, stopped = g.After, stopped+1
		}
		if g.Reductions > 0 {
			reduced++
		}
		for i := range x.calls { // calls that end after the recording stopped are open
			if c := &x.calls[i]; c.end >= end {
				c.end = 0
			}
		}
		locations, totals, a := heldBy(t, x.r.Path())
		got, warnings, all := slices.Concat(locations...), a.Warnings(), x.totals()
		kept := func(c *naiveCall) bool { return c.protected || keep(c, &g) }
		if g.Reductions > 0 && g.Below != 1<<64-1 && slices.ContainsFunc(x.calls, func(c naiveCall) bool { return c.end != 0 && !c.protected && keep(&c, &g) }) {
			partly++
		}
		want := x.expect(kept, func(h happening) bool { return h.kind != trace.KindMetric || !g.Metrics })
		for len(want) > 0 && want[len(want)-1].time >= end {
			want = want[:len(want)-1]
		}
		compare(t, got, want)
		if g.After == 0 && !maps.Equal(totals, all) {
			t.Fatalf("totals %v, not %v", totals, all)
		}
		if told := len(warnings) == 1 && warnings[0].Kind == "markers that were left out"; len(warnings) > 0 && !told || told != (x.lost > 0) {
			t.Fatal(warnings)
		}
		if x.skipped > 0 {
			skipped++
		}
		if x.checkLoss(t, a, &g, kept) {
			restored++
		}
	})
	if skipped < 10 {
		t.Errorf("%d runs had phases that others stand for", skipped)
	}
	if restored < 5 {
		t.Errorf("%d runs had sums of all calls", restored)
	}
	if reduced < 10 || stopped == 0 || partly < 5 {
		t.Errorf("%d runs were reduced, of which %d kept calls without events inside; %d stopped", reduced, partly, stopped)
	}
}

// checkLoss holds what the trace declares to be lost against what the recorder gave up, and reports whether sums of all calls are known: what is kept and the deviations add up to
// the sums of all calls.
func (x *run) checkLoss(t *testing.T, a *recording.Archive, g *GivenUp, kept func(*naiveCall) bool) bool {
	t.Helper()
	var want []trace.Bound
	filtered, most := uint64(0), uint64(0)
	for _, every := range x.every {
		if x.skipped > 0 {
			most = max(most, uint64(every))
		}
	}
	if x.changed {
		filtered = 1
	}
	for _, r := range []struct {
		reason trace.LeftReason
		bound  uint64
	}{{trace.LeftShort, g.Below}, {trace.LeftFiltered, filtered}, {trace.LeftLevel, uint64(g.Level)}, {trace.LeftClass, uint64(g.Classes)}, {trace.LeftLater, g.Later}, {trace.LeftPhases, most}} {
		if r.bound > 0 {
			want = append(want, trace.CallsBound(r.reason, r.bound))
		}
	}
	if got := a.Meta().Loss.Calls(); !slices.Equal(got, want) {
		t.Fatalf("the trace says that calls are left out for %v, and the recorder %v", got, want)
	}
	left := trace.Property{Name: "recording.left_out", Value: fmt.Sprintf("%d phases with %d messages and other events", x.skipped, x.missed)}
	if told := slices.Contains(a.Meta().Properties, left); told != (x.skipped > 0) {
		t.Fatalf("properties %v, of %s", a.Meta().Properties, left.Value)
	}
	lost := len(want) > 0
	list, known := a.Deviations()
	if !known {
		if lost && len(x.open) == 0 && g.After == 0 {
			t.Fatal("the sums of a whole run are not known")
		}
		return false
	}
	sums := x.sumsKept(kept)
	for _, d := range list {
		s := sums[d.Region]
		sums[d.Region] = [3]int64{s[0] + int64(d.Count), s[1] + d.Exclusive, s[2] + d.Inclusive}
	}
	all := x.totals()
	for region, s := range sums {
		if w := all[region]; s != [3]int64{int64(w[0]), int64(w[1]), int64(w[2])} {
			t.Fatalf("region %d adds up to %v, not %v", region, s, w)
		}
	}
	if len(sums) != len(all) {
		t.Fatalf("sums of %d regions, not %d", len(sums), len(all))
	}
	return true
}

// A flight recorder has all that ended within its horizon.
func TestKeepsTheLast(t *testing.T) {
	gone := 0
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		budget := rapid.IntRange(minBudget, 1<<20).Draw(rt, "budget")
		events := rapid.IntRange(0, 60_000).Draw(rt, "events")
		x := start(t, t.TempDir(), Options{Budget: budget, Mode: Last, Phases: rhythms[len(rhythms)-1].rules})
		x.steers = 0.002
		x.every = rhythms[len(rhythms)-1].every
		rng := rand.New(rand.NewPCG(seed, 1))
		for range events {
			x.act(rng, 0.02, 0.02)
		}
		x.t++ // an event within a tick of the one before has the time of the next tick
		x.clock = x.t
		g := x.r.GivenUp()
		x.r.Close()
		if g.Before > 0 {
			gone++
		}
		got, totals, _ := held(t, x.r.Path())
		compare(t, got, x.expect(func(c *naiveCall) bool { return c.end >= g.Before }, func(h happening) bool { return h.time >= g.Before }))
		if !maps.Equal(totals, x.totals()) {
			t.Fatalf("totals %v, not %v", totals, x.totals())
		}
	})
	if gone < 10 {
		t.Errorf("%d runs had a horizon", gone)
	}
}
