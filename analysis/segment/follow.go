package segment

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// mostRecords is the number of candidates that are recorded before it is known which one is wanted.
const mostRecords = 32

// segmentShare of the memory is for segments; findings take half as much again.
const segmentShare = 5

// room returns the number of segments that are kept.
func (f *finding) room() int { return int(f.memory / segmentShare / segmentBytes) }

// eager returns what is recorded before it is known which candidate covers most: the coarsest, as far as there is room, and one more.
func (f *finding) eager() (list []want) {
	type counted struct {
		want
		calls uint64
	}
	s := &f.structure
	var all []counted
	total := map[calltree.Name]uint64{}
	for i := range s.locations {
		for _, b := range s.forest.Bag(s.locations[i].Root) {
			total[b.Name] += min(b.Calls, 1<<40)
		}
	}
	regions := newRegions(s.forest, f.defs)
	for n, calls := range total {
		if n != 0 && calls >= Repeats && !regions.list[n].waits {
			all = append(all, counted{want{n, none}, calls})
		}
	}
	for i, g := range s.groups {
		all = append(all, counted{want{g.first, i}, total[g.first]})
	}
	slices.SortFunc(all, func(a, b counted) int {
		return cmp.Or(cmp.Compare(a.calls, b.calls), cmp.Compare(b.group, a.group), cmp.Compare(a.name, b.name))
	})
	left := uint64(f.room())
	for _, c := range all {
		if list = append(list, c.want); c.calls > left || len(list) == mostRecords {
			break
		}
		left -= c.calls
	}
	return list
}

// follow follows the window's events, and records the segments of candidates. It finds all candidates, if they are not known yet.
func (f *finding) follow(wanted []want) ([]*record, error) {
	w := newWalk(&f.structure, newRegions(f.structure.forest, f.defs), wanted, f.room())
	w.from = max(f.reader.Info().First, f.from())
	if err := f.begin(w); err != nil {
		return nil, err
	}
	for run, err := range f.window.Times() {
		if err != nil {
			return nil, err
		}
		w.follow(w.line(run.Location), f.events.Of(run.Shapes), run)
		w.shrink()
		f.done += int64(len(run.Times))
		f.opt.Progress.Report(f.done, 0)
	}
	_, to := f.window.Bounds()
	w.close(to > f.reader.Info().Last)
	f.waits = f.waits || w.regions.waits()
	if f.candidates == nil {
		f.gather(w)
	}
	return w.trimmed(), nil
}

// from returns the window's begin.
func (f *finding) from() int64 {
	from, _ := f.window.Bounds()
	return from
}

// begin puts the calls on the stacks that are open when the window begins, and counts the segments that began before.
func (f *finding) begin(w *walk) error {
	open, err := f.window.OpenCalls()
	if err != nil {
		return err
	}
	from := f.from()
	for i := range open {
		e := f.events.OfCall(&open[i])
		w.enter(w.line(open[i].Location), &e, from, cut)
	}
	if from <= f.reader.Info().First {
		return nil
	}
	return f.number(w, from)
}

// number counts the segments that began before the window.
func (f *finding) number(w *walk, from int64) error {
	forest := calltree.NewForest()
	before := f.window.Within(f.reader.Info().First, from)
	locations, err := forest.Read(f.ctx, f.reader, before, calltree.ReadOptions{Memory: f.memory / 4})
	if err != nil {
		return err
	}
	now := f.structure.forest
	s := structure{forest: forest}
	for _, g := range f.structure.groups {
		s.groups = append(s.groups, group{around: forest.Named(now.NameOf(g.around)), first: forest.Named(now.NameOf(g.first))})
	}
	for i, r := range w.records {
		begun := s.begun(want{forest.Named(now.NameOf(r.name)), r.group})
		for _, l := range locations {
			w.line(l.ID).begun[i] = int64(min(begun[l.Root], math.MaxInt64/2))
		}
	}
	return nil
}

// gather makes the candidates of what the walk has added up.
func (f *finding) gather(w *walk) {
	s := &f.structure
	f.candidates = []Candidate{}
	for n := range w.regions.list {
		p, sum := &w.regions.list[n], &w.regions.sums[n]
		if p.waits || sum.calls == 0 {
			continue
		}
		c := Candidate{Name: s.forest.NameOf(calltree.Name(n)), Segments: sum.calls, Covered: sum.covered, name: calltree.Name(n), group: none}
		c.count(s, func(l *calltree.Location) uint64 {
			if p.nested != none {
				return uint64(w.lines[l.ID].outer[p.nested])
			}
			return callsOf(s.forest, l.Root, c.name) - w.lines[l.ID].lost[c.name]
		})
		f.candidates = append(f.candidates, c)
	}
	for i := range s.groups {
		g := &s.groups[i]
		c := Candidate{
			Name: s.forest.NameOf(g.first), Group: true, Around: s.forest.NameOf(g.around),
			Segments: w.sums[i].segments, Covered: w.sums[i].covered, name: g.first, group: i,
		}
		for _, n := range g.body {
			c.Body = append(c.Body, s.forest.NameOf(n))
		}
		c.count(s, func(l *calltree.Location) uint64 {
			if q := w.lines[l.ID].groups[i]; q != nil {
				return q.segments
			}
			return 0
		})
		f.candidates = append(f.candidates, c)
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c Candidate) bool { return !c.most || c.Covered.Cmp(trace.Sum{}) == 0 })
	rank(f.candidates)
}
