package segment

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
)

// Part is a call path with its part of a finding: the own time in it, without that of calls inside, in the shown segment, and in the one that
// it is compared with, in ticks.
type Part struct {
	Path       []string
	Own, Usual int64
}

// Against returns the segment that the shown one of a finding is compared with, as a place in the lines of its level and a number: that of the
// other location whose SOS time is the median in that segment; of slow segments, the one of the same location whose SOS time is.
func (f *Finding) Against() (line int, number int64) {
	lines := f.Level.Lines
	if f.Kind == Slow {
		l := &lines[f.Line]
		usual := medianOf(slices.Clone(l.Own))
		return f.Line, l.First + int64(slices.Index(l.Own, usual))
	}
	for i := range lines {
		if at, ok := lines[i].At(f.Shown); ok && i != f.Line && lines[i].Own[at] == f.Usual {
			return i, f.Shown
		}
	}
	return f.Line, f.Shown
}

// least is the smallest part of the whole difference that a call path has to have.
const least = 0.1

// Where returns the call paths in which the location of a finding worked longer than what it is compared with, those with the largest
// differences first, at most a number. Paths begin with the outermost call. Only the two segments are read.
func (a *Analysis) Where(ctx context.Context, f *Finding, most int) ([]Part, error) {
	parts := map[string]*Part{}
	line, number := f.Against()
	for _, of := range []struct {
		line   int
		number int64
		add    func(p *Part, ticks int64)
	}{
		{f.Line, f.Shown, func(p *Part, ticks int64) { p.Own += ticks }},
		{line, number, func(p *Part, ticks int64) { p.Usual += ticks }},
	} {
		l := &f.Level.Lines[of.line]
		at, _ := l.At(of.number)
		if err := a.profile(ctx, l, at, parts, of.add); err != nil {
			return nil, err
		}
	}
	var list []Part
	var whole int64
	for _, p := range parts {
		if p.Own > p.Usual {
			list, whole = append(list, *p), whole+p.Own-p.Usual
		}
	}
	slices.SortFunc(list, func(x, y Part) int {
		return cmp.Or(cmp.Compare(y.Own-y.Usual, x.Own-x.Usual), slices.Compare(x.Path, y.Path))
	})
	return slices.DeleteFunc(list[:min(len(list), most)], func(p Part) bool { return float64(p.Own-p.Usual) < least*float64(whole) }), nil
}

// profile adds the own time of a segment by call path.
func (a *Analysis) profile(ctx context.Context, l *Line, at int, parts map[string]*Part, add func(*Part, int64)) error {
	from := l.Starts[at]
	if l.Durations[at] == 0 {
		return nil
	}
	w := a.window.Within(from, from+l.Durations[at]).WithLocations(l.Place.Location).WithContext(ctx)
	p, err := calltree.Of(a.reader.WithContext(ctx), w, calltree.Options{})
	if err != nil {
		return err
	}
	waits := make([]bool, len(p.Paths))
	paths := make([][]string, len(p.Paths))
	for i := range p.Paths {
		c := &p.Paths[i]
		if c.Parent >= 0 {
			waits[i], paths[i] = waits[c.Parent], paths[c.Parent]
		}
		if class := a.defs.RegionClass(p.Names.Region(c.Name)); class.Synchronises() {
			waits[i] = true
		} else if class.WorksInside() {
			waits[i] = false
		}
		paths[i] = append(slices.Clip(paths[i]), p.Names.Text(c.Name))
		for cell := range p.On(i) {
			if cell.Exclusive > 0 && !waits[i] {
				key := strings.Join(paths[i], "\x00")
				if parts[key] == nil {
					parts[key] = &Part{Path: paths[i]}
				}
				add(parts[key], cell.Exclusive)
			}
		}
	}
	return nil
}
