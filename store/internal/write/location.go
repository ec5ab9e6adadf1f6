package write

import (
	"math"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Location is what the writer knows of one location.
type Location struct {
	Id      uint64
	Index   uint32            // among all locations, in the order of their definitions
	lane    int               // -1 until lanes are laid out
	place   uint32            // in the lane
	process pairing.ProcessID // all of whose locations are in the lane

	Pending  pending
	covered  int64 // no event before this time will follow
	finished bool

	Events  uint64 // number of events already in slices
	stack   []openCall
	open    []openRegion // what the stack comes to
	outside int          // how many of the stack's calls were entered before the current slice
	since   int64        // the time up to which the bins have what it did
	info    index.LocationInfo

	matching locationMatching
	tears    []tear                    // that the matcher has not seen
	hints    map[uint64]uint32         // by ordinal: the pair of an end of a message, see tear
	ranks    map[uint64]encode.OwnRank // by communicator; of size 0 where it is not a member
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
	region     uint32 // see runTotals
	nested     bool   // an enclosing call is of the same region
}

// leave adds a call that has ended to the one around it, which it returns, nil if there is none.
func (l *Location) leave(ticks int64) (parent *openCall) {
	if n := len(l.stack); n > 0 {
		parent = &l.stack[n-1]
		parent.children++
		parent.childTicks += ticks
	}
	return parent
}

func newLocation(id uint64, number uint32) *Location {
	return &Location{Id: id, Index: number, lane: -1, covered: math.MinInt64, info: index.LocationInfo{ID: id}}
}

// idIfNew returns the location's id if it has no event in a slice yet, else 0: each id stands in one roster.
func (l *Location) idIfNew() uint64 {
	if l.Events > 0 {
		return 0
	}
	return l.Id
}
