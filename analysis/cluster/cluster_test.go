package cluster_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// everything are all ways to cluster.
var everything = []cluster.By{cluster.Functions, cluster.Pairs, cluster.Contexts, cluster.Calls, cluster.Tree, cluster.Messages}

// sets returns the sets of a description that locations are clustered by.
func sets(d *model.Description, by cluster.By) map[string]bool {
	return map[cluster.By]map[string]bool{cluster.Functions: d.Functions, cluster.Pairs: d.Pairs, cluster.Contexts: d.Contexts}[by]
}

// sign returns the text that locations are alike by.
func sign(d *model.Description, by cluster.By) string {
	switch by {
	case cluster.Calls:
		return fmt.Sprint(d.Calls) // in the order of keys
	case cluster.Tree:
		return d.Tree
	case cluster.Messages:
		return d.Messages
	}
	return fmt.Sprint(sets(d, by))
}

// similarity returns how similar descriptions are.
func similarity(a, b *model.Description, by cluster.By) float64 {
	if by.Ordered() {
		return model.Jaccard(sets(a, by), sets(b, by))
	}
	return model.WeightedJaccard(a.Calls, b.Calls)
}

// naive is what is known of the locations of some windows from their events.
type naive struct {
	all   []model.Description
	kinds [][]int // of locations that are alike, in order of appearance
}

// describe describes a window of the trace that a file has.
func describe(t stored.Failer, r *store.Reader, from, to int64) []model.Description {
	t.Helper()
	m, err := model.Load(r.All().Source())
	if err != nil {
		t.Fatal(err)
	}
	return m.Descriptions(from, to)
}

func newNaive(all []model.Description, by cluster.By) *naive {
	n := &naive{all: all}
	numbers := map[string]int{}
	for i := range all {
		s := sign(&all[i], by)
		if _, ok := numbers[s]; !ok {
			numbers[s] = len(n.kinds)
			n.kinds = append(n.kinds, nil)
		}
		n.kinds[numbers[s]] = append(n.kinds[numbers[s]], i)
	}
	return n
}

// first returns the first location of a kind.
func (n *naive) first(kind int) *model.Description { return &n.all[n.kinds[kind][0]] }

// groups returns the groups of locations that a threshold makes, as clusters have them, with the numbers of their kinds.
func (n *naive) groups(by cluster.By, threshold float64) (groups, kinds [][]int) {
	for i := range n.kinds {
		kinds = append(kinds, []int{i})
	}
	if threshold > 0 {
		kinds = model.MergeSimilar(len(n.kinds), threshold, func(a, b int) float64 { return similarity(n.first(a), n.first(b), by) })
	}
	members := func(kinds []int) (list []int) {
		for _, k := range kinds {
			list = append(list, n.kinds[k]...)
		}
		slices.Sort(list)
		return list
	}
	slices.SortFunc(kinds, func(a, b []int) int {
		x, y := members(a), members(b)
		return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x[0], y[0]))
	})
	for _, k := range kinds {
		groups = append(groups, members(k))
	}
	return groups, kinds
}

// medoid returns the location that is most similar to all of a group.
func (n *naive) medoid(group []int, by cluster.By) (best int) {
	most := -1.0
	for _, i := range group {
		sum := 0.0
		for _, j := range group {
			sum += similarity(&n.all[i], &n.all[j], by)
		}
		if sum > most+1e-9 {
			best, most = i, sum
		}
	}
	return best
}

// mustAgree checks clusters against what the events say.
func mustAgree(t stored.Failer, c *cluster.Clusters, all []model.Description) {
	t.Helper()
	n := newNaive(all, c.By)
	if len(c.Members) != len(all) {
		t.Fatal(fmt.Sprintf("by %s: %d locations with calls, want %d", c.By, len(c.Members), len(all)))
	}
	for i, m := range c.Members {
		if m.Location != all[i].Location {
			t.Fatal(fmt.Sprintf("location %d, want %d", m.Location, all[i].Location))
		}
	}
	groups, kinds := n.groups(c.By, c.Threshold)
	var got [][]int
	for i := range c.Groups {
		got = append(got, c.Groups[i].Members)
	}
	if fmt.Sprint(got) != fmt.Sprint(groups) {
		t.Fatal(fmt.Sprintf("by %s, threshold %g: groups %v, want %v", c.By, c.Threshold, got, groups))
	}
	for i := range c.Groups {
		g := &c.Groups[i]
		if best := n.medoid(g.Members, c.By); c.Threshold > 0 && g.Representative != best {
			t.Fatal(fmt.Sprintf("by %s, threshold %g: %d represents %v, want %d", c.By, c.Threshold, g.Representative, g.Members, best))
		}
		for j, s := range c.Spots {
			if _, in := slices.BinarySearch(g.Members, j); g.Rule.Holds(s) != in {
				t.Fatal(fmt.Sprintf("by %s: the name %q of %v fits %+v: %v", c.By, g.Rule.String(), g.Members, s, !in))
			}
		}
		mustTell(t, c, n, kinds, i)
	}
}

// mustTell checks what a group has that others lack, and the other way round.
func mustTell(t stored.Failer, c *cluster.Clusters, n *naive, kinds [][]int, group int) {
	t.Helper()
	g := &c.Groups[group]
	for _, by := range []cluster.By{cluster.Functions, cluster.Pairs} {
		only, lacks := map[string]bool{}, map[string]bool{}
		for i := range n.all {
			for x := range sets(&n.all[i], by) {
				every, none, others, own := true, true, true, true
				for j := range n.all {
					has := sets(&n.all[j], by)[x]
					if _, in := slices.BinarySearch(g.Members, j); in {
						every, none = every && has, none && !has
					} else {
						others, own = others && has, own && !has
					}
				}
				if every && own {
					only[x] = true
				}
				if none && others && len(kinds) > 2 {
					lacks[x] = true
				}
			}
		}
		if len(kinds) < 2 {
			clear(only)
		}
		if got, want := featureTexts(&g.Only, by), sortedKeys(only); !slices.Equal(got, want) {
			t.Fatal(fmt.Sprintf("by %s: only group %d has %v, want %v", c.By, group, got, want))
		}
		if got, want := featureTexts(&g.Lacks, by), sortedKeys(lacks); !slices.Equal(got, want) {
			t.Fatal(fmt.Sprintf("by %s: group %d lacks %v, want %v", c.By, group, got, want))
		}
	}
}

// featureTexts returns features as descriptions have them.
func featureTexts(f *cluster.Features, by cluster.By) (list []string) {
	switch by {
	case cluster.Functions:
		for _, name := range f.Functions {
			list = append(list, strconv.Quote(name))
		}
	case cluster.Pairs:
		for _, p := range f.Pairs {
			list = append(list, strconv.Quote(p.Caller)+" > "+strconv.Quote(p.Callee))
		}
	}
	slices.Sort(list)
	return list
}

func sortedKeys(set map[string]bool) (list []string) {
	for x := range set {
		list = append(list, x)
	}
	slices.Sort(list)
	return list
}

// mustOrder checks a lattice.
func mustOrder(t stored.Failer, c *cluster.Clusters, all []model.Description) {
	t.Helper()
	l, err := c.Lattice(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	n := newNaive(all, c.By)
	var things []map[string]bool
	for k := range n.kinds {
		things = append(things, sets(n.first(k), c.By))
	}
	var want []string
	extents := map[string][]int{}
	for _, w := range model.Concepts(things) {
		var members []int
		for _, k := range w.Things {
			members = append(members, n.kinds[k]...)
		}
		slices.Sort(members)
		extents[fmt.Sprint(members)] = members
		want = append(want, fmt.Sprint(members, len(w.Attributes)))
	}
	var got []string
	for i := range l.Concepts {
		members := l.Members(i)
		got = append(got, fmt.Sprint(members, l.Concepts[i].Attributes))
		var above, below []string
		for _, o := range extents {
			if nextAbove(members, o, extents) {
				above = append(above, fmt.Sprint(o))
			}
			if nextAbove(o, members, extents) {
				below = append(below, fmt.Sprint(o))
			}
		}
		mustEqual(t, l, l.Concepts[i].Above, above)
		mustEqual(t, l, l.Concepts[i].Below, below)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal(fmt.Sprintf("by %s: concepts %v, want %v", c.By, got, want))
	}
}

// mustEqual checks neighbours of a concept.
func mustEqual(t stored.Failer, l *cluster.Lattice, numbers []int, want []string) {
	t.Helper()
	var got []string
	for _, n := range numbers {
		got = append(got, fmt.Sprint(l.Members(n)))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal(fmt.Sprintf("neighbours %v, want %v", got, want))
	}
}

// nextAbove reports whether one set is a least one of those that are greater than another one.
func nextAbove(small, great []int, all map[string][]int) bool {
	if !within(small, great) || len(small) == len(great) {
		return false
	}
	for _, o := range all {
		if within(small, o) && within(o, great) && len(o) > len(small) && len(o) < len(great) {
			return false
		}
	}
	return true
}

func within(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

// find clusters a window.
func find(t stored.Failer, r *store.Reader, w *store.Window, opt cluster.Options) *cluster.Clusters {
	t.Helper()
	c, err := cluster.Find(context.Background(), []cluster.Side{{Name: "a", Reader: r, Window: w}}, opt)
	if err != nil {
		t.Fatal(fmt.Sprintf("by %s: %v", opt.By, err))
	}
	return c
}

// Groups, what they have of their own, their names, their representatives and the lattice are what the events say one by one, in any window and
// however the file is divided.
func TestRandom(t *testing.T) {
	groups := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		r := stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawn.Options(t))
		info := r.Info()
		w, from, to := r.All(), int64(math.MinInt64), int64(math.MaxInt64)
		if info.Last-info.First > 1 && rapid.Bool().Draw(t, "part") {
			from = rapid.Int64Range(info.First, info.Last).Draw(t, "from")
			to = rapid.Int64Range(from, info.Last+1).Draw(t, "to")
			w = r.Window(from, to)
		}
		all := describe(t, r, from, to)
		for _, by := range everything {
			c := find(t, r, w, cluster.Options{By: by, Threshold: rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.8, 1}).Draw(t, "threshold")})
			mustAgree(t, c, all)
			groups += len(c.Groups)
			if by.Ordered() && len(c.Groups) < 8 {
				mustOrder(t, c, all)
			}
		}
	})
	if groups < 60 {
		t.Errorf("%d groups in all: this tests little", groups)
	}
}

// So they are of real traces, together with the finer ways to cluster: what these group is together by the coarser ones.
func TestBundled(t *testing.T) {
	for _, name := range tracetest.Distinct(t) {
		t.Run(name, func(t *testing.T) { checkReal(t, stored.Trace(t, tracetest.Anchor(t, name))) })
	}
}

// mostEvents is the number of events of the largest traces that the naive model, which has all of them in memory, is asked about
// unless PANDO_SOAK is set.
const mostEvents = 1_300_000

// The same of larger traces.
func TestLarger(t *testing.T) {
	for name, path := range tracetest.LargerFiles(t) {
		t.Run(name, func(t *testing.T) {
			r := stored.Trace(t, path)
			mustMatchForest(t, r, r.All())
			if n := r.Info().Events; n > mostEvents && !tracetest.Soaking() {
				t.Skipf("%d events are too many for the naive model; trees were held against a forest", n)
			}
			checkReal(t, r)
		})
	}
}

func checkReal(t *testing.T, r *store.Reader) {
	all := describe(t, r, math.MinInt64, math.MaxInt64)
	var coarser *cluster.Clusters
	for _, by := range everything {
		c := find(t, r, r.All(), cluster.Options{By: by})
		mustAgree(t, c, all)
		if by.Ordered() && len(c.Groups) < 12 {
			mustOrder(t, c, all)
		}
		if by != cluster.Calls {
			mustBeFiner(t, coarser, c)
			coarser = c
		}
		mustAgree(t, find(t, r, r.All(), cluster.Options{By: by, Threshold: 0.9}), all)
	}
}

// mustBeFiner checks that groups are parts of others.
func mustBeFiner(t *testing.T, coarse, fine *cluster.Clusters) {
	t.Helper()
	if coarse == nil {
		return
	}
	for i := range fine.Groups {
		if !slices.ContainsFunc(coarse.Groups, func(g cluster.Group) bool { return within(fine.Groups[i].Members, g.Members) }) {
			t.Errorf("group %v by %s is in no group by %s", fine.Groups[i].Members, fine.By, coarse.By)
		}
	}
}

// names returns the names of groups.
func names(c *cluster.Clusters) string {
	var list []string
	for i := range c.Groups {
		list = append(list, c.Groups[i].Rule.String())
	}
	return strings.Join(list, " | ")
}
