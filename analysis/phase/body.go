package phase

import (
	"context"
	"hash/fnv"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// mostBody is the largest number of runs of calls that the body of a loop has.
const mostBody = 64

// bodies finds what the calls of regions that repeat have directly inside of them: what most of them have. Groups say it themselves.
func (f *finder) bodies(ctx context.Context) error {
	wanted := map[string][]*Loop{}
	for i := range f.found {
		if l := f.found[i].loop; l.region != "" {
			wanted[l.region] = append(wanted[l.region], l)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	forest := calltree.NewBareForest()
	locations, err := forest.Read(ctx, f.reader, f.window, calltree.ReadOptions{Memory: f.opt.Memory})
	if err != nil {
		return err
	}
	most := map[string]calltree.Node{}
	counts := countsOf(forest, locations)
	for n, count := range counts {
		if count == 0 || forest.IsGroup(calltree.Node(n)) { // groups have no name
			continue
		}
		name := forest.NameOf(forest.Name(calltree.Node(n)))
		if _, ok := wanted[name]; !ok {
			continue
		}
		if old, ok := most[name]; !ok || count > counts[old] || count == counts[old] && forest.Content(calltree.Node(n)) < forest.Content(old) {
			most[name] = calltree.Node(n)
		}
	}
	for name, n := range most {
		body := namesInside(forest, n)
		for _, l := range wanted[name] {
			l.Body = body
		}
	}
	return nil
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

// namesInside returns the names of the calls directly inside of a call, in order; calls of one name that follow each other are one.
func namesInside(forest *calltree.Forest, n calltree.Node) (names []string) {
	runs, _ := forest.Flat(n, mostBody)
	for _, r := range runs[:min(len(runs), mostBody)] {
		names = append(names, forest.NameOf(forest.Name(r.Node)))
	}
	return slices.Compact(names)
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
