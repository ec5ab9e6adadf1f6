package calltree

// Content returns a number that equal calls have in each forest and process, and others hardly ever: an order of calls that does not
// depend on which were added first.
func (f *Forest) Content(n Node) uint64 { return f.call(n).content }

// Shallow returns calls without what is more than a number of levels inside of them. Levels take stack: they should be some thousands at most.
func (f *Forest) Shallow(roots []Node, levels int) []Node {
	s := shallow{f, map[cutAtLevel]*content{}, map[cutAtLevel]Node{}}
	out := make([]Node, len(roots))
	for i, r := range roots {
		out[i] = s.call(r, levels)
	}
	return out
}

// shallow makes calls shallow, each once for each number of levels.
type shallow struct {
	forest *Forest
	groups map[cutAtLevel]*content
	calls  map[cutAtLevel]Node
}

// cutAtLevel is a call or group, and how many levels of what is inside of it are left.
type cutAtLevel struct {
	node   Node
	levels int
}

func (s *shallow) call(n Node, levels int) Node {
	f := s.forest
	if f.Depth(n) <= levels+1 {
		return n
	}
	key := cutAtLevel{n, levels}
	cut, ok := s.calls[key]
	if !ok {
		cut = f.close(f.Name(n), s.inside(n, levels))
		s.calls[key] = cut
	}
	return cut
}

// inside returns what a call or group has.
func (s *shallow) inside(n Node, levels int) *content {
	f, all := s.forest, &content{}
	if levels == 0 {
		return all
	}
	for i := range f.Runs(n) {
		r := f.Runs(n)[i] // calls that are added may move the list
		if !f.IsGroup(r.Node) {
			f.pushRun(all, Run{s.call(r.Node, levels-1), r.Count})
			continue
		}
		key := cutAtLevel{r.Node, levels}
		group := s.groups[key]
		if group == nil {
			group = s.inside(r.Node, levels)
			s.groups[key] = group
		}
		f.appendTimes(all, group, r.Count)
	}
	return all
}
