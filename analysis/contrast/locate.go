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
	known  map[below]uint64
}

// below is what of a path is to be found below a call: its levels from one on, up to another.
type below struct {
	node      calltree.Node
	from, end int
}

// placeOf returns the place of a call: the one of a path that has some of the path before it.
func placeOf(f *calltree.Forest, root calltree.Node, path []calltree.Name, before uint64) Place {
	l := locator{f, path, map[below]uint64{}}
	p := Place{Path: path, Before: make([]uint64, len(path)), Calls: make([]uint64, len(path))}
	for level := range path {
		p.Calls[level] = l.count(below{root, 0, level + 1})
	}
	l.descend(&p, root, before)
	return p
}

// count returns how many calls of the path's levels are below a call.
func (l *locator) count(b below) (n uint64) {
	if n, ok := l.known[b]; ok {
		return n
	}
	for _, r := range l.forest.Runs(b.node) {
		n += r.Count * l.of(r.Node, b.from, b.end)
	}
	l.known[b] = n
	return n
}

// of returns how many calls of the path's levels a call or group has, itself included.
func (l *locator) of(n calltree.Node, from, end int) uint64 {
	switch {
	case l.forest.IsGroup(n):
		return l.count(below{n, from, end})
	case l.forest.Name(n) != l.path[from]:
		return 0
	case from+1 == end:
		return 1
	}
	return l.count(below{n, from + 1, end})
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
	end := len(l.path)
	for _, r := range l.forest.Runs(at) {
		each := l.of(r.Node, level, end)
		skipped := r.Count
		if each > 0 {
			skipped = min(r.Count, *before/each)
		}
		for deeper := level; deeper < end; deeper++ {
			p.Before[deeper] += skipped * l.of(r.Node, level, deeper+1)
		}
		if *before -= skipped * each; skipped < r.Count {
			return r.Node, true
		}
	}
	return 0, false
}
