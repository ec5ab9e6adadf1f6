package merge_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// fatal is what tests and rapid have in common.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// subject is a file with the naive model of its trace.
type subject struct {
	reader *store.Reader
	model  *model.Trace
	calls  []trace.Call
}

func newSubject(t fatal, src trace.Source, opt store.Options) *subject {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{stored.Source(t, src, opt), m, m.Calls()}
}

// source returns a window of a subject.
func (s *subject) source(name string, w model.Window) merge.Source {
	window := s.reader.Window(w.From, w.To)
	if w.Locations != nil {
		window = window.WithLocations(w.Locations...)
	}
	return merge.Source{Name: name, Reader: s.reader, Window: window}
}

// case of a test: subjects with a window.
type naiveCase struct {
	subjects []*subject
	window   model.Window
	through  []string
	nested   bool
	depth    int
}

// roots returns the locations of all subjects in their normal form.
func (c *naiveCase) roots() (roots []*model.CallTree) {
	through := map[string]bool{}
	for _, name := range c.through {
		through[name] = true
	}
	for _, s := range c.subjects {
		for _, root := range s.model.CallTrees(&c.window, s.calls, len(roots)) {
			if root = root.Normal(through, !c.nested); c.depth > 0 {
				root.Flatten(c.depth)
			}
			roots = append(roots, root)
		}
	}
	return roots
}

func (c *naiveCase) of(t fatal, level align.Level) *merge.Tree {
	t.Helper()
	var sources []merge.Source
	for i, s := range c.subjects {
		sources = append(sources, s.source(fmt.Sprint(i), c.window))
	}
	tree, err := merge.Of(contextOf(t), sources, merge.Options{Level: level, Through: c.through, Nested: c.nested, Depth: c.depth})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// naiveText writes down a naive tree: names, and calls and times by member.
func naiveText(b *strings.Builder, n *model.MergedNode, depth int) {
	for _, in := range n.Below {
		fmt.Fprintf(b, "%*s%s", 2*depth, "", in.Name)
		members := slices.Sorted(maps.Keys(in.Calls))
		for _, m := range members {
			fmt.Fprintf(b, " %d:%d/%d", m, in.Calls[m], in.Exclusive[m])
		}
		b.WriteByte('\n')
		naiveText(b, in, depth+1)
	}
}

// textOf writes down a tree in the same way.
func textOf(tree *merge.Tree) string {
	calls := make([][]uint64, len(tree.Members))
	for m := range calls {
		calls[m] = tree.CallsOf(m)
	}
	var b strings.Builder
	for i := range tree.Nodes {
		fmt.Fprintf(&b, "%*s%s", 2*tree.Nodes[i].Depth, "", tree.Forest.NameOf(tree.Nodes[i].Name))
		for c := range tree.On(i) {
			fmt.Fprintf(&b, " %d:%d/%d", c.Member, calls[c.Member][i], c.Exclusive)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// checkNames compares a tree by names with the naive one.
func (c *naiveCase) checkNames(t fatal) {
	t.Helper()
	roots, want := c.roots(), strings.Builder{}
	if len(roots) > 0 {
		naiveText(&want, model.Merge(roots, 256), 0)
	}
	tree := c.of(t, align.Names)
	if tree.Cut && c.depth == 0 {
		c.depth = tree.Depth
		c.checkNames(t)
		return
	}
	same(t, textOf(tree), want.String())
	checkSums(t, tree)
}

// same compares texts, line by line.
func same(t fatal, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d:\n%s\nnot\n%s", i, strings.Join(a[max(0, i-20):i+1], "\n"), b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("%d lines, not %d", len(a), len(b))
	}
}

// checkTree looks whether each member finds its calls by their paths in a tree.
func (c *naiveCase) checkTree(t fatal) {
	t.Helper()
	tree := c.of(t, align.Tree)
	checkSums(t, tree)
	want := map[string]string{}
	for _, root := range c.roots() {
		sums := map[string]*[2]int64{}
		byPath(root, "", sums)
		want[fmt.Sprint(root.Member)] = printed(sums)
	}
	if len(want) != len(tree.Members) {
		t.Fatalf("%d members, not %d", len(tree.Members), len(want))
	}
	paths := make([]string, len(tree.Nodes))
	got := make([]map[string]*[2]int64, len(tree.Members))
	calls := make([][]uint64, len(tree.Members))
	for m := range got {
		got[m], calls[m] = map[string]*[2]int64{}, tree.CallsOf(m)
	}
	for i, n := range tree.Nodes {
		if paths[i] = "/" + tree.Forest.NameOf(n.Name); n.Parent >= 0 {
			paths[i] = paths[n.Parent] + paths[i]
		}
		for c := range tree.On(i) {
			s := sumAt(got[c.Member], paths[i])
			s[0], s[1] = s[0]+int64(calls[c.Member][i]), s[1]+c.Exclusive
		}
	}
	for m := range got {
		same(t, printed(got[m]), want[fmt.Sprint(m)])
	}
}

func sumAt(sums map[string]*[2]int64, path string) *[2]int64 {
	if sums[path] == nil {
		sums[path] = new([2]int64)
	}
	return sums[path]
}

// byPath adds up calls and times by path.
func byPath(c *model.CallTree, path string, sums map[string]*[2]int64) {
	for _, in := range c.Inside {
		own := path + "/" + in.Name
		s := sumAt(sums, own)
		s[0], s[1] = s[0]+1, s[1]+in.Exclusive
		byPath(in, own, sums)
	}
}

func printed(sums map[string]*[2]int64) string {
	var lines []string
	for path, s := range sums {
		lines = append(lines, fmt.Sprintf("%s %d %d", path, s[0], s[1]))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// checkSums compares what nodes say of all members with what these say.
func checkSums(t fatal, tree *merge.Tree) {
	t.Helper()
	counts := make([][]uint64, len(tree.Members))
	for m := range counts {
		counts[m] = tree.CallsOf(m)
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		var exclusive, inclusive []int64
		var fewest, most, all uint64 = math.MaxUint64, 0, 0
		for c := range tree.On(i) {
			exclusive, inclusive = append(exclusive, c.Exclusive), append(inclusive, c.Inclusive)
			calls := counts[c.Member][i]
			fewest, most, all = min(fewest, calls), max(most, calls), all+calls
		}
		if len(exclusive) != n.Members || fewest != n.FewestCalls || most != n.MostCalls || all != n.Calls {
			t.Fatalf("node %d: %+v, of %d members, %d to %d calls", i, n, len(exclusive), fewest, most)
		}
		checkTimes(t, &n.Exclusive, exclusive)
		checkTimes(t, &n.Inclusive, inclusive)
	}
}

func checkTimes(t fatal, got *merge.Times, list []int64) {
	t.Helper()
	sum := trace.Sum{}
	for _, v := range list {
		sum = sum.Plus(trace.SumOf(v))
	}
	sorted := slices.Sorted(slices.Values(list))
	if got.Sum != sum || got.Least != sorted[0] || got.Most != sorted[len(sorted)-1] || got.Median != middleOf(list) {
		t.Fatalf("%+v of %v", got, list)
	}
	median := middleOf(list)
	for i, v := range list {
		list[i] = max(v-median, median-v)
	}
	if got.MedianDeviation != middleOf(list) {
		t.Fatalf("deviation %d of %v", got.MedianDeviation, list)
	}
}

func middleOf(list []int64) int64 {
	s := slices.Sorted(slices.Values(list))
	n := len(s)
	if n%2 == 1 {
		return s[n/2]
	}
	return s[n/2-1] + (s[n/2]-s[n/2-1])/2
}

// statement is a call of a program, with the calls inside of it. It ends with its location if it is never left.
type statement struct {
	region int
	times  int
	inside []*statement
	open   bool
}

func drawProgram(t *rapid.T, depth int) (list []*statement) {
	for range rapid.IntRange(0, 3).Draw(t, "statements") {
		s := &statement{region: rapid.IntRange(0, 4).Draw(t, "region"), times: rapid.IntRange(1, 3).Draw(t, "times"), open: rapid.IntRange(0, 30).Draw(t, "open") == 0}
		if depth > 0 {
			s.inside = drawProgram(t, depth-1)
		}
		list = append(list, s)
	}
	if rapid.IntRange(0, 3).Draw(t, "loop") == 0 {
		list = slices.Concat(list, list, list)
	}
	return list
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
		}
		c.inside = edited(t, s.inside)
		out = append(out, &c)
	}
	return out
}

// run returns a trace of programs, one on each location, with times at random.
func run(t *rapid.T, programs [][]*statement, resolution uint64) trace.Source {
	src := tracegen.New(trace.Meta{Resolution: resolution})
	var regions []uint64
	for _, name := range []string{"a", "b", "c", "d", "a", "e", "f"} {
		regions = append(regions, src.Region(name))
	}
	process := src.Process("process")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "times"), 0))
	for i, program := range programs {
		b := src.Location(uint64(i), process)
		now := int64(0)
		put := func(kind trace.Kind, region int) {
			now += random.Int64N(10)
			b.Append(kind, now, regions[region])
		}
		var do func([]*statement)
		do = func(list []*statement) {
			for _, s := range list {
				for range s.times {
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

// Random programs, some with changes on some locations, in windows, stored in slices of any size.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawProgram(t, 2)
		c := &naiveCase{window: model.Window{From: math.MinInt64, To: math.MaxInt64}, nested: rapid.Bool().Draw(t, "nested")}
		for range rapid.IntRange(1, 2).Draw(t, "files") {
			var programs [][]*statement
			for range rapid.IntRange(1, 4).Draw(t, "locations") {
				own := program
				for range rapid.IntRange(0, 2).Draw(t, "edits") {
					own = edited(t, own)
				}
				programs = append(programs, own)
			}
			opt := store.Options{SliceEvents: rapid.SampledFrom([]int{8, 64, 4096}).Draw(t, "slice"), LaneLocations: rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "lane")}
			c.subjects = append(c.subjects, newSubject(t, run(t, programs, 1_000_000_000), opt))
		}
		if rapid.Bool().Draw(t, "window") {
			c.window.From = rapid.Int64Range(0, 300).Draw(t, "from")
			c.window.To = c.window.From + rapid.Int64Range(1, 300).Draw(t, "length")
		}
		if rapid.IntRange(0, 3).Draw(t, "through") == 0 {
			c.through = []string{"b"}
		}
		if rapid.IntRange(0, 3).Draw(t, "shallow") == 0 {
			c.depth = rapid.IntRange(1, 4).Draw(t, "depth")
		}
		c.checkNames(t)
		c.checkTree(t)
		c.checkOrder(t)
	})
}

// checkOrder looks whether the order of files matters.
func (c *naiveCase) checkOrder(t fatal) {
	t.Helper()
	text := func(level align.Level) string {
		var b strings.Builder
		tree := c.of(t, level)
		for i := range tree.Nodes {
			n := &tree.Nodes[i]
			fmt.Fprintln(&b, n.Depth, tree.Forest.NameOf(n.Name), n.Members, n.Calls, n.FewestCalls, n.MostCalls, n.Ordered, n.Inclusive.Sum, n.Exclusive.Median)
		}
		return b.String()
	}
	for _, level := range []align.Level{align.Names, align.Tree} {
		before := text(level)
		slices.Reverse(c.subjects)
		same(t, text(level), before)
		slices.Reverse(c.subjects)
	}
}

// Bundled traces, whole and in windows.
func TestBundled(t *testing.T) {
	for _, format := range []string{"otf2", "clog2", "otf1"} {
		for _, name := range tracetest.DistinctOf(t, format) {
			ending := map[string]string{"otf2": ".otf2", "clog2": ".clog2", "otf1": ".otf"}[format]
			t.Run(name, func(t *testing.T) { checkTrace(t, tracetest.Files(t, name, ending)[0]) })
		}
	}
}

// Larger traces, some of which take minutes.
func TestLarger(t *testing.T) {
	if !tracetest.Soaking() {
		t.Skip("PANDO_SOAK is not set: naive trees take minutes")
	}
	for name, path := range tracetest.LargerFiles(t) {
		t.Run(name, func(t *testing.T) { checkTrace(t, path) })
	}
}

func checkTrace(t *testing.T, path string) {
	src, err := convert.Open(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	s := newSubject(t, src, store.Options{})
	first, last := s.reader.Info().First, s.reader.Info().Last
	for _, w := range []model.Window{{From: first, To: last + 1}, {From: first + (last-first)/3, To: first + (last-first)/2}} {
		for _, nested := range []bool{false, true} {
			c := &naiveCase{subjects: []*subject{s}, window: w, nested: nested}
			if n := longest(c.roots()); n <= mostInOrder {
				c.checkNames(t)
			} else {
				t.Logf("a call has %d calls directly inside, which the model puts in order and Of by name: only sums by path are compared", n)
			}
			c.checkTree(t)
		}
	}
}

// mostInOrder is the number of runs of calls inside of a call up to which Of puts them in order.
const mostInOrder = 1 << 18

// longest returns the largest number of calls directly inside of a call.
func longest(calls []*model.CallTree) (n int) {
	for _, c := range calls {
		n = max(n, len(c.Inside), longest(c.Inside))
	}
	return n
}

// contextOf returns the context of a test, if it has one.
func contextOf(t fatal) context.Context {
	if t, ok := t.(interface{ Context() context.Context }); ok {
		return t.Context()
	}
	return context.Background()
}
