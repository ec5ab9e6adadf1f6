package merge_test

import (
	"testing"

	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// work returns a trace of locations that spend some ticks in work, inside of a call of 1000 ticks.
func work(ticks ...int64) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	main, work := t.Region("main"), t.Region("work")
	process := t.Process("process")
	for l, n := range ticks {
		b := t.Location(uint64(l), process)
		b.Append(trace.KindEnter, 0, main)
		b.Append(trace.KindEnter, 0, work)
		b.Append(trace.KindLeave, n, work)
		b.Append(trace.KindLeave, 1000, main)
	}
	return t
}

// A location is an outlier by its distance in robust deviations, if that is a share of the time in calls; others do not hide it. Where most are
// equal, the mean deviation counts.
func TestOutliers(t *testing.T) {
	for _, c := range []struct {
		name    string
		ticks   []int64
		members []int // that are outliers in work
	}{
		{"one is far", []int64{100, 104, 96, 102, 98, 200}, []int{5}},
		{"two are far, one below", []int64{500, 504, 496, 502, 498, 501, 499, 700, 100}, []int{7, 8}},
		{"wide", []int64{100, 150, 200, 250, 300, 350}, nil},
		{"no share", []int64{100, 100, 100, 100, 100, 100, 100, 104}, nil},
		{"others are equal", []int64{100, 100, 100, 100, 100, 100, 100, 120}, []int{7}},
		{"few", []int64{100, 101, 900}, nil},
		{"equal", []int64{100, 100, 100, 100, 100}, nil},
	} {
		tree, err := merge.Of(t.Context(), sourceOf(t, work(c.ticks...)), merge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[int]bool{}
		for _, o := range tree.Outliers {
			if o.Node != 1 {
				continue
			}
			found[o.Member] = true
			if o.Ticks != c.ticks[o.Member] || o.Excess != o.Ticks-tree.Nodes[1].Exclusive.Median || o.Score > 0 != (o.Excess > 0) {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
		if len(found) != len(c.members) {
			t.Errorf("%s: %v, not %v", c.name, found, c.members)
		}
		for _, m := range c.members {
			if !found[m] {
				t.Errorf("%s: %d is not found", c.name, m)
			}
		}
		for i := 1; i < len(tree.Outliers); i++ {
			if tree.Outliers[i].Excess > tree.Outliers[i-1].Excess {
				t.Errorf("%s: %+v comes late", c.name, tree.Outliers[i])
			}
		}
	}
}
