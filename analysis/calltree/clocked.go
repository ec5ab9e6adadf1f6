package calltree

import "github.com/pandotrace/pando/store"

// clocked follows the enters and leaves of a run, and adds the time between them to nodes. It reports false if the tree is full.
func (p *place) clocked(t *tree, leaves []step, run *store.TimeRun) bool {
	at, last, ticks := p.node, p.last, p.ticks
	when := run.Times[:len(run.Leaves)]
	for i, leaf := range run.Leaves {
		s := &leaves[leaf]
		if s.class == point {
			continue
		}
		now := when[i]
		ticks[at] += now - last
		last = now
		if s.class == enter {
			p.stack = append(p.stack, frame{at, s.key, 1})
			child, full := t.child(at, s.name)
			if full {
				return false
			}
			if at = child; int(at) >= len(ticks) {
				p.grow(at)
				ticks = p.ticks
			}
			p.counts[at] += s.calls
			continue
		}
		if top := len(p.stack) - 1; top >= 0 && p.stack[top].key == s.key && p.stack[top].count == 1 {
			at = p.stack[top].before
			p.stack = p.stack[:top]
			continue
		}
		p.node = at
		p.leave(s.key, 1)
		at = p.node
	}
	p.node, p.last = at, last
	return true
}

// until adds the time up to an instant to the node.
func (p *place) until(now int64) {
	if now > p.last {
		p.ticks[p.node] += now - p.last
		p.last = now
	}
}
