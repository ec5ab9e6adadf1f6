package merge

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// folded is what a call has directly inside of it, with repeats folded: a list of items, each of which stands for one or more calls of one
// name. Calls that stand beside each other are one item if their names are equal, and so are calls that take the same place in loops.
type folded struct {
	items   []item
	ordered bool
	of      []int32 // the item of each run of calls, if the list is ordered
}

// item is calls of one name, by rising number.
type item struct {
	name  calltree.Name
	calls []calltree.Run
}

// Bounds of lists that keep their order.
const (
	longestLoop = 128     // names in the body of a loop
	mostItems   = 256     // of a list, and of the columns that several become
	mostRuns    = 1 << 18 // of a list
	// mostSequence is the largest number of items of a list while it is read: the last loops may not be complete.
	mostSequence = mostItems + 2*longestLoop
)

// fold folds the list of a call: by names, or in the order of the calls if it can.
func fold(f *calltree.Forest, n calltree.Node, byName bool) *folded {
	if _, runs := f.Direct(f.Runs(n)); runs <= mostRuns && !byName {
		if l, ok := foldLoops(f, n); ok {
			return l
		}
	}
	return foldNames(f, n)
}

// folder folds a list by loops. What was read so far is a sequence of elements: names, and loops whose bodies are sequences of elements. An
// element stands for one or more times what it is, so that loops of other lengths are the same element.
type folder struct {
	bodies   [][]int32 // by element; nil of a name
	numbers  map[string]int32
	sequence []placed
	owner    []int32 // by run: an earlier one that takes the same place in a loop, or itself
}

// placed is an element in the sequence, with the runs of which its names were first.
type placed struct {
	element int32
	runs    []int32
}

// foldLoops folds a list in the order of its calls; ok is false if it has too many items.
func foldLoops(f *calltree.Forest, n calltree.Node) (l *folded, ok bool) {
	s := folder{numbers: map[string]int32{}}
	names := map[calltree.Name]int32{}
	var runs []calltree.Run
	first := 0 // of the runs of one name beside each other
	for c := newCursor(n); ; {
		r, more := c.nextRun(f)
		if !more {
			break
		}
		name := f.Name(r.Node)
		if runs = append(runs, r); len(runs) > 1 && f.Name(runs[first].Node) == name {
			s.owner = append(s.owner, int32(first))
			continue
		}
		first = len(runs) - 1
		element, known := names[name]
		if !known {
			element = s.add(nil)
			names[name] = element
		}
		s.push(element)
		if len(s.sequence) > mostSequence {
			return nil, false
		}
	}
	return s.folded(f, runs)
}

// add adds an element.
func (s *folder) add(body []int32) int32 {
	s.bodies = append(s.bodies, body)
	return int32(len(s.bodies) - 1)
}

// push appends a run of another name than the one before.
func (s *folder) push(element int32) {
	run := int32(len(s.owner))
	s.owner = append(s.owner, run)
	s.sequence = append(s.sequence, placed{element, []int32{run}})
	for s.reduce() {
	}
}

// reduce folds what the sequence ends with, if it is the last round of a loop.
func (s *folder) reduce() bool {
	n := len(s.sequence)
	for p := 1; p < n && p <= longestLoop; p++ {
		last := s.sequence[n-p:]
		if before := &s.sequence[n-p-1]; s.isBody(before.element, last) {
			s.unite(before.runs, last)
			s.sequence = s.sequence[:n-p]
			return true
		}
		if 2*p > n || !sameElements(s.sequence[n-2*p:n-p], last) {
			continue
		}
		first := s.sequence[n-2*p : n-p]
		var runs []int32
		for i := range first {
			runs = append(runs, first[i].runs...)
		}
		s.unite(runs, last)
		first[0] = placed{s.loop(first), runs}
		s.sequence = s.sequence[:n-2*p+1]
		return true
	}
	return false
}

// isBody reports whether elements are one round of a loop.
func (s *folder) isBody(loop int32, list []placed) bool {
	body := s.bodies[loop]
	if len(body) != len(list) {
		return false
	}
	for i := range body {
		if body[i] != list[i].element {
			return false
		}
	}
	return true
}

func sameElements(a, b []placed) bool {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i].element != b[i].element {
			return false
		}
	}
	return true
}

// unite says that the runs of elements take the same places as runs before.
func (s *folder) unite(runs []int32, with []placed) {
	at := 0
	for i := range with {
		for _, r := range with[i].runs {
			s.owner[r] = runs[at]
			at++
		}
	}
}

// loop returns the loop that has some elements for its body. A loop of one element is that element.
func (s *folder) loop(body []placed) int32 {
	if len(body) == 1 {
		return body[0].element
	}
	var key []byte
	list := make([]int32, len(body))
	for i := range body {
		list[i] = body[i].element
		key = binary.LittleEndian.AppendUint32(key, uint32(list[i]))
	}
	element, ok := s.numbers[string(key)]
	if !ok {
		element = s.add(list)
		s.numbers[string(key)] = element
	}
	return element
}

// folded returns the list, when all runs are there.
func (s *folder) folded(f *calltree.Forest, runs []calltree.Run) (l *folded, ok bool) {
	l = &folded{ordered: true, of: make([]int32, len(runs))}
	for i := range s.sequence {
		for _, r := range s.sequence[i].runs {
			l.of[r] = int32(len(l.items))
			l.items = append(l.items, item{name: f.Name(runs[r].Node)})
		}
	}
	if len(l.items) > mostItems {
		return nil, false
	}
	for r, run := range runs { // owners come first
		if o := s.owner[r]; int(o) != r {
			l.of[r] = l.of[o]
		}
		it := &l.items[l.of[r]]
		it.calls = append(it.calls, run)
	}
	for i := range l.items {
		l.items[i].calls = summed(l.items[i].calls)
	}
	return l, true
}

// foldNames folds a list so that each name is an item, in the order in which the names come first. It takes the time of the groups, not
// of the runs.
func foldNames(f *calltree.Forest, n calltree.Node) *folded {
	l, groups, names := &folded{}, map[calltree.Node]uint64{n: 1}, map[calltree.Name]int32{}
	l.find(f, n, groups, names)
	order := make([]calltree.Node, 0, len(groups))
	for g := range groups {
		order = append(order, g)
	}
	slices.SortFunc(order, func(a, b calltree.Node) int { return cmp.Compare(b, a) }) // those around come first
	for _, g := range order {
		for _, r := range f.Runs(g) {
			if count := shape.Times(groups[g], r.Count); f.IsGroup(r.Node) {
				groups[r.Node] = shape.Plus(groups[r.Node], count)
			} else {
				it := &l.items[names[f.Name(r.Node)]]
				it.calls = append(it.calls, calltree.Run{Node: r.Node, Count: count})
			}
		}
	}
	for i := range l.items {
		l.items[i].calls = summed(l.items[i].calls)
	}
	return l
}

// find finds the names and groups of a list, in order.
func (l *folded) find(f *calltree.Forest, n calltree.Node, groups map[calltree.Node]uint64, names map[calltree.Name]int32) {
	stack := [][]calltree.Run{f.Runs(n)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(*top) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		r := (*top)[0]
		*top = (*top)[1:]
		if f.IsGroup(r.Node) {
			if _, known := groups[r.Node]; !known {
				groups[r.Node] = 0
				stack = append(stack, f.Runs(r.Node))
			}
			continue
		}
		name := f.Name(r.Node)
		if _, known := names[name]; !known {
			names[name] = int32(len(l.items))
			l.items = append(l.items, item{name: name})
		}
	}
}

// summed puts runs in the order of their calls, each call once.
func summed(runs []calltree.Run) []calltree.Run {
	slices.SortFunc(runs, func(a, b calltree.Run) int { return cmp.Compare(a.Node, b.Node) })
	out := runs[:0]
	for _, r := range runs {
		if n := len(out); n > 0 && out[n-1].Node == r.Node {
			out[n-1].Count = shape.Plus(out[n-1].Count, r.Count)
		} else {
			out = append(out, r)
		}
	}
	return slices.Clip(out)
}
