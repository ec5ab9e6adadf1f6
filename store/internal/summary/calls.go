package summary

import (
	"errors"
	"sync"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/read"
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
func (q *SummaryQuery) before(lane uint32, slice uint64, t int64) (*callsBefore, error) {
	b := &callsBefore{t: t, slice: slice, ended: noRows.begin(), marks: noMarks}
	var marked bool
	if b.slice, marked = q.edge(slice, t); !marked {
		return b, nil
	}
	var err error
	b.marks, err = marks(q.File, slice, lane)
	if err == nil {
		b.walk.places = b.marks.places
	}
	return b, err
}

// edge returns the slice up to which the calls that end before a time of a slice are added up, and whether marks of the slice are needed
// for the others.
func (q *SummaryQuery) edge(slice uint64, t int64) (up uint64, marked bool) {
	if t > q.Info().Last {
		return q.Root().Slices, false
	}
	return slice, t > q.Info().First
}

var (
	noRows  = &cellRows{}
	noMarks = &callMarks{}
)

// addEnded adds the calls that end before the slice.
func (q *SummaryQuery) addEnded(b *callsBefore, lane uint32) error {
	rows, err := endedBefore(q.File, b.slice, lane)
	if err == nil {
		b.ended = rows.begin()
	}
	return err
}

// marks returns the marks of a slice, which are kept.
func marks(r *read.File, slice uint64, lane uint32) (*callMarks, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.CallMarks, Offset: slice, Lane: lane}, func() (*callMarks, int64, error) {
		steps, err := r.CallSteps(slice, lane)
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
	*SummaryQuery
	from, to *callsBefore
	row      callRow
	folder   callFolder
}

// Memory that nobody needs any longer.
var callWindows = sync.Pool{New: func() any { return new(callWindow) }}

// calls adds up the calls of a lane.
func (q *SummaryQuery) calls(lane uint32) (found lines[trace.CallTotals], err error) {
	w := callWindows.Get().(*callWindow)
	defer callWindows.Put(w)
	w.SummaryQuery = q
	if follows, err := q.follows(); err != nil {
		return found, err
	} else if follows {
		return w.followed(lane)
	}
	if w.from, err = q.before(lane, q.path.First, q.w.From); err != nil {
		return found, err
	}
	if w.to, err = q.before(lane, q.path.End-1, q.w.To); err != nil {
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
	its := w.KnownLane(lane).Locations
	for place, location := range its {
		if w.has(uint64(location)) {
			w.place(uint32(place))
			w.list(&found, location, len(its))
		}
	}
	return found
}

// list lists what a location adds up to, one of some.
func (w *callWindow) list(found *lines[trace.CallTotals], location uint32, locations int) {
	ids, rank := w.Numbers.Ranks()
	cells, order := w.row.cells, w.row.sorted(rank)
	if len(found.list) == 0 {
		found.grow(locations * len(order)) // as much as it comes to if all are alike
	}
	id := w.LocationID(location)
	for _, i := range order {
		c := &cells[i]
		if w.w.Regions == nil || w.w.Regions[ids[c.Region]] {
			found.add(uint64(location), trace.CallTotals{
				Location: id, Region: ids[c.Region], Count: c.Count,
				Inclusive: c.Time, Exclusive: c.Time.Minus(c.Below), Busy: c.Time.Minus(c.Nested),
			})
		}
	}
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
