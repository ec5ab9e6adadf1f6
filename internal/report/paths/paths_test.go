package paths

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// row is a path with a size and something to order it by.
type row struct{ path, parent, size, order int }

// Place implements Row.
func (r row) Place() (path, parent int) { return r.path, r.parent }

// However rows are ordered, limited or left out, each stands behind its parent, and the largest are there.
func TestRows(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		var all []row
		for i := range rapid.IntRange(1, 12).Draw(f, "paths") {
			r := row{i, rapid.IntRange(-1, i-1).Draw(f, "parent"), 20, rapid.IntRange(0, 3).Draw(f, "order")}
			if r.parent >= 0 {
				r.size = all[r.parent].size
			}
			r.size = rapid.IntRange(0, r.size).Draw(f, "size")
			all = append(all, r)
		}
		rows := slices.Clone(all)
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.order, b.order) })
		rows = InTree(rows)
		if len(rows) != len(all) {
			f.Fatalf("%d rows of %d are in the tree", len(rows), len(all))
		}
		least, n := rapid.IntRange(0, 5).Draw(f, "least"), rapid.IntRange(1, 12).Draw(f, "limit")
		rows = Without(rows, func(r row) bool { return r.size < least })
		want := 0
		for _, r := range all {
			if r.size >= least {
				want++
			}
		}
		rows = Largest(rows, n, func(a, b row) int { return cmp.Compare(a.size, b.size) })
		if len(rows) != min(n, want) {
			f.Fatalf("%d rows, want %d", len(rows), min(n, want))
		}
		seen, before, smallest := map[int]bool{-1: true}, map[int]int{}, 20
		for _, r := range rows {
			if !seen[r.parent] || seen[r.path] || r.order < before[r.parent] {
				f.Fatalf("%v stands before its parent or a sibling, or twice, in %v", r, rows)
			}
			seen[r.path], before[r.parent], smallest = true, r.order, min(smallest, r.size)
		}
		for _, r := range all {
			if len(rows) > 0 && r.size > smallest && !seen[r.path] {
				f.Fatalf("%v is left out of %v", r, rows)
			}
		}
	})
}

func TestLines(t *testing.T) {
	rows := []row{{0, -1, 0, 0}, {1, 0, 0, 0}, {2, 1, 0, 0}, {3, 1, 0, 0}, {4, 0, 0, 0}, {5, 4, 0, 0}, {6, -1, 0, 0}}
	want := []string{"", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ ", ""}
	if got := Lines(rows); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
