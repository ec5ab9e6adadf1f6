package contrast_test

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// fatal is what tests and rapid have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// subject is a file with the naive model of its trace.
type subject struct {
	contrast.Side
	model *model.Trace
	calls []trace.Call
}

func newSubject(t fatal, name string, src trace.Source, opt store.Options) *subject {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	r := stored.Source(t, src, opt)
	return &subject{contrast.Side{Name: name, Reader: r, Window: r.Window(math.MinInt64, math.MaxInt64)}, m, m.Calls()}
}

// statement is a call of a program, with the calls inside of it. It ends with its location if it is never left.
type statement struct {
	region int
	times  int
	inside []*statement
	open   bool
	// distance is that of a message instead of a call, 0 for none: a send if it is even, else a receive.
	distance int
}

func drawProgram(t *rapid.T, depth int) (list []*statement) {
	for range rapid.IntRange(0, 4).Draw(t, "statements") {
		s := &statement{region: rapid.IntRange(0, 4).Draw(t, "region"), times: rapid.IntRange(1, 4).Draw(t, "times"), open: rapid.IntRange(0, 30).Draw(t, "open") == 0}
		if depth > 0 {
			s.inside = drawProgram(t, depth-1)
		}
		list = append(list, s)
	}
	return list
}

// withMessages returns a program with messages between its calls.
func withMessages(t *rapid.T, list []*statement) (out []*statement) {
	for _, s := range list {
		c := *s
		c.inside = withMessages(t, s.inside)
		if out = append(out, &c); rapid.IntRange(0, 2).Draw(t, "message") == 0 {
			out = append(out, &statement{distance: rapid.IntRange(1, 6).Draw(t, "distance"), times: rapid.IntRange(1, 3).Draw(t, "messages")})
		}
	}
	return out
}

// edited returns a program with some changes.
func edited(t *rapid.T, list []*statement) (out []*statement) {
	for _, s := range list {
		c := *s
		switch rapid.IntRange(0, 12).Draw(t, "edit") {
		case 0:
			continue
		case 1:
			c.region = rapid.IntRange(0, 6).Draw(t, "region")
		case 2:
			c.times++
		case 3:
			out = append(out, &statement{region: 6, times: 1, inside: []*statement{s}})
			continue
		case 4:
			out = append(out, edited(t, s.inside)...)
			continue
		}
		c.inside = edited(t, s.inside)
		out = append(out, &c)
	}
	return out
}

// run returns a trace of a program on some locations, with times at random.
func run(t *rapid.T, programs [][]*statement) trace.Source { return timed(t, programs, 0) }

// drawPrograms returns programs of some locations, and those of another run, some of which are edited.
func drawPrograms(t *rapid.T, draw func() []*statement) (programs, others [][]*statement) {
	for range rapid.IntRange(1, 3).Draw(t, "locations") {
		p := draw()
		other := p
		if rapid.Bool().Draw(t, "edited") {
			other = edited(t, p)
		}
		programs, others = append(programs, p), append(others, other)
	}
	return programs, others
}

// ring are the locations of the communicator of all programs.
var ring = []uint64{0, 1, 2, 3, 4, 5, 6, 7}

// timed returns it with at least some ticks between two events.
func timed(t *rapid.T, programs [][]*statement, least int64) trace.Source {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	src.Define(trace.KindClockProperties, 1_000_000_000, 0, 1, trace.Undefined)
	var regions []uint64
	for _, name := range []string{"a", "b", "c", "d", "a", "e", "f"} {
		regions = append(regions, src.Region(name))
	}
	process := src.Process("process")
	world := src.Comm(src.CommLocations(ring...))
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "times"), 0))
	for i, program := range programs {
		b := src.Location(uint64(i), process)
		now := int64(0)
		put := func(kind trace.Kind, region int) {
			now += least + random.Int64N(10)
			b.Append(kind, now, regions[region])
		}
		var do func([]*statement)
		do = func(list []*statement) {
			for _, s := range list {
				for range s.times {
					if s.distance > 0 {
						now += least + random.Int64N(10)
						peer := uint64(i+s.distance) % uint64(len(ring))
						b.Append([]trace.Kind{trace.KindMpiSend, trace.KindMpiRecv}[s.distance%2], now, peer, world, 0, 8)
						continue
					}
					put(trace.KindEnter, s.region)
					do(s.inside)
					if !s.open {
						put(trace.KindLeave, s.region)
					}
				}
			}
		}
		do(program)
	}
	return src
}

// event is an enter or leave of the structure that is aligned. The location has one of each, of the call -1.
type event struct {
	call  int
	enter bool
}

// naive is a location of one side as it is aligned.
type naive struct {
	events    []event
	exclusive map[int]int64
	paths     map[int]string // names from the outermost call on
}

// naiveOf returns the events of a location by the definition of normal forms.
func (s *subject) naiveOf(location uint64, through map[string]bool, spread bool) *naive {
	n := &naive{exclusive: map[int]int64{}, paths: map[int]string{}}
	inside, index := map[uint64][]int{}, map[uint64]int{}
	var outermost []int
	for i := range s.calls {
		c := &s.calls[i]
		if c.Location != location {
			continue
		}
		index[c.Ordinal] = i
		n.exclusive[i] += c.End - c.Start
		if c.Parent == trace.Undefined {
			outermost = append(outermost, i)
			continue
		}
		inside[c.Parent] = append(inside[c.Parent], i)
		n.exclusive[index[c.Parent]] -= c.End - c.Start
	}
	var emit func(list []int, around, path string)
	emit = func(list []int, around, path string) {
		for _, i := range list {
			name := s.model.RegionName(s.calls[i].Region)
			in := inside[s.calls[i].Ordinal]
			n.paths[i] = within(path, name)
			switch {
			case through[name]:
				emit(in, around, path)
			case spread && name == around:
				n.paths[i] = path
				n.events = append(n.events, event{i, true}, event{i, false})
				emit(in, around, path)
			default:
				n.events = append(n.events, event{i, true})
				emit(in, name, n.paths[i])
				n.events = append(n.events, event{i, false})
			}
		}
	}
	n.events = append(n.events, event{-1, true})
	emit(outermost, "", "")
	n.events = append(n.events, event{-1, false})
	return n
}

// within returns the path of a call within another path. What is deeper than paths go is beside the deepest calls.
func within(path, name string) string {
	if strings.Count(path, ">") > contrast.DeepestPath {
		path = path[:strings.LastIndex(path, " > ")]
	}
	return path + " > " + name
}

// pairsOf returns which calls belong together, by segments.
func pairsOf(segments []align.Segment, a, b *naive) (pairs map[int]int) {
	pairs = map[int]int{}
	for _, s := range segments {
		if s.State != align.Equal {
			continue
		}
		for k := range s.Events {
			x, y := a.events[s.A+k], b.events[s.B+k]
			if x.enter && y.enter && x.call >= 0 && y.call >= 0 {
				pairs[x.call] = y.call
			}
		}
	}
	return pairs
}

// sums are a tally without its distribution.
type sums struct {
	calls, lone           [2]uint64
	ticks, loneTicks      [2]int64
	pairs, slower, faster uint64
	plus, minus           int64
}

// naiveSums adds up a comparison by region, call by call.
func naiveSums(c *contrast.Comparison, sides [2]*subject, through map[string]bool, spread bool) map[string]sums {
	all := map[string]sums{}
	update := func(name string, do func(s *sums)) {
		s := all[name]
		do(&s)
		all[name] = s
	}
	done := [2]map[int]bool{{}, {}}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		a, b := sides[0].naiveOf(p.A.Location, through, spread), sides[1].naiveOf(p.B.Location, through, spread)
		for x, y := range pairsOf(p.Segments, a, b) {
			done[0][x], done[1][y] = true, true
			d := b.exclusive[y] - a.exclusive[x]
			update(sides[0].model.RegionName(sides[0].calls[x].Region), func(s *sums) {
				s.pairs++
				switch {
				case d > 0:
					s.slower, s.plus = s.slower+1, s.plus+d
				case d < 0:
					s.faster, s.minus = s.faster+1, s.minus-d
				}
			})
		}
	}
	for side, s := range sides {
		exclusive := map[int]int64{}
		for location := range locationsOf(s.calls) {
			maps.Copy(exclusive, s.naiveOf(location, through, spread).exclusive)
		}
		for i := range s.calls {
			update(s.model.RegionName(s.calls[i].Region), func(to *sums) {
				to.calls[side]++
				to.ticks[side] += exclusive[i]
				if !done[side][i] {
					to.lone[side]++
					to.loneTicks[side] += exclusive[i]
				}
			})
		}
	}
	return all
}

func locationsOf(calls []trace.Call) map[uint64]bool {
	found := map[uint64]bool{}
	for i := range calls {
		found[calls[i].Location] = true
	}
	return found
}

// sumsOf returns what a comparison says of regions.
func sumsOf(c *contrast.Comparison) map[string]sums {
	all := map[string]contrast.Tally{}
	for i := 1; i < len(c.Paths); i++ {
		name := c.Forest.NameOf(c.Paths[i].Name)
		t := all[name]
		t.Add(&c.Paths[i].Tally)
		all[name] = t
	}
	out := map[string]sums{}
	for name, t := range all {
		out[name] = sums{t.Calls, t.LoneCalls, t.Ticks, t.LoneTicks, t.Pairs, t.Slower, t.Faster, t.Plus, t.Minus}
	}
	return out
}

// checkSums holds a comparison against the naive one, and against the law of ticks.
func checkSums(t fatal, c *contrast.Comparison, sides [2]*subject, through map[string]bool, spread bool) {
	t.Helper()
	for side := range c.LoneRegions {
		for _, l := range c.LoneRegions[side] {
			if l.Wrapper {
				through[c.Forest.NameOf(l.Name)] = true
			}
		}
	}
	got, want := sumsOf(c), naiveSums(c, sides, through, spread)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Fatalf("region %s:\n%+v\nnot\n%+v", name, got[name], want[name])
		}
		g := got[name]
		if g.ticks[1]-g.ticks[0] != g.plus-g.minus+g.loneTicks[1]-g.loneTicks[0] {
			t.Fatalf("region %s breaks the law of ticks: %+v", name, g)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d regions, not %d", len(got), len(want))
	}
}

func compare(t fatal, a, b *subject, opt contrast.Options) *contrast.Comparison {
	t.Helper()
	c, err := contrast.Compare(context.Background(), a.Side, b.Side, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func drawStore(t *rapid.T) store.Options {
	return store.Options{
		SliceEvents: rapid.SampledFrom([]int{30, 0}).Draw(t, "slice"), LaneLocations: rapid.SampledFrom([]int{1, 64}).Draw(t, "lane"),
		EpochSlices: rapid.SampledFrom([]int{4, 128}).Draw(t, "epoch"), Fanout: 2,
	}
}

// Whatever two runs do, the comparison adds up the pairs that the segments say, and explains the whole difference.
func TestSumsOfRandomRuns(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		programs, others := drawPrograms(f, func() []*statement { return drawProgram(f, 3) })
		a, b := newSubject(f, "a", run(f, programs), drawStore(f)), newSubject(f, "b", run(f, others), drawStore(f))
		opt := contrast.Options{Level: rapid.SampledFrom([]align.Level{align.Names, align.Tree, align.Wrap, align.Flat}).Draw(f, "level"), Nested: rapid.Bool().Draw(f, "nested")}
		through := map[string]bool{}
		if rapid.Bool().Draw(f, "through") {
			opt.Through = []string{"b"}
			through["b"] = true
		}
		c, err := contrast.Compare(context.Background(), a.Side, b.Side, opt)
		if err != nil {
			f.Fatal(err)
		}
		checkSums(f, c, [2]*subject{a, b}, through, !opt.Nested)
	})
}

// Messages are calls without time: sums are those of runs that have such calls in their place.
func TestSumsWithMessages(t *testing.T) {
	alone := 0
	rapid.Check(t, func(f *rapid.T) {
		programs, others := drawPrograms(f, func() []*statement { return withMessages(f, drawProgram(f, 2)) })
		sides := [2]*subject{newSubject(f, "a", run(f, programs), drawStore(f)), newSubject(f, "b", run(f, others), drawStore(f))}
		opt := contrast.Options{Level: rapid.SampledFrom([]align.Level{align.Names, align.Tree}).Draw(f, "level"), Messages: true}
		c := compare(f, sides[0], sides[1], opt)
		for _, s := range sides {
			s.model = s.model.MessagesAsCalls()
			s.calls = s.model.Calls()
		}
		checkSums(f, c, sides, map[string]bool{}, true)
		for i := range c.Paths {
			if p := &c.Paths[i]; c.Forest.IsMessage(p.Name) {
				alone += int(p.LoneCalls[0] + p.LoneCalls[1])
				if p.Ticks != [2]int64{} {
					f.Fatalf("%s takes %d ticks", c.Forest.NameOf(p.Name), p.Ticks)
				}
			}
		}
	})
	if alone == 0 {
		t.Error("each message has a partner: this tests nothing")
	}
}

// Where memory is short, fewer levels of calls are compared, or locations one after the other: the time of calls further in is that of the calls
// around them, and no pass makes a difference.
func TestSumsOfParts(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		programs, others := drawPrograms(f, func() []*statement { return withMessages(f, drawProgram(f, 3)) })
		a, b := newSubject(f, "a", run(f, programs), drawStore(f)), newSubject(f, "b", run(f, others), drawStore(f))
		messages := rapid.Bool().Draw(f, "messages")
		levels := rapid.IntRange(1, 5).Draw(f, "levels")
		c, err := contrast.CompareParts(context.Background(), a.Side, b.Side, contrast.Options{Level: align.Tree, Messages: messages}, levels, rapid.IntRange(1, 3).Draw(f, "passes"))
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range []*subject{a, b} {
			if messages {
				s.model = s.model.MessagesAsCalls()
				s.calls = s.model.Calls()
			}
			s.calls = slices.DeleteFunc(s.calls, func(call trace.Call) bool { return int(call.Depth) >= levels })
		}
		checkSums(f, c, [2]*subject{a, b}, map[string]bool{}, true)
	})
}

// A run is equal to itself, whatever its slices are.
func TestSameRun(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		src := run(f, [][]*statement{drawProgram(f, 3), drawProgram(f, 2)})
		a, b := newSubject(f, "a", src, drawStore(f)), newSubject(f, "b", src, drawStore(f))
		c := compare(f, a, b, contrast.Options{})
		for i := range c.Pairs {
			if !c.Pairs[i].Equal() || len(c.Pairs[i].Segments) != 1 {
				f.Fatalf("%+v", c.Pairs[i])
			}
		}
		for i := range c.Paths {
			if t := &c.Paths[i].Tally; t.Net() != 0 || t.Slower+t.Faster > 0 || t.LoneCalls != [2]uint64{} {
				f.Fatalf("%+v", t)
			}
		}
		for _, found := range c.Findings() {
			if found.Judged != contrast.Noise {
				f.Fatalf("%+v", found)
			}
		}
	})
}
