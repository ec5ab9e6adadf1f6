package fold

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Rows folds the locations of each group, as far as the window has them, and yields the rows in the order of the groups. Groups without a
// location in the window have none. Filters of the window by kinds of events do not matter; one by the duration of calls is an error.
// [ErrEmpty], [ErrNoLocations] and [memory.ErrExceeded] say why there is no answer. The work ends with the context.
func Rows(ctx context.Context, r *store.Reader, w *store.Window, groups []Group, o Options) iter.Seq2[*Row, error] {
	o.setDefaults()
	return func(yield func(*Row, error) bool) {
		if err := o.check(w); err != nil {
			yield(nil, err)
			return
		}
		defs, err := r.WithContext(ctx).Definitions()
		if err != nil {
			yield(nil, err)
			return
		}
		f := &folder{window: w.WithContext(ctx), groups: groups, opt: o, reader: r.WithContext(ctx), info: r.Info(), steps: newSteps(defs, w)}
		from, to := w.Bounds()
		f.raster = trace.Raster{From: from, Length: uint64(to - from), Pixels: o.Pixels}
		for pixel := range o.Pixels {
			f.lengths = append(f.lengths, uint64(f.raster.Border(pixel+1)-f.raster.Border(pixel)))
		}
		if err := f.locate(); err != nil {
			yield(nil, err)
			return
		}
		for first := 0; first < len(groups); {
			end, err := f.fitting(first)
			if err != nil {
				yield(nil, err)
				return
			}
			if !f.batch(first, end, yield) {
				return
			}
			first = end
		}
	}
}

// folder folds groups.
type folder struct {
	window *store.Window
	groups []Group
	opt    Options
	reader *store.Reader
	info   *store.Info
	raster trace.Raster
	// lengths are those of the pixels, in ticks.
	lengths []uint64
	steps   *steps
	// chosen are the locations of the window, as places in the file's list.
	chosen  map[uint64]place
	lanes   int   // one more than the last lane of the window
	several int   // number of the window's lanes
	done    int64 // locations
	adder   adder
	row     Row
	// finished are piles that others take the room of.
	finished []pile
	members  [][]int // of the piles at hand: places in a timeline
}

// place says where a location is kept.
type place struct {
	lane  int32
	group int32 // -1 for none
}

// locate finds out which of the groups' locations the window has.
func (f *folder) locate() error {
	f.chosen = map[uint64]place{}
	ids, err := f.window.LocationIDs()
	if err != nil {
		return err
	}
	for _, l := range ids {
		f.chosen[l] = place{group: -1}
	}
	if len(f.chosen) == 0 {
		return ErrNoLocations
	}
	locations, err := f.reader.Locations()
	if err != nil {
		return err
	}
	lanes := map[uint32]bool{}
	for i := range locations {
		l := &locations[i]
		if p, ok := f.chosen[l.ID]; ok {
			lanes[l.Lane] = true
			p.lane = int32(l.Lane)
			f.lanes = max(f.lanes, int(l.Lane)+1)
			f.chosen[l.ID] = p
		}
	}
	f.several = len(lanes)
	for g := range f.groups {
		for _, id := range f.groups[g].Locations {
			p, ok := f.chosen[id]
			if !ok {
				continue
			}
			if p.group >= 0 {
				return fmt.Errorf("location %d is in group %q and in group %q", id, f.groups[p.group].Name, f.groups[g].Name)
			}
			p.group = int32(g)
			f.chosen[id] = p
		}
	}
	return nil
}

// About what a pixel of a group takes while its members are added up, in bytes: sums of some regions, once more while they are merged, and
// the row. What is read of locations has the rest of the memory.
const (
	pixelBytes = 400
	pileShare  = 2
)

// fitting returns the end of the groups from the first one on that are folded at once. Members are read lane by lane; a group is under way
// from its first lane until it, and all groups before it, have their last.
func (f *folder) fitting(first int) (end int, err error) {
	under, last := make([]int64, f.lanes), 0
	room := f.opt.Memory / pileShare
	for end = first; end < len(f.groups); end++ {
		from, size := f.lanes, int64(f.opt.Pixels)*pixelBytes
		for _, id := range f.groups[end].Locations {
			if p, ok := f.chosen[id]; ok {
				from, last = min(from, int(p.lane)), max(last, int(p.lane))
				if f.opt.Select == Quantiles {
					size += int64(f.opt.Pixels) * quantileBytes
				}
			}
		}
		if size > room {
			return 0, fmt.Errorf("%w: group %q takes %d kB of %d; fewer pixels or more memory will do, or without quantiles", memory.ErrExceeded, f.groups[end].Name, size/1000, room/1000)
		}
		for lane := from; lane <= last && lane < f.lanes; lane++ {
			if under[lane] += size; under[lane] > room && end > first {
				return end, nil
			}
		}
	}
	return end, nil
}

// batch folds some groups, and reports whether to go on.
func (f *folder) batch(first, end int, yield func(*Row, error) bool) bool {
	piles, ids := f.piles(first, end)
	if len(ids) == 0 {
		return true
	}
	window, next := f.window.WithLocations(ids...), 0
	most := max(1, int((f.opt.Memory-f.opt.Memory/pileShare)/(int64(f.opt.Pixels)*pixelBytes)))
	for t, err := range window.TimelineRuns(store.TimelineOptions{Pixels: f.opt.Pixels, Exact: f.opt.Exact, Locations: most, Lanes: f.several}) {
		if err != nil {
			yield(nil, err)
			return false
		}
		f.add(piles, first, t)
		ready := next
		for ready < len(piles) && piles[ready].left == 0 {
			ready++
		}
		if err := f.utilisation(piles[next:ready]); err != nil {
			yield(nil, err)
			return false
		}
		for ; next < ready; next++ {
			if piles[next].members > 0 && !yield(f.finish(piles[next]), nil) {
				return false
			}
			f.recycle(piles[next])
			piles[next] = nil
		}
		f.done += int64(len(t.Locations))
		f.opt.Progress.Report(f.done, int64(len(f.chosen)))
	}
	return true
}

// piles returns the piles of some groups, and the ids of their members.
func (f *folder) piles(first, end int) (piles []*pile, ids []uint64) {
	longest := f.raster.Length/uint64(f.raster.Pixels) + 1
	for g := first; g < end; g++ {
		p := &pile{group: g}
		for _, id := range f.groups[g].Locations {
			if _, ok := f.chosen[id]; ok {
				ids = append(ids, id)
				p.members++
			}
		}
		p.left = p.members
		piles = append(piles, p)
		if p.shift = uint(max(0, bits.Len64(longest)-32)); f.opt.Select == Quantiles {
			p.times = make([]memberTimes, f.opt.Pixels)
		}
	}
	return piles, ids
}

// add adds a timeline to the piles of groups, of which the first is known.
func (f *folder) add(piles []*pile, first int, t *store.TimelineRuns) {
	if len(f.members) < len(piles) {
		f.members = make([][]int, len(piles))
	}
	var touched []int
	for i, id := range t.Locations {
		at := int(f.chosen[id].group) - first
		if len(f.members[at]) == 0 {
			touched = append(touched, at)
		}
		f.members[at] = append(f.members[at], i)
	}
	f.adder.reset(t, f.lengths)
	for _, at := range touched {
		p := piles[at]
		if p.busy == nil {
			f.prepare(p)
		}
		f.adder.add(p, f.members[at])
		f.members[at] = f.members[at][:0]
	}
}

// prepare gives a pile room for pixels, that of a finished one if there is any.
func (f *folder) prepare(p *pile) {
	if n := len(f.finished) - 1; n >= 0 {
		p.busy, p.errors = f.finished[n].busy, f.finished[n].errors
		f.finished = f.finished[:n]
		clear(p.busy)
		clear(p.errors)
		return
	}
	p.busy, p.errors = make([]busySum, f.opt.Pixels), make([]uint64, f.opt.Pixels)
}

// recycle keeps the room of a pile whose row was taken.
func (f *folder) recycle(p *pile) {
	f.adder.keep(p.sums, p.ends)
	if p.busy != nil {
		f.finished = append(f.finished, pile{busy: p.busy, errors: p.errors})
	}
}

// finish makes the row of a pile.
func (f *folder) finish(p *pile) *Row {
	r := &f.row
	r.Group, r.Members, r.Errors = p.group, p.members, p.errors
	r.Pixels = slices.Grow(r.Pixels[:0], f.opt.Pixels)[:f.opt.Pixels]
	for i := range r.Pixels {
		b := &p.busy[i]
		if int(b.members) < p.members {
			b.least = 0
		}
		s := states{sums: p.sums[startOf(p.ends, i):p.ends[i]], members: uint64(p.members), length: f.lengths[i], busy: b}
		state, ticks := s.choose(f.opt.Select)
		low, high := b.most, b.most
		if p.mixed != nil && p.mixed[i] {
			if high = min(b.sum, f.lengths[i]); p.union != nil {
				low, high = p.union[i], p.union[i]
			}
		}
		r.Pixels[i] = Pixel{State: state, Ticks: ticks, Apart: s.length - s.common(), Busy: Busy{Least: b.least, Most: b.most, Sum: b.sum, Low: low, High: high}}
		if p.times != nil {
			r.Pixels[i].Busy.Quartiles = p.quartiles(i, f.lengths[i])
		}
	}
	return r
}
