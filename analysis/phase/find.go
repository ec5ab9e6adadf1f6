package phase

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of Find. The zero value means the defaults.
type Options struct {
	// Memory bounds the memory of looking for a loop, in bytes; 0 means [memory.Usual].
	Memory int64
	// Progress counts events.
	Progress trace.Progress
}

// What is left beside a loop is looked at for other loops if it takes one part in leastShare of the window, up to a number of times.
const (
	leastShare = 50
	mostDeep   = 4
)

// Find finds the phases of a window. A window in which nothing repeats is one phase. Of the window's filters, only that of locations counts. What
// package segment says of memory is true here, too. The work ends with the context.
func Find(ctx context.Context, r *store.Reader, w *store.Window, opt Options) (*Phases, error) {
	ids, err := w.LocationIDs()
	if err != nil {
		return nil, err
	}
	p := &Phases{Locations: ids, of: map[uint64]int{}}
	for i, id := range ids {
		p.of[id] = i
	}
	from, to := w.Bounds()
	from, to = max(from, r.Info().First), min(to, r.Info().Last+1)
	f := &finder{Phases: p, reader: r, window: w, opt: opt, least: max((to-from)/leastShare, 1)}
	if err := f.within(ctx, from, to, mostDeep); err != nil {
		return nil, err
	}
	if err := f.bodies(ctx); err != nil {
		return nil, err
	}
	f.settle(from, to)
	return p, nil
}

// finder looks for phases.
type finder struct {
	*Phases
	reader *store.Reader
	window *store.Window
	opt    Options
	least  int64 // ticks of what is looked at
	found  []stretch
}

// stretch is a loop without what comes between: on each location from one time to another, none if they are equal.
type stretch struct {
	loop     *Loop
	from, to []int64
	known    []bool // locations that have it
}

// within looks for loops in a part of the window.
func (f *finder) within(ctx context.Context, from, to int64, deep int) error {
	if deep == 0 || to-from < f.least {
		return nil
	}
	a, err := f.analysis(ctx, f.window.Within(from, to), "", "")
	if err != nil || a == nil {
		return err
	}
	loops := f.stretches(a)
	if deep < mostDeep {
		if loops, err = f.beside(ctx, a, loops, from, to); err != nil {
			return err
		}
	}
	for _, loop := range loops {
		first, end := loop.bounds()
		if err := f.within(ctx, from, min(first, to), deep-1); err != nil {
			return err
		}
		f.found = append(f.found, loop)
		from = max(from, end)
	}
	return f.within(ctx, from, to, deep-1)
}

// beside returns the loops of a part of the window that are phases besides those that were found before. They last as long as they do in the whole window, but
// where they overlap another loop there.
func (f *finder) beside(ctx context.Context, a *segment.Analysis, loops []stretch, from, to int64) ([]stretch, error) {
	if !slices.ContainsFunc(loops, f.counts) {
		return nil, nil
	}
	a, err := f.whole(ctx, a)
	if err != nil {
		return nil, err
	}
	if all := f.stretches(a); !slices.ContainsFunc(all, f.overlaps) {
		loops = all
	}
	return slices.DeleteFunc(loops, func(s stretch) bool {
		first, end := s.bounds()
		middle := first + (end-first)/2
		return !f.counts(s) || middle < from || middle >= to
	}), nil
}

// analysis cuts a window into segments of a region, of a group, or of what covers most. It is nil if nothing repeats.
func (f *finder) analysis(ctx context.Context, w *store.Window, region, group string) (*segment.Analysis, error) {
	a, err := segment.Find(ctx, f.reader, w, segment.Options{Region: region, Group: group, Memory: f.opt.Memory, Progress: f.opt.Progress})
	if none := (*segment.NoneError)(nil); errors.As(err, &none) {
		return nil, nil
	}
	return a, err
}

// whole returns the segments that a part of the window was cut into, of the whole window: some locations may go on with them when others have begun the
// next loop. If the whole window has another group of that name, it returns those of the part.
func (f *finder) whole(ctx context.Context, part *segment.Analysis) (*segment.Analysis, error) {
	c := &part.Candidates[part.Chosen]
	region, group := c.Name, ""
	if c.Group {
		region, group = "", c.Name
	}
	a, err := f.analysis(ctx, f.window, region, group)
	if err != nil || a == nil {
		return part, err
	}
	if now := &a.Candidates[a.Chosen]; now.Title() != c.Title() || !slices.Equal(now.Body, c.Body) {
		return part, nil
	}
	return a, nil
}

// counts reports whether a loop besides the first one is a phase: if a quarter of the locations have it, and it takes half of what is looked at.
func (f *finder) counts(s stretch) bool {
	var lengths []int64
	for l, known := range s.known {
		if known {
			lengths = append(lengths, s.to[l]-s.from[l])
		}
	}
	return 4*len(lengths) >= len(f.Locations) && 2*middle(lengths) >= f.least
}

// overlaps reports whether a location has a loop and another one that was found at the same time.
func (f *finder) overlaps(s stretch) bool {
	for i := range f.found {
		o := &f.found[i]
		for l, known := range s.known {
			if known && o.known[l] && s.from[l] < o.to[l] && o.from[l] < s.to[l] {
				return true
			}
		}
	}
	return false
}

// bounds returns when the first location begins a loop, and the last one ends it.
func (s *stretch) bounds() (first, end int64) {
	first, end = math.MaxInt64, math.MinInt64
	for l, known := range s.known {
		if known {
			first, end = min(first, s.from[l]), max(end, s.to[l])
		}
	}
	return first, end
}

// stretches returns the segments of an analysis as loops: one, or more where there is a long time without a segment on most locations.
func (f *finder) stretches(a *segment.Analysis) (list []stretch) {
	c := &a.Candidates[a.Chosen]
	holes := f.holes(&a.Level)
	for i, last := range append(holes, math.MaxInt64) {
		first := int64(math.MinInt64)
		if i > 0 {
			first = holes[i-1] + 1
		}
		s := stretch{loop: &Loop{Title: c.Title(), Body: c.Body, Counts: make([]uint64, len(c.Body))}, from: make([]int64, len(f.Locations)), to: make([]int64, len(f.Locations)), known: make([]bool, len(f.Locations))}
		if !c.Group {
			s.loop.region = c.Name
		}
		for k := range a.Level.Lines {
			if at, ok := f.of[a.Level.Lines[k].Place.Location]; ok {
				s.add(f.Locations, at, &a.Level.Lines[k], first, last, a.Level.Stride)
			}
		}
		slices.Sort(s.loop.Locations)
		if len(s.loop.Locations) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// add adds the segments of a location whose numbers lie between two.
func (s *stretch) add(ids []uint64, at int, line *segment.Line, first, last, stride int64) {
	from, end := len(line.Starts), 0
	for i := range line.Starts {
		if n := line.First + int64(i); n >= first && n <= last {
			from, end = min(from, i), i+1
		}
	}
	if from >= end {
		return
	}
	s.known[at], s.from[at], s.to[at] = true, line.Starts[from], line.Starts[end-1]+line.Durations[end-1]
	n := int64(end-from) * stride
	if s.loop.Locations = append(s.loop.Locations, ids[at]); len(s.loop.Locations) == 1 {
		s.loop.Least = n
	}
	s.loop.Least, s.loop.Most = min(s.loop.Least, n), max(s.loop.Most, n)
	for _, ticks := range line.Durations[from:end] {
		s.loop.Ticks.Add(uint64(ticks))
	}
}
