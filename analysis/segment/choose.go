package segment

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// NoneError says why a window has no segments. Named says that it is for what the options name: others may have some.
type NoneError struct {
	Why   string
	Named bool
}

// Error implements error.
func (e *NoneError) Error() string { return e.Why }

// choose finds the candidate that the options name, and the chain below it.
func (f *finding) choose(a *Analysis) error {
	from, err := f.begins(a.Candidates)
	if err != nil {
		return err
	}
	a.Chain = f.structure.chain(a.Candidates, from)
	finer := a.Chain[1:]
	switch {
	case f.opt.Finer < len(a.Chain):
		a.Chosen = a.Chain[f.opt.Finer]
		return nil
	case len(finer) == 0:
		return &NoneError{"nothing inside of " + a.Candidates[from].Title() + " repeats and has time of its own", true}
	}
	var titles []string
	for _, c := range finer {
		titles = append(titles, a.Candidates[c].Title())
	}
	levels := "are " + strconv.Itoa(len(finer)) + " finer levels"
	if len(finer) == 1 {
		levels = "is 1 finer level"
	}
	return &NoneError{fmt.Sprintf("inside of %s there %s, not %d: %s", a.Candidates[from].Title(), levels, f.opt.Finer, strings.Join(titles, " > ")), true}
}

// begins returns the candidate at which the chain begins.
func (f *finding) begins(all []Candidate) (int, error) {
	is := func(*Candidate) bool { return true }
	switch opt := &f.opt; {
	case opt.Region != "":
		is = func(c *Candidate) bool { return !c.Group && c.Name == opt.Region }
	case opt.Group != "":
		is = func(c *Candidate) bool { return c.Group && (c.Name == opt.Group || c.Title() == opt.Group) }
	case opt.AnyGroup:
		is = func(c *Candidate) bool { return c.Group }
	}
	if at := slices.IndexFunc(all, func(c Candidate) bool { return is(&c) }); at >= 0 {
		return at, nil
	}
	named := f.opt.Region != "" || f.opt.Group != "" || f.opt.AnyGroup
	return 0, &NoneError{f.why(all), named && len(f.structure.locations) > 0}
}

// why says why there is no candidate.
func (f *finding) why(all []Candidate) string {
	const most = "on most of the locations where it occurs"
	switch opt := &f.opt; {
	case len(f.structure.locations) == 0:
		return "the window has no calls"
	case opt.Region != "":
		return f.whyNot(opt.Region, most)
	case opt.Group != "":
		return fmt.Sprintf("no loop begins with %q%s", opt.Group, near(opt.Group, f.firsts(all)))
	case opt.AnyGroup:
		return fmt.Sprintf("no loop without a region of its own has %d rounds or more %s", Repeats, most)
	}
	return fmt.Sprintf("no region and no group of calls has %d segments or more %s: nothing repeats that could be compared", Repeats, most)
}

// whyNot says why a region is no candidate.
func (f *finding) whyNot(region, most string) string {
	forest := f.structure.forest
	for n, p := range newRegions(forest, f.defs).list {
		switch {
		case n == 0 || forest.NameOf(calltree.Name(n)) != region:
		case p.waits:
			return region + " synchronises: it has no time of its own"
		default:
			return fmt.Sprintf("%s has fewer than %d whole calls %s", region, Repeats, most)
		}
	}
	names := func(yield func(string) bool) {
		for n := 1; n < forest.Names() && yield(forest.NameOf(calltree.Name(n))); n++ {
		}
	}
	return fmt.Sprintf("no region %q has calls in the window%s", region, near(region, names))
}

// firsts are the names of the first calls of groups; without a group, those of regions that repeat.
func (f *finding) firsts(all []Candidate) iter.Seq[string] {
	groups := slices.ContainsFunc(all, func(c Candidate) bool { return c.Group })
	return func(yield func(string) bool) {
		for i := range all {
			if all[i].Group == groups && !yield(all[i].Name) {
				return
			}
		}
	}
}

func near(name string, names iter.Seq[string]) string {
	return trace.DidYouMean(trace.Near(name, names))
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
func (f *finding) level(candidate int, r *record) (Level, error) {
	v := Level{Candidate: candidate, Stride: r.stride}
	by := map[uint64]*series{}
	for _, s := range r.lines {
		by[s.id] = s
	}
	var ids []uint64
	all, err := f.reader.LocationIDs()
	if err != nil {
		return v, err
	}
	for _, id := range all {
		if s := by[id]; s != nil && len(s.starts) > 0 {
			ids = append(ids, id)
		}
	}
	for i, p := range f.defs.Places(ids) {
		s := by[ids[i]]
		v.Lines = append(v.Lines, Line{Place: p, First: s.first, Starts: s.starts, Durations: s.durations, Own: s.owns})
	}
	return v, nil
}
