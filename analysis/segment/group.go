package segment

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// group is a body of a loop that may have no function of its own: calls directly inside of the calls of a region, of which one is the first.
type group struct {
	around, first calltree.Name
	body          []calltree.Name // in order, the first one included
}

// How much of the structure is looked at for groups.
const (
	// sampledCalls is the number of different calls of one name whose insides are looked at, the largest first.
	sampledCalls = 4
	// sampledRuns is the number of runs of calls that are looked at in each: the repetitions of a long loop are alike.
	sampledRuns = 1 << 17
)

// mostGroups is the number of groups that are followed: those in the largest calls.
const mostGroups = 64

// groupsOf returns the groups in the calls of locations.
func groupsOf(f *calltree.Forest, locations []calltree.Location) (all []group) {
	by := map[calltree.Name][]calltree.Node{}
	for _, n := range inOrder(f, locations) {
		if calls, _ := f.Direct(f.Runs(n)); calls >= Repeats {
			by[f.Name(n)] = append(by[f.Name(n)], n)
		}
	}
	largest := func(name calltree.Name) uint64 {
		return f.Size(slices.MaxFunc(by[name], func(a, b calltree.Node) int { return cmp.Compare(f.Size(a), f.Size(b)) }))
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b calltree.Name) int {
		return cmp.Or(cmp.Compare(largest(b), largest(a)), cmp.Compare(f.NameOf(a), f.NameOf(b)))
	})
	for _, name := range names {
		list := by[name]
		slices.SortStableFunc(list, func(a, b calltree.Node) int {
			callsA, _ := f.Direct(f.Runs(a))
			callsB, _ := f.Direct(f.Runs(b))
			return cmp.Compare(callsB, callsA)
		})
		repeats := slices.ContainsFunc(locations, func(l calltree.Location) bool { return callsOf(f, l.Root, name) >= Repeats })
		for _, g := range groupsIn(f, name, list[:min(len(list), sampledCalls)]) {
			if len(g.body) > 1 || !repeats { // else segments of the region itself are coarser, and those of its only call finer
				all = append(all, g)
			}
		}
	}
	return all[:min(len(all), mostGroups)]
}

// inOrder returns the calls of locations, as each is first met: an order that does not depend on how the forest was made.
func inOrder(f *calltree.Forest, locations []calltree.Location) (list []calltree.Node) {
	seen := make([]bool, f.Len())
	var stack []calltree.Node
	for i := len(locations) - 1; i >= 0; i-- {
		stack = append(stack, locations[i].Root)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if !f.IsGroup(n) {
			list = append(list, n)
		}
		runs := f.Runs(n)
		for i := len(runs) - 1; i >= 0; i-- {
			if !seen[runs[i].Node] {
				stack = append(stack, runs[i].Node)
			}
		}
	}
	return list
}

// groupsIn returns the groups of calls of one name. Where several calls occur once in each repetition, the earliest is the first.
func groupsIn(f *calltree.Forest, name calltree.Name, sample []calltree.Node) (all []group) {
	taken := map[calltree.Name]bool{}
	for _, n := range sample {
		l := newLoops()
		l.follow(f, f.Runs(n), 1)
		var found []*loop
		for _, first := range l.order {
			p := l.by[first]
			rotated := func(q *loop) bool { return q.bodies == p.bodies }
			if p.repeats() && !slices.ContainsFunc(found, rotated) {
				found = append(found, p)
			}
		}
		for _, p := range found {
			if !taken[p.name] {
				taken[p.name] = true
				all = append(all, group{name, p.name, l.bodyOf(p)})
			}
		}
	}
	return all
}

// loops are the names directly inside of a call, each as the first of a body.
type loops struct {
	left  int // runs to look at
	by    map[calltree.Name]*loop
	order []calltree.Name // of by, as they first occur
	last  calltree.Name
	runs  []calltree.Name // the runs of names so far
}

// loop is a name as the first call of a body.
type loop struct {
	name   calltree.Name
	bodies uint64
	begin  int // of the body that is open, in loops.runs
	forms  map[uint64]*form
}

// form is how a body looks: the names of its calls, in order, without their counts.
type form struct {
	bodies   uint64
	from, to int // of the first one, in loops.runs
}

func newLoops() *loops { return &loops{left: sampledRuns, by: map[calltree.Name]*loop{}} }

// follow follows runs of calls that stand a number of times.
func (l *loops) follow(f *calltree.Forest, runs []calltree.Run, times uint64) {
	for range times {
		for _, r := range runs {
			if l.left == 0 {
				return
			}
			if f.IsGroup(r.Node) {
				l.follow(f, f.Runs(r.Node), r.Count)
				continue
			}
			l.left--
			l.calls(f.Name(r.Node), r.Count)
		}
	}
}

// calls takes a number of calls of a name.
func (l *loops) calls(name calltree.Name, count uint64) {
	p := l.by[name]
	if p == nil {
		p = &loop{name: name, begin: -1, forms: map[uint64]*form{}}
		l.by[name], l.order = p, append(l.order, name)
	}
	if p.begin >= 0 {
		p.close(l, len(l.runs))
	}
	if len(l.runs) == 0 || l.last != name {
		l.runs, l.last = append(l.runs, name), name
	}
	p.begin = len(l.runs) - 1
	if count > 1 {
		p.add(l, p.begin, p.begin+1, count-1)
	}
}

// close ends the body that is open.
func (p *loop) close(l *loops, end int) { p.add(l, p.begin, end, 1) }

// longBody is the number of runs up to which all names of a body are its form.
const longBody = 64

// add counts bodies of a form. Of a long body, names at its begin and its end, and its length, are its form.
func (p *loop) add(l *loops, from, to int, bodies uint64) {
	h := uint64(to - from)
	mix := func(names []calltree.Name) {
		for _, n := range names {
			h = (h ^ uint64(n)) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	names := l.runs[from:to]
	if len(names) > longBody {
		mix(names[:longBody/2])
		names = names[len(names)-longBody/2:]
	}
	mix(names)
	if p.forms[h] == nil {
		p.forms[h] = &form{from: from, to: to}
	}
	p.forms[h].bodies += bodies
	p.bodies += bodies
}

// repeats reports whether the bodies are those of a loop: at least three quarters of them look as another one does. The last one, behind which
// the loop ends, is not among them.
func (p *loop) repeats() bool {
	var alike uint64
	for _, m := range p.forms {
		if m.bodies > 1 {
			alike += m.bodies
		}
	}
	return p.bodies+1 >= Repeats && 4*alike >= 3*p.bodies
}

// bodyOf returns the names of the calls in bodies that look as another one does, in the order of the earliest.
func (l *loops) bodyOf(p *loop) []calltree.Name {
	forms := slices.SortedFunc(maps.Values(p.forms), func(a, b *form) int { return cmp.Compare(a.from, b.from) })
	body, seen := []calltree.Name{p.name}, map[calltree.Name]bool{p.name: true}
	for _, m := range forms {
		if m.bodies == 1 {
			continue
		}
		for _, n := range l.runs[m.from:m.to] {
			if !seen[n] {
				seen[n] = true
				body = append(body, n)
			}
		}
	}
	return body
}
