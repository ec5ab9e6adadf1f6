package phase

import (
	"context"
	"hash/fnv"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// mostBody is the largest number of runs of calls that the body of a loop has.
const mostBody = 64

// bodies finds what loops consist of: of calls of a region that repeat, what most of them have directly inside; of groups, which say that themselves, how many calls of each name
// follow each other in most of them.
func (f *finder) bodies(ctx context.Context) error {
	wanted, groups := map[string][]*Loop{}, []*Loop{}
	for i := range f.found {
		if l := f.found[i].loop; l.region != "" {
			wanted[l.region] = append(wanted[l.region], l)
		} else {
			groups = append(groups, l)
		}
	}
	if len(f.found) == 0 {
		return nil
	}
	forest := calltree.NewBareForest()
	locations, err := forest.Read(ctx, f.reader, f.window, calltree.ReadOptions{Memory: f.opt.Memory})
	if err != nil {
		return err
	}
	most, counts := map[*Loop]calltree.Node{}, countsOf(forest, locations)
	take := func(l *Loop, n calltree.Node) {
		if old, ok := most[l]; !ok || counts[n] > counts[old] || counts[n] == counts[old] && forest.Content(n) < forest.Content(old) {
			most[l] = n
		}
	}
	for i, count := range counts {
		switch n := calltree.Node(i); {
		case count == 0:
		case forest.IsGroup(n): // which has no name
			for _, l := range groups {
				if l.consists(forest, n) {
					take(l, n)
				}
			}
		default:
			for _, l := range wanted[forest.NameOf(forest.Name(n))] {
				take(l, n)
			}
		}
	}
	for l, n := range most {
		l.Body, l.Counts = callsInside(forest, n)
	}
	return nil
}

// consists reports whether a group of the forest is one repetition of a loop: it has the calls of its body, in their order.
func (l *Loop) consists(forest *calltree.Forest, n calltree.Node) bool {
	if len(forest.Runs(n)) > 2*len(l.Body) {
		return false
	}
	names, _ := callsInside(forest, n)
	return slices.Equal(names, l.Body)
}

// countsOf returns how often each call of a forest occurs on some locations. What a call has inside was added before it.
func countsOf(forest *calltree.Forest, locations []calltree.Location) []float64 {
	counts := make([]float64, forest.Len())
	for _, l := range locations {
		counts[l.Root]++
	}
	for n := len(counts) - 1; n >= 0; n-- {
		if counts[n] > 0 {
			for _, r := range forest.Runs(calltree.Node(n)) {
				counts[r.Node] += counts[n] * float64(r.Count)
			}
		}
	}
	return counts
}

// callsInside returns the names of the calls directly inside of a call, in order, and how many of a name follow each other.
func callsInside(forest *calltree.Forest, n calltree.Node) (names []string, counts []uint64) {
	runs, _ := forest.Flat(n, mostBody)
	for _, r := range runs[:min(len(runs), mostBody)] {
		name := forest.NameOf(forest.Name(r.Node))
		if last := len(names) - 1; last >= 0 && names[last] == name {
			counts[last] += uint64(r.Count)
			continue
		}
		names, counts = append(names, name), append(counts, uint64(r.Count))
	}
	return names, counts
}

// Fingerprint returns a number that loops of equal titles and bodies have in all traces.
func (l *Loop) Fingerprint() uint64 {
	h := fnv.New64a()
	for _, name := range append([]string{l.Title}, l.Body...) {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
