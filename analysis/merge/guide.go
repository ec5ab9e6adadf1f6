package merge

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// guided puts classes in the order in which they are merged: the most typical one first, those that are least like the others last. How
// typical one is says its distance from the median class: for each name, how far the number of its items is from the median of all classes. The
// order depends on names alone.
func (g *graph) guided(classes []*class) []*class {
	if len(classes) < 2 {
		return classes
	}
	distances := distancesOf(classes)
	order := make([]int, len(classes))
	for i := range order {
		order[i] = i
	}
	text := func(a, b calltree.Name) int { return cmp.Compare(g.forest.NameOf(a), g.forest.NameOf(b)) }
	slices.SortFunc(order, func(i, j int) int {
		a, b := classes[i], classes[j]
		return cmp.Or(cmp.Compare(distances[i], distances[j]), cmp.Compare(len(b.names), len(a.names)), slices.CompareFunc(a.names, b.names, text))
	})
	out := make([]*class, len(classes))
	for i, at := range order {
		out[i] = classes[at]
	}
	return out
}

// distancesOf returns how far each class is from the median one.
func distancesOf(classes []*class) []int {
	counts := map[calltree.Name][]int{} // by name: numbers of items of the classes that have some
	bags := make([]map[calltree.Name]int, len(classes))
	for i, c := range classes {
		bags[i] = map[calltree.Name]int{}
		for _, n := range c.names {
			bags[i][n]++
		}
		for n, k := range bags[i] {
			counts[n] = append(counts[n], k)
		}
	}
	medians, all := map[calltree.Name]int{}, 0
	for n, list := range counts {
		slices.Sort(list)
		if at := len(classes)/2 - (len(classes) - len(list)); at >= 0 { // the others have none
			medians[n] = list[at]
			all += list[at]
		}
	}
	distances := make([]int, len(classes))
	for i, bag := range bags {
		d := all
		for n, k := range bag {
			d += max(k-medians[n], medians[n]-k) - medians[n]
		}
		distances[i] = d
	}
	return distances
}
