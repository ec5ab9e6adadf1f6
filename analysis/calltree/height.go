package calltree

import "github.com/pandotrace/pando/encode/shape"

// height returns how many levels of calls a closed shape has; allLevels where that is not looked at: for recursions, and what has one inside.
func (g *growth) height(id shape.ID) int32 {
	if g.heights == nil {
		g.heights = make([]int32, len(g.kinds))
		var stack []frame
		for id := range g.heights {
			g.heights[id], stack = g.heightOf(shape.ID(id), stack)
		}
	}
	return g.heights[id]
}

// heightOf returns the height of a shape when those of smaller numbers are known. The stack is memory.
func (g *growth) heightOf(id shape.ID, stack []frame) (int32, []frame) {
	if g.kinds[id] != closed {
		return allLevels, stack
	}
	p := place{stack: stack[:0]}
	most, open := uint64(0), uint64(0) // levels
	for _, e := range g.view.Edges(id) {
		if g.kinds[e.Shape] != leafShape {
			most = max(most, open+uint64(g.heights[e.Shape]))
			continue
		}
		switch g.leaves[g.number[e.Shape]].class {
		case point:
			continue
		case instant:
			most = max(most, open+1)
			continue
		}
		g.keepsClosed(&p, e)
		open = 0
		for i := range p.stack {
			open += uint64(p.stack[i].count)
		}
		most = max(most, open)
	}
	return int32(min(most, allLevels)), p.stack
}
