package calltree

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of [Of]. The zero value means the defaults.
type Options struct {
	// CountsOnly leaves out times: then values are decoded only in the slices that the window cuts.
	CountsOnly bool
	// Depth is the number of levels from which on recursions are folded. 0 means 64, or less where the paths would take too much memory.
	Depth int
	// Memory bounds the memory for nodes and for what locations have at them, in bytes. 0 means 512 MiB. A window with more has no profile.
	Memory int64
	// Hide are the names of regions that have no node: their time is that of their callers, and what they call stands below these.
	Hide []string
	// Progress counts events.
	Progress trace.Progress
}

// Profile is the call tree of a window.
type Profile struct {
	Names *Names
	// Paths are the call paths, each after its parent; those of one parent by inclusive time (by calls, without times), the largest first,
	// equal ones by name.
	Paths []Path
	// Locations are the ids of the locations that have calls in the window, in the order of definition.
	Locations []uint64
	// Depth is the number of levels from which on recursions are folded.
	Depth int
	// Timed says that there are times.
	Timed bool

	places []*place // of Locations
	nodes  []uint32 // of Paths
}

// Path is a call path, and what the calls on it add up to.
type Path struct {
	// Parent is the place of the parent's path, -1 for outermost calls.
	Parent int
	// Depth is the number of calls around those of this path.
	Depth int
	Name  Name
	// Calls is the number of calls that overlap the window; it saturates at 2^64-1.
	Calls uint64
	// Exclusive is the time within the window in which a call of this path is the innermost one, Inclusive is the same of this path and all
	// below it, added up over locations, in ticks.
	Inclusive, Exclusive trace.Sum
	// Locations is the number of locations with calls of this path or below it. Least and Most are those of them with the least and the
	// most inclusive time, the first of equal ones.
	Locations   int
	Least, Most LocationTime
}

// LocationTime is the time of a location, in ticks.
type LocationTime struct {
	Location uint64
	Ticks    int64
}

// Cell is what the calls of a path on a location add up to, see [Path].
type Cell struct {
	Location             uint64
	Calls                uint64
	Inclusive, Exclusive int64
}

// On yields what a path has on each location that has calls of it or below it.
func (p *Profile) On(path int) iter.Seq[Cell] {
	n := int(p.nodes[path])
	return func(yield func(Cell) bool) {
		for i, at := range p.places {
			if at.has(n) && !yield(Cell{p.Locations[i], at.counts[n], at.inclusive[n], at.ticks[n]}) {
				return
			}
		}
	}
}

// Total returns the time within the window in which calls are open, added up over locations, in ticks.
func (p *Profile) Total() (sum trace.Sum) {
	for i := range p.Paths {
		sum = sum.Plus(p.Paths[i].Exclusive)
	}
	return sum
}

// DefaultDepth is the number of levels from which on recursions are folded by default, DefaultMemory the memory of a profile.
const (
	DefaultDepth  = 64
	DefaultMemory = 512 << 20
)

// treeShare of the memory is for nodes, the rest for what locations have at them.
const treeShare = 2

// Of makes the call tree of a window of a file. Of the window's filters, only that of locations counts. The work ends with the window's
// context. A window that has too many different call paths is a [MemoryError].
func Of(r *store.Reader, w *store.Window, opt Options) (*Profile, error) {
	depth := cmp.Or(opt.Depth, DefaultDepth)
	for {
		p, err := profileOf(r, w, depth, opt)
		var memory *MemoryError
		if err == nil || !errors.As(err, &memory) || opt.Depth > 0 || depth == 1 {
			return p, err
		}
		depth /= 4
	}
}

func profileOf(r *store.Reader, w *store.Window, depth int, opt Options) (*Profile, error) {
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	names := NewNames(defs)
	for _, name := range opt.Hide {
		names.Hide(name)
	}
	memory := cmp.Or(opt.Memory, DefaultMemory)
	m := &making{
		extent: newExtent(r, w), memory: memory, left: memory - memory/treeShare,
		steps: newSteps(names), tree: newTree(names, depth, memory/treeShare), places: map[uint64]*place{}, progress: opt.Progress,
	}
	if err := m.begin(); err != nil {
		return nil, err
	}
	follow := m.followTimes
	if opt.CountsOnly {
		follow = m.followStructure
	}
	if err := follow(); err != nil {
		return nil, err
	}
	m.end()
	p := &Profile{Names: names, Depth: depth, Timed: !opt.CountsOnly}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if at := m.places[id]; at != nil {
			p.places, p.Locations = append(p.places, at), append(p.Locations, id)
		}
	}
	p.gather(m.tree)
	return p, nil
}

// has reports whether a place has calls of a node, or below it.
func (p *place) has(n int) bool { return n < len(p.inclusive) && p.inclusive[n] >= 0 }

// absent is the inclusive time of a node that has neither calls nor nodes with calls.
const absent = -1

// addUp finds the inclusive times of a place.
func (p *place) addUp(t *tree, timed bool) {
	if !timed {
		clear(p.ticks)
	}
	p.inclusive = make([]int64, len(p.ticks))
	for n := range p.inclusive {
		p.inclusive[n] = absent
	}
	for n := min(len(t.nodes), len(p.ticks)) - 1; n > int(root); n-- {
		if p.counts[n] > 0 || p.ticks[n] > 0 {
			p.inclusive[n] = max(p.inclusive[n], 0) + p.ticks[n]
		}
		if up := t.nodes[n].parent; p.inclusive[n] >= 0 {
			p.inclusive[up] = max(p.inclusive[up], 0) + p.inclusive[n]
		}
	}
}

// gather adds up the locations and puts paths in order.
func (p *Profile) gather(t *tree) {
	all := make([]Path, len(t.nodes))
	for i, at := range p.places {
		at.addUp(t, p.Timed)
		for n := range all {
			if at.has(n) {
				all[n].add(at, n, p.Locations[i])
			}
		}
	}
	children := make([][]uint32, len(t.nodes))
	for n := 1; n < len(all); n++ {
		if all[n].Name = t.nodes[n].name; all[n].Locations > 0 {
			up := t.nodes[n].parent
			children[up] = append(children[up], uint32(n))
		}
	}
	type visit struct {
		node   uint32
		parent int
	}
	stack := []visit{{root, -1}}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		path := -1
		if v.node != root {
			path = len(p.Paths)
			all[v.node].Parent, all[v.node].Depth = v.parent, int(t.nodes[v.node].depth)-1
			p.Paths, p.nodes = append(p.Paths, all[v.node]), append(p.nodes, v.node)
		}
		list := children[v.node]
		slices.SortFunc(list, func(a, b uint32) int { return p.order(&all[b], &all[a]) })
		for _, n := range list {
			stack = append(stack, visit{n, path})
		}
	}
}

// order compares paths of one parent.
func (p *Profile) order(a, b *Path) int {
	return cmp.Or(b.Inclusive.Cmp(a.Inclusive), cmp.Compare(b.Calls, a.Calls), cmp.Compare(p.Names.Text(a.Name), p.Names.Text(b.Name)))
}

func (a *Path) add(at *place, n int, location uint64) {
	ticks := at.inclusive[n]
	a.Calls = shape.Plus(a.Calls, at.counts[n])
	a.Inclusive.Add(uint64(ticks))
	a.Exclusive.Add(uint64(at.ticks[n]))
	if a.Locations == 0 || ticks < a.Least.Ticks {
		a.Least = LocationTime{location, ticks}
	}
	if a.Locations == 0 || ticks > a.Most.Ticks {
		a.Most = LocationTime{location, ticks}
	}
	a.Locations++
}
