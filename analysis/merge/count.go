package merge

import (
	"context"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// count counts the calls of all nodes, structure by structure.
func (t *Tree) count(ctx context.Context) error {
	words := t.words()
	if err := t.spend(int64(words*8) * int64(len(t.Nodes))); err != nil {
		return err
	}
	t.sets = make([]uint64, words*len(t.Nodes))
	for kind, root := range t.structs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		members := len(t.kinds[kind])
		t.graph.walk(root, func(node int, calls uint64) {
			n := &t.Nodes[node]
			if n.Members == 0 {
				n.FewestCalls = calls
			}
			n.Members += members
			n.Calls = shape.Plus(n.Calls, shape.Times(calls, uint64(members)))
			n.FewestCalls, n.MostCalls = min(n.FewestCalls, calls), max(n.MostCalls, calls)
			t.sets[node*words+kind/64] |= 1 << (kind % 64)
		})
	}
	return nil
}

// CallsOf returns how many calls of each node a member has. The numbers saturate at 2^64-1.
func (t *Tree) CallsOf(member int) []uint64 {
	counts := make([]uint64, len(t.Nodes))
	t.graph.walk(t.structs[t.kindOf[member]], func(node int, calls uint64) { counts[node] = calls })
	return counts
}

// standing is distinct calls of a location that stand at a node, with how often they do.
type standing struct {
	node   int // -1 for the location itself
	merged uint32
	calls  []calltree.Run
}

// walk calls do with the number of calls that a location has at each of its nodes.
func (g *graph) walk(root calltree.Node, do func(node int, calls uint64)) {
	stack := []standing{{-1, 0, []calltree.Run{{Node: root, Count: 1}}}}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.node >= 0 {
			own := uint64(0)
			for _, r := range s.calls {
				own = shape.Plus(own, r.Count)
			}
			do(s.node, own)
		}
		m := &g.all[s.merged]
		inside := make([][]calltree.Run, len(m.columns))
		for _, r := range s.calls {
			g.runsOf(m, g.spot(s.merged, r.Node), r.Node, func(column int32, in calltree.Run) {
				inside[column] = append(inside[column], calltree.Run{Node: in.Node, Count: shape.Times(r.Count, in.Count)})
			})
		}
		for i, calls := range inside {
			if len(calls) > 0 {
				stack = append(stack, standing{s.node + int(m.columns[i].offset), m.columns[i].inside, summed(calls)})
			}
		}
	}
}

// runsOf calls do with the runs of calls inside of a call of a merged call, and their columns.
func (g *graph) runsOf(m *merged, spot uint32, call calltree.Node, do func(column int32, r calltree.Run)) {
	if !m.ordered() {
		for _, it := range foldNames(g.forest, call).items {
			for _, r := range it.calls {
				do(m.byName[it.name], r)
			}
		}
		return
	}
	for c := newCursor(call); ; {
		r, ok := c.nextRun(g.forest)
		if !ok {
			return
		}
		do(int32(g.runs[int(g.spots[spot])+int(c.run)]), r)
	}
}
