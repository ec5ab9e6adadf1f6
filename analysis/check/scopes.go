package check

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// groupAccelerator is the type of a group of locations that are streams of an accelerator.
const groupAccelerator = 2

// checkScopes checks what instances of metrics are about: a location records what it can see, of its own process, node or group.
func (c *checker) checkScopes() {
	for i := range c.defs.Log {
		d := &c.defs.Log[i]
		if d.Kind != trace.KindMetricInstance {
			continue
		}
		metric, recorder, scope := d.Words[0], d.Words[2], d.Words[4]
		space := trace.ScopeSpace(d.Kind, d.Words[3])
		if at, ok := c.defs.LocationIndex(recorder); ok && !c.sees(&c.defs.Locations[at], space, scope) {
			c.ledger.define(ScopeElsewhere, Value{"metric", Plain, metric}, Value{"scope_kind", Space, uint64(space)}, Value{"scope", Plain, scope},
				Value{"recorder", Location, recorder})
		}
	}
}

// sees reports whether a location is part of what an id of a space names, or of the same process. It is if that is not known.
func (c *checker) sees(l *trace.Location, space trace.Space, id uint64) bool {
	switch space {
	case trace.SpaceLocation:
		at, ok := c.defs.LocationIndex(id)
		return !ok || c.together(l.Group, c.defs.Locations[at].Group)
	case trace.SpaceLocationGroup:
		_, ok := c.defs.Groups[id]
		return !ok || c.together(l.Group, id)
	case trace.SpaceSystemTreeNode:
		_, ok := c.defs.TreeNodes[id]
		return !ok || c.within(c.defs.Groups[l.Group].Parent, id)
	case trace.SpaceGroup:
		g, ok := c.defs.GroupLists[id]
		return !ok || trace.MemberSpace(g.Type) != trace.SpaceLocation || slices.Contains(g.Members, l.ID)
	}
	return true
}

// together reports whether two groups of locations are one process, with its accelerators.
func (c *checker) together(a, b uint64) bool { return c.host(a) == c.host(b) }

// host returns the process that a group of locations works for: itself, but for an accelerator.
func (c *checker) host(group uint64) uint64 {
	if g := c.defs.Groups[group]; g.Type == groupAccelerator {
		return g.Creator
	}
	return group
}

// within reports whether a node of the system tree is another one, or below it. A tree of nodes that are below themselves has an end, too.
func (c *checker) within(node, other uint64) bool {
	for range len(c.defs.TreeNodes) + 1 {
		if node == other {
			return true
		}
		n, ok := c.defs.TreeNodes[node]
		if !ok {
			return false
		}
		node = n.Parent
	}
	return false
}
