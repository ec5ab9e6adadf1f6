package store

import (
	"errors"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// What calls come to in a window is the difference of two sums: of what they come to before the window's end, and before its
// beginning. A sum up to any time is what the calls that end before a slice come to, which is kept, and those that are open when
// it begins or begin in it. So a summary is about as much work as it has lines, whatever the window's length.

// callsBefore is what the calls of a lane come to before some time.
type callsBefore struct {
	t     int64
	slice uint64
	ended rowWalk    // those that end before the slice
	marks *callMarks // the others
	walk  placeWalk  // of their locations
}

// before finds what the calls of a lane come to before a time of a slice, or of the gap before it. Those that end before the slice are
// not looked for yet.
func (q *summaryQuery) before(lane uint32, slice uint64, t int64) (*callsBefore, error) {
	b := &callsBefore{t: t, slice: slice, ended: noRows.begin(), marks: noMarks}
	switch {
	case t <= q.info.First:
		return b, nil
	case t > q.info.Last:
		b.slice = q.root.Slices
		return b, nil
	}
	var err error
	b.marks, err = q.marks(slice, lane)
	if err == nil {
		b.walk.places = b.marks.places
	}
	return b, err
}

var (
	noRows  = &cellRows{}
	noMarks = &callMarks{}
)

// addEnded adds the calls that end before the slice.
func (q *summaryQuery) addEnded(b *callsBefore, lane uint32) error {
	rows, err := q.endedBefore(b.slice, lane)
	if err == nil {
		b.ended = rows.begin()
	}
	return err
}

// marks returns the marks of a slice, which are kept.
func (r *Reader) marks(slice uint64, lane uint32) (*callMarks, error) {
	return cached(r.cache, cacheKey{what: cachedCallMarks, offset: slice, lane: lane}, func() (*callMarks, int64, error) {
		steps, err := r.callSteps(slice, lane)
		if err != nil {
			return nil, 0, err
		}
		m, err := foldWith(r, slice, lane, steps, (*callFolder).marks)
		if err != nil {
			return nil, 0, err
		}
		return m, m.size(), nil
	})
}

// callWindow adds up the calls of one location after the other, in the order of their places.
type callWindow struct {
	*summaryQuery
	from, to *callsBefore
	row      callRow
	folder   callFolder
}

// Memory that nobody needs any longer.
var callWindows = sync.Pool{New: func() any { return new(callWindow) }}

// calls adds up the calls of a lane.
func (q *summaryQuery) calls(lane uint32) (found lines[trace.CallTotals], err error) {
	w := callWindows.Get().(*callWindow)
	defer callWindows.Put(w)
	w.summaryQuery = q
	if w.from, err = q.before(lane, q.path.first, q.w.from); err != nil {
		return found, err
	}
	if w.to, err = q.before(lane, q.path.end-1, q.w.to); err != nil {
		return found, err
	}
	if w.from.slice != w.to.slice { // else they are the same
		if err := errors.Join(q.addEnded(w.from, lane), q.addEnded(w.to, lane)); err != nil {
			return found, err
		}
	}
	return w.totals(lane), nil
}

// totals lists what the locations of the window add up to.
func (w *callWindow) totals(lane uint32) (found lines[trace.CallTotals]) {
	ids, rank := w.numbers.ranks()
	for place, location := range w.lanes[lane] {
		if w.w.locations != nil && !w.w.locations[location] {
			continue
		}
		id := w.info.Locations[location].ID
		w.place(uint32(place))
		cells := w.row.cells
		order := w.row.sorted(rank)
		if len(found.list) == 0 {
			found.grow(len(w.lanes[lane]) * len(order)) // as much as it comes to if all are alike
		}
		for _, i := range order {
			c := &cells[i]
			if w.w.regions == nil || w.w.regions[ids[c.region]] {
				found.add(uint64(location), trace.CallTotals{
					Location: id, Region: ids[c.region], Count: c.count,
					Inclusive: c.time, Exclusive: c.time.Minus(c.below), Busy: c.time.Minus(c.nested),
				})
			}
		}
	}
	return found
}

// place adds up a location.
func (w *callWindow) place(place uint32) {
	w.row.begin(w.to.ended.at(place))
	if i, ok := w.to.walk.find(place); ok {
		w.row.add(w.folder.begunBefore(w.to.marks, &w.to.marks.runs[i], w.to.t))
	}
	w.row.subtract(w.from.ended.at(place))
	if i, ok := w.from.walk.find(place); ok {
		w.row.subtract(w.folder.endedBy(w.from.marks, &w.from.marks.runs[i], w.from.t))
	}
}
