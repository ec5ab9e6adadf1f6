package write

import (
	"math"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/store/internal/write/sums"
)

// Location is what the writer knows of one location. There may be very many, most of which are silent at any time, so that what only
// some of them need stands behind a pointer.
type Location struct {
	match.Location
	place    uint32 // in the lane
	finished bool

	covered int64 // no event before this time will follow
	Pending pending

	Events      uint64 // number of events already in slices
	calls       uint64 // that these begin
	depth       uint64 // the most of these that contain each other
	first, last int64  // times of these events, 0 and 0 if there are none

	open *callStack // nil before the first event, and behind the last one if no call is open
}

// callStack is the calls of a location that have been entered and not left.
type callStack struct {
	calls   []openCall
	regions []sums.OpenRegion // what the calls come to, before the current slice
	outside int               // how many of the calls were entered before the current slice
	sums.Busy
}

// openCall is a call that has been entered and not left.
type openCall struct {
	key        uint64
	context    bool
	start      int64
	ordinal    uint64
	slice      uint64
	children   uint64
	childTicks int64
	sums.Call
}

// leave adds a call that has ended to the one around it, which it returns, nil if there is none.
func (s *callStack) leave(ticks int64) (parent *sums.Call) {
	if n := len(s.calls); n > 0 {
		around := &s.calls[n-1]
		around.children++
		around.childTicks += ticks
		parent = &around.Call
	}
	return parent
}

func newLocation(id uint64, number uint32) *Location {
	return &Location{Location: match.Location{ID: id, Index: number, Lane: -1}, covered: math.MinInt64}
}

// idIfNew returns the location's id if it has no event in a slice yet, else 0: each id stands in one roster.
func (l *Location) idIfNew() uint64 {
	if l.Events > 0 {
		return 0
	}
	return l.ID
}

// stack returns the calls of the location that are open, to be changed.
func (l *Location) stack() *callStack {
	if l.open == nil {
		l.open = &callStack{Busy: sums.Busy{Place: l.place}}
	}
	return l.open
}

// sums returns what the events of the location add up to.
func (l *Location) sums() index.LocationTotals {
	return index.LocationTotals{Events: l.Events, Calls: l.calls, MaxDepth: l.depth, First: l.first, Last: l.last}
}
