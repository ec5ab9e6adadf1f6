package contrast

import "github.com/pandotrace/pando/analysis/calltree"

// Place is the place of a call in its location: for each level of its path, how many calls of that level are before it, in the order of time.
type Place struct {
	Path []calltree.Name
	// Before has a number for each level of Path: of calls on this level's path before the one that the call is in, in the whole location.
	Before []uint64
	// Calls is the number of calls of each level's path, in the whole location.
	Calls []uint64
}

// Iteration returns the outermost level of which the location has several calls: the iteration of a program whose loop has a function as its body.
// ok is false if there is none.
func (p *Place) Iteration() (level int, ok bool) {
	for level := range p.Calls {
		if p.Calls[level] > 1 {
			return level, true
		}
	}
	return 0, false
}

// locator finds calls of a path below a call. Numbers are counted once for each distinct call.
type locator struct {
	forest *calltree.Forest
	path   []calltree.Name
	known  map[below]int // where in sums the numbers of a call begin
	sums   []uint64
}

// below is a call, and the level of the path that is looked for directly inside of it. The call is in the upper half.
type below uint64

func belowOf(n calltree.Node, level int) below { return below(n)<<32 | below(level) }

// placeOf returns the place of a call: the one of a path that has some of the path before it.
func placeOf(f *calltree.Forest, root calltree.Node, path []calltree.Name, before uint64) Place {
	l := locator{forest: f, path: path, known: map[below]int{}}
	p := Place{Path: path, Before: make([]uint64, len(path)), Calls: make([]uint64, len(path))}
	copy(p.Calls, l.counts(root, 0))
	l.descend(&p, root, before)
	return p
}

// counts returns how many calls of each of the path's levels from one on are below a call or in a group. It is valid up to the next call of the method.
func (l *locator) counts(n calltree.Node, level int) []uint64 {
	key, levels := belowOf(n, level), len(l.path)-level
	at, ok := l.known[key]
	if !ok {
		at = len(l.sums)
		l.sums = append(l.sums, make([]uint64, levels)...)
		for _, r := range l.forest.Runs(n) {
			l.add(at, r, level)
		}
		l.known[key] = at
	}
	return l.sums[at : at+levels]
}

// add adds what a run has of the path's levels from one on to numbers in sums.
func (l *locator) add(at int, r calltree.Run, level int) {
	var inside []uint64
	switch {
	case l.forest.IsGroup(r.Node):
		inside = l.counts(r.Node, level)
	case l.forest.Name(r.Node) != l.path[level]:
		return
	default:
		if level+1 < len(l.path) {
			inside = l.counts(r.Node, level+1)
		}
		l.sums[at] += r.Count
		at++
	}
	for i, n := range inside {
		l.sums[at+i] += r.Count * n
	}
}

// descend goes down to the call that has some of the path before it, and counts what is before it on each level.
func (l *locator) descend(p *Place, at calltree.Node, before uint64) {
	for level := 0; level < len(l.path); {
		next, ok := l.step(p, at, level, &before)
		if !ok {
			return
		}
		if !l.forest.IsGroup(next) {
			level++
		}
		at = next
	}
}

// step finds the call or group directly below that has the call.
func (l *locator) step(p *Place, at calltree.Node, level int, before *uint64) (next calltree.Node, ok bool) {
	levels := len(l.path) - level
	l.sums = append(l.sums, make([]uint64, levels)...) // of one call or group
	each := len(l.sums) - levels
	for _, r := range l.forest.Runs(at) {
		clear(l.sums[each : each+levels])
		l.add(each, calltree.Run{Node: r.Node, Count: 1}, level)
		of := l.sums[each : each+levels]
		skipped := r.Count
		if last := of[levels-1]; last > 0 {
			skipped = min(r.Count, *before/last)
		}
		for i, n := range of {
			p.Before[level+i] += skipped * n
		}
		if *before -= skipped * of[levels-1]; skipped < r.Count {
			return r.Node, true
		}
	}
	return 0, false
}
