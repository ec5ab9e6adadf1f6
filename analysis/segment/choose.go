package segment

import (
	"fmt"
	"slices"
)

// NoneError says why a window has no segments.
type NoneError struct{ Why string }

// Error implements error.
func (e *NoneError) Error() string { return e.Why }

// choose finds the candidate that the options name, and the chain below it.
func (f *finding) choose(a *Analysis) error {
	from, err := f.begins(a.Candidates)
	if err != nil {
		return err
	}
	a.Chain = f.structure.chain(a.Candidates, from)
	if f.opt.Finer >= len(a.Chain) {
		return &NoneError{fmt.Sprintf("nothing inside of %s repeats often enough to be %d steps finer: there are %d", a.Candidates[from].Title(), f.opt.Finer, len(a.Chain)-1)}
	}
	a.Chosen = a.Chain[f.opt.Finer]
	return nil
}

// begins returns the candidate at which the chain begins.
func (f *finding) begins(all []Candidate) (int, error) {
	is, asked := func(*Candidate) bool { return true }, ""
	switch opt := &f.opt; {
	case opt.Region != "":
		is, asked = func(c *Candidate) bool { return !c.Group && c.Name == opt.Region }, "region "+opt.Region
	case opt.Group != "":
		is = func(c *Candidate) bool { return c.Group && (c.Name == opt.Group || c.Title() == opt.Group) }
		asked = "group that begins with " + opt.Group
	case opt.AnyGroup:
		is, asked = func(c *Candidate) bool { return c.Group }, "group of calls"
	}
	at := slices.IndexFunc(all, func(c Candidate) bool { return is(&c) })
	switch {
	case at >= 0:
		return at, nil
	case len(f.structure.locations) == 0:
		return 0, &NoneError{"the window has no calls"}
	case asked != "":
		return 0, &NoneError{fmt.Sprintf("no %s has at least %d whole calls on most of the locations where it occurs, and time of its own", asked, Repeats)}
	}
	return 0, &NoneError{fmt.Sprintf("no region and no group of calls repeats at least %d times in the window on most of the locations where it occurs: there is nothing to compare", Repeats)}
}

// Title returns how people call the candidate.
func (c *Candidate) Title() string {
	switch {
	case !c.Group:
		return c.Name
	case c.Around == "":
		return "the loop from " + c.Name
	}
	return fmt.Sprintf("the loop from %s in %s", c.Name, c.Around)
}

// level returns the segments that were recorded of a candidate.
func (f *finding) level(candidate int, r *record) Level {
	v := Level{Candidate: candidate, Stride: r.stride}
	by := map[uint64]*series{}
	for _, s := range r.lines {
		by[s.id] = s
	}
	var ids []uint64
	for _, id := range f.reader.Info().LocationIDs() {
		if s := by[id]; s != nil && len(s.starts) > 0 {
			ids = append(ids, id)
		}
	}
	for i, p := range f.defs.Places(ids) {
		s := by[ids[i]]
		v.Lines = append(v.Lines, Line{Place: p, First: s.first, Starts: s.starts, Durations: s.durations, Own: s.owns})
	}
	return v
}
