package contrast

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// calledBy is a name that calls of another one have directly inside.
type calledBy struct{ caller, callee calltree.Name }

// structure is which names the calls of a side have, and which of them call which.
type structure struct {
	calls map[calltree.Name]uint64
	pairs map[calledBy]bool
}

// structureOf returns the structure below some calls.
func structureOf(f *calltree.Forest, roots []calltree.Node) structure {
	s := structure{map[calltree.Name]uint64{}, map[calledBy]bool{}}
	for _, r := range roots {
		for _, b := range f.Bag(r) {
			s.calls[b.Name] += b.Calls
		}
	}
	f.Nested(roots, func(caller, callee calltree.Name) { s.pairs[calledBy{caller, callee}] = true })
	return s
}

// partnered are the names of a side: regions, then messages.
type partnered struct {
	both   [2]int          // number of those that the other side has as well
	lone   [2][]LoneRegion // others, those with most calls first
	around map[calltree.Name]bool
}

// partners finds out which names both sides have.
func (s structure) partners(other structure, f *calltree.Forest) partnered {
	p := partnered{around: wrappers(s, other)}
	for n, calls := range s.calls {
		if n == 0 {
			continue
		}
		kind := 0
		if f.IsMessage(n) {
			kind = 1
		}
		if _, both := other.calls[n]; both {
			p.both[kind]++
			continue
		}
		p.lone[kind] = append(p.lone[kind], LoneRegion{n, calls, p.around[n]})
	}
	for _, list := range p.lone {
		slices.SortFunc(list, func(x, y LoneRegion) int {
			return cmp.Or(cmp.Compare(y.Calls, x.Calls), cmp.Compare(f.NameOf(x.Name), f.NameOf(y.Name)))
		})
	}
	return p
}

// wrappers returns the names that only a side has and that stand around calls which the other side has without them: a function that became
// a caller of its own, or that was inlined.
func wrappers(own, other structure) map[calltree.Name]bool {
	found := map[calltree.Name]bool{}
	for changed := true; changed; {
		changed = false
		for n := range own.calls {
			if _, both := other.calls[n]; both || found[n] {
				continue
			}
			if own.lifted(n, other) {
				found[n], changed = true, true
			}
		}
	}
	return found
}

// lifted reports whether callers of a name call what it calls, on the other side. If so, they do on this side as well, once the name is
// transparent.
func (s structure) lifted(n calltree.Name, other structure) bool {
	var callers, callees []calltree.Name
	for p := range s.pairs {
		if p.callee == n && p.caller != n {
			callers = append(callers, p.caller)
		}
		if p.caller == n && p.callee != n {
			callees = append(callees, p.callee)
		}
	}
	lifted := false
	for _, caller := range callers {
		for _, callee := range callees {
			lifted = lifted || other.pairs[calledBy{caller, callee}]
		}
	}
	if lifted {
		for _, caller := range callers {
			for _, callee := range callees {
				s.pairs[calledBy{caller, callee}] = true
			}
		}
	}
	return lifted
}
