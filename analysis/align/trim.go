package align

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// trim cuts off what two lists begin and end with. To align equal ends with each other costs nothing, and no alignment is better for doing
// otherwise, since costs are a metric. Groups are opened where the ends of the lists lie in them.
func trim(f *calltree.Forest, a, b []calltree.Run) (restA, restB, head, tail []calltree.Run) {
	a, b, head, tail = trimRuns(a, b)
	if len(a) == 0 || len(b) == 0 {
		return a, b, head, tail
	}
	if ends(f, a[0], b[0]) {
		var more []calltree.Run
		a, b, more = trimEnds(f, reversed(a), reversed(b), true)
		a, b, head = reversed(a), reversed(b), append(slices.Clip(head), more...)
	}
	if len(a) > 0 && len(b) > 0 && ends(f, a[len(a)-1], b[len(b)-1]) {
		var more []calltree.Run
		a, b, more = trimEnds(f, slices.Clone(a), slices.Clone(b), false)
		slices.Reverse(more)
		tail = append(more, tail...)
	}
	return a, b, head, tail
}

// trimRuns cuts off whole runs.
func trimRuns(a, b []calltree.Run) (restA, restB, head, tail []calltree.Run) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	head, a, b = a[:n], a[n:], b[n:]
	n = 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return a[:len(a)-n], b[:len(b)-n], head, a[len(a)-n:]
}

// ends reports whether two runs may have an end in common.
func ends(f *calltree.Forest, x, y calltree.Run) bool {
	return x.Node == y.Node || f.IsGroup(x.Node) || f.IsGroup(y.Node)
}

// reversed returns a list in the opposite order.
func reversed(list []calltree.Run) []calltree.Run {
	out := slices.Clone(list)
	slices.Reverse(out)
	return out
}

// trimEnds takes off what two lists have at their ends, the last run first. Backward says that they are in the opposite order.
func trimEnds(f *calltree.Forest, a, b []calltree.Run, backward bool) (restA, restB, off []calltree.Run) {
	for len(a) > 0 && len(b) > 0 {
		x, y := &a[len(a)-1], &b[len(b)-1]
		groupX, groupY := f.IsGroup(x.Node), f.IsGroup(y.Node)
		switch {
		case x.Node == y.Node:
			count := min(x.Count, y.Count)
			off = append(off, calltree.Run{Node: x.Node, Count: count})
			a, b = less(a, count), less(b, count)
		case groupX && (!groupY || f.Size(x.Node) >= f.Size(y.Node)):
			a = opened(f, a, backward)
		case groupY:
			b = opened(f, b, backward)
		default:
			return a, b, off
		}
	}
	return a, b, off
}

// less returns a list with some calls less in its last run, which goes if it has no others.
func less(list []calltree.Run, count uint64) []calltree.Run {
	last := &list[len(list)-1]
	if last.Count -= count; last.Count == 0 {
		return list[:len(list)-1]
	}
	return list
}

// opened returns a list with one group of its last run taken apart.
func opened(f *calltree.Forest, list []calltree.Run, backward bool) []calltree.Run {
	inside := f.Runs(list[len(list)-1].Node)
	list = less(list, 1)
	if !backward {
		return append(list, inside...)
	}
	for _, r := range slices.Backward(inside) {
		list = append(list, r)
	}
	return list
}
