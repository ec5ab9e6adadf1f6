package contrast

import "github.com/pandotrace/pando/analysis/calltree"

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
