package calltree

// Nested yields the names of calls and of those directly inside of them, each pair once, of all calls below some.
func (f *Forest) Nested(roots []Node, yield func(caller, callee Name)) {
	v := nesting{forest: f, first: make([]uint32, f.Len()), more: map[under]bool{}, pairs: map[[2]Name]bool{}}
	for _, r := range roots {
		v.visit(under{r, f.Name(r)})
	}
	for len(v.open) > 0 {
		u := v.open[len(v.open)-1]
		v.open = v.open[:len(v.open)-1]
		for _, r := range f.Runs(u.node) {
			if f.IsGroup(r.Node) {
				v.visit(under{r.Node, u.name})
				continue
			}
			name := f.Name(r.Node)
			v.visit(under{r.Node, name})
			if pair := [2]Name{u.name, name}; pair != v.last && !v.pairs[pair] {
				v.pairs[pair] = true
				yield(u.name, name)
			} else {
				v.last = pair
			}
		}
	}
}

// nesting is a walk through calls, and through groups once for each name around them.
type nesting struct {
	forest *Forest
	first  []uint32 // by call or group: 1 more than the first name that it was visited below
	more   map[under]bool
	pairs  map[[2]Name]bool
	last   [2]Name // one that is in pairs
	open   []under
}

func (v *nesting) visit(u under) {
	switch first := v.first[u.node]; {
	case first == 0:
		v.first[u.node] = uint32(u.name) + 1
	case first == uint32(u.name)+1 || v.more[u]:
		return
	default:
		v.more[u] = true
	}
	v.open = append(v.open, u)
}
