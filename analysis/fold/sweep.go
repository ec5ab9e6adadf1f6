package fold

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/store"
)

// span is some time, [from, to) in ticks.
type span struct{ from, to int64 }

// utilisation finds the union of busy time of complete piles: pixels in which one member is busy all the time, or only one at all, need
// no more than the sums. Of the others, it follows calls.
func (f *folder) utilisation(piles []*pile) error {
	var some []*pile
	for _, p := range piles {
		if p.members > 1 && f.mix(p) {
			some = append(some, p)
		}
	}
	if len(some) == 0 || f.opt.Quick {
		return nil
	}
	mixed := make([]bool, f.opt.Pixels) // in any pile
	for _, p := range some {
		p.union = make([]uint64, f.opt.Pixels)
		for i, m := range p.mixed {
			mixed[i] = mixed[i] || m
		}
	}
	for first := 0; first < len(mixed); first++ {
		if !mixed[first] {
			continue
		}
		end, err := f.together(mixed, first)
		if err != nil {
			return err
		}
		if err := f.sweep(some, first, end); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// mix notes the pixels whose union the sums of a pile do not tell, and reports whether there are any. A pixel of which no member is busy
// behind the trace's last event counts as short as that.
func (f *folder) mix(p *pile) (any bool) {
	for i := range p.busy {
		b := &p.busy[i]
		from, to := f.raster.Border(i), min(f.raster.Border(i+1), f.info.Last)
		if b.sum > b.most && from < to && b.most < uint64(to-from) {
			if !any {
				p.mixed, any = make([]bool, len(p.busy)), true
			}
			p.mixed[i] = true
		}
	}
	return any
}

// together returns the end of some pixels from a mixed one on that are swept at once: those between two mixed ones are read, too, if they
// have no more events than what a sweep reads at both its ends.
func (f *folder) together(mixed []bool, first int) (end int, err error) {
	end = first + 1
	for next := end; next < len(mixed); next++ {
		if !mixed[next] {
			continue
		}
		if next > end {
			left, right := f.raster.Border(end), f.raster.Border(next)
			between, err := f.window.Within(left, right).TouchedEvents()
			if err != nil {
				return 0, err
			}
			ends := uint64(0)
			for _, at := range []int64{left, right} {
				n, err := f.window.Within(at-1, at).TouchedEvents()
				if err != nil {
					return 0, err
				}
				ends += n
			}
			if between > ends {
				break
			}
		}
		end = next + 1
	}
	return end, nil
}

// follower follows the calls of a location.
type follower struct {
	pile  *pile
	stack []step // open calls
	since int64  // up to when busy time has been noted
	busy  bool   // now
}

// sweep adds up the union of busy time of piles from one pixel to another.
func (f *folder) sweep(piles []*pile, first, end int) error {
	s := sweep{folder: f, of: map[uint64]*follower{}}
	from, to := f.raster.Border(first), min(f.raster.Border(end), f.info.Last)
	var ids []uint64
	for _, p := range piles {
		if !slices.Contains(p.mixed[first:end], true) {
			continue
		}
		s.piles = append(s.piles, p)
		for _, id := range f.groups[p.group].Locations {
			if _, ok := f.chosen[id]; ok {
				l := &follower{pile: p, since: from}
				s.of[id], s.list, ids = l, append(s.list, l), append(ids, id)
			}
		}
	}
	return s.run(f.window.Within(from, f.raster.Border(end)).WithLocations(ids...), from, to)
}

// sweep is one under way.
type sweep struct {
	*folder
	piles []*pile
	of    map[uint64]*follower // by location
	list  []*follower
	held  int // spans of all piles
}

// Busy spans are joined at the end of a slice when they take more than a share of the memory.
const (
	spanShare = 32
	spanBytes = 16
)

// run goes through the times of a window.
func (s *sweep) run(w *store.Window, from, to int64) error {
	open, err := w.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		l, step := s.of[open[i].Location], s.steps.ofCall(&open[i])
		l.stack, l.busy = append(l.stack, step), step.busy
	}
	slice, seen := uint64(0), from // seen is up to when all events are known
	most := int(s.opt.Memory/(spanShare*spanBytes)) + 2*len(s.list)
	for run, err := range w.Times() {
		if err != nil {
			return err
		}
		if run.Slice != slice {
			if slice = run.Slice; s.held > most {
				s.join(seen)
			}
		}
		l := s.of[run.Location]
		s.held -= len(l.pile.spans)
		l.follow(s.steps.leaves(run.Shapes), run)
		s.held += len(l.pile.spans)
		seen = max(seen, run.Times[len(run.Times)-1])
	}
	s.join(to)
	return nil
}

// follow notes when a location is busy.
func (l *follower) follow(leaves []step, run *store.TimeRun) {
	when := run.Times[:len(run.Leaves)]
	for i, leaf := range run.Leaves {
		s := &leaves[leaf]
		switch s.class {
		case enter:
			l.stack = append(l.stack, *s)
			l.turn(when[i], s.busy)
		case leave:
			n := len(l.stack) - 1
			for n >= 0 && l.stack[n].key != s.key {
				n--
			}
			if n >= 0 {
				l.stack = l.stack[:n]
				l.turn(when[i], n > 0 && l.stack[n-1].busy)
			}
		}
	}
}

// turn notes that a location is busy from some time on, or not.
func (l *follower) turn(now int64, busy bool) {
	if busy == l.busy {
		return
	}
	if l.busy {
		l.note(now)
	}
	l.busy, l.since = busy, now
}

// note notes a span of busy time that ends.
func (l *follower) note(now int64) {
	if now > l.since {
		l.pile.spans = append(l.pile.spans, span{l.since, now})
	}
}

// join adds what the spans up to some time cover to the union of their piles.
func (s *sweep) join(until int64) {
	for _, l := range s.list {
		if l.busy {
			l.note(until)
			l.since = max(l.since, until)
		}
	}
	for _, p := range s.piles {
		slices.SortFunc(p.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		s.cover(p)
		p.spans = p.spans[:0]
	}
	s.held = 0
}

// cover adds the time that spans cover, which are in order of their begins, to the mixed pixels of a pile.
func (f *folder) cover(p *pile) {
	for i := 0; i < len(p.spans); {
		all := p.spans[i]
		for i++; i < len(p.spans) && p.spans[i].from <= all.to; i++ {
			all.to = max(all.to, p.spans[i].to)
		}
		for pixel := f.raster.Find(all.from); all.from < all.to; pixel++ {
			part := min(all.to, f.raster.Border(pixel+1))
			if p.mixed[pixel] && part > all.from {
				p.union[pixel] += uint64(part - all.from)
			}
			all.from = max(all.from, part)
		}
	}
}
