package write

// given is the events of a lane that a slice takes apart, location by location.
type given struct {
	stretches []stretch
	runs      []givenRun
	events    int
}

// givenRun is the events of one location: the stretches from that of the run before up to one. There may be none, if the location has
// gaps.
type givenRun struct {
	location *Location
	to       int
	last     bool // no events of the location will follow
}

// add takes the first n pending events of a location.
func (g *given) add(l *Location, n int) {
	g.stretches = l.Pending.take(n, g.stretches)
	if l.finished {
		l.Pending.release()
	}
	g.runs = append(g.runs, givenRun{l, len(g.stretches), l.finished && l.Pending.Events == 0})
	g.events += n
}

// each calls f for each location with its stretches, until there is an error.
func (g *given) each(f func(r *givenRun, s []stretch) error) error {
	from := 0
	for i := range g.runs {
		r := &g.runs[i]
		if err := f(r, g.stretches[from:r.to]); err != nil {
			return err
		}
		from = r.to
	}
	return nil
}

// drop forgets the events, which are now in a slice.
func (g *given) drop(free *batches) {
	for i := range g.stretches {
		if s := &g.stretches[i]; int(s.to) == s.batch.Len() {
			free.put(s.batch)
		}
	}
	clear(g.stretches)
	clear(g.runs)
	g.stretches, g.runs = emptied(g.stretches), emptied(g.runs)
	g.events = 0
}

// emptied returns a list to be filled again, without room for much more than it had.
func emptied[T any](list []T) []T {
	const spare = 64
	if cap(list) > 4*len(list)+spare {
		return nil
	}
	return list[:0]
}
