package store

import (
	"math"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/trace"
)

// location is what the writer knows of one location.
type location struct {
	id    uint64
	index uint32 // among all locations, in the order of their definitions
	lane  int    // -1 until lanes are laid out
	place uint32 // in the lane

	pending  trace.Batch // events not yet in a slice, from head+taken on
	given    trace.Batch // pending as it was when events of it were given away: those from head on, taken of them
	head     int
	taken    int
	peak     int   // events that pending had at most, of late
	covered  int64 // no event before this time will follow
	finished bool

	events  uint64 // number of events already in slices
	stack   []openCall
	open    []openRegion // what the stack comes to
	outside int          // how many of the stack's calls were entered before the current slice
	since   int64        // the time up to which the bins have what it did
	info    LocationInfo

	ends     []endEvent // of messages, in the slice that is taken apart
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
func (l *location) leave(ticks int64) (parent *openCall) {
	if n := len(l.stack); n > 0 {
		parent = &l.stack[n-1]
		parent.children++
		parent.childTicks += ticks
	}
	return parent
}

func newLocation(id uint64, index uint32) *location {
	return &location{id: id, index: index, lane: -1, covered: math.MinInt64, info: LocationInfo{ID: id}}
}

// idIfNew returns the location's id if it has no event in a slice yet, else 0: each id stands in one roster.
func (l *location) idIfNew() uint64 {
	if l.events > 0 {
		return 0
	}
	return l.id
}

func (l *location) len() int { return l.pending.Len() - l.head - l.taken }

// times are those of the pending events.
func (l *location) times() []int64 { return l.pending.Times[l.head+l.taken:] }

// givenTimes are those of the events that were given away.
func (l *location) givenTimes() []int64 { return l.given.Times[l.head:][:l.taken] }

// add appends events to the pending ones. Those that were given away stay where they are.
func (l *location) add(b *trace.Batch, kinds *trace.Table) {
	p := &l.pending
	if l.head == p.Len() {
		p.Reset(l.id)
		l.head = 0
	}
	p.AppendRange(b, 0, b.Len(), kinds)
}

// take gives the first n pending events away, until drop.
func (l *location) take(n int) {
	if n > 0 {
		l.given, l.taken = l.pending, n
	}
}

// drop forgets the events that were given away, which are now in a slice. The location may keep room for so many events that it
// does not need.
func (l *location) drop(waste int, kinds *trace.Table) {
	if l.taken == 0 {
		return
	}
	l.peak = max(l.taken+l.len(), l.peak/2)
	l.head += l.taken
	l.given, l.taken = trace.Batch{}, 0
	most := l.head >= l.len()
	switch {
	case cap(l.pending.Kinds) > waste+2*l.peak, most && len(l.pending.Text) > wasteText:
		l.shrink(kinds)
	case most && l.head < l.pending.Len():
		l.compact()
	}
}

// Room that locations may have without needing it.
const (
	wasteEvents = 1 << 20 // of all locations together
	minWaste    = 1 << 6  // of each
	wasteText   = 1 << 14 // bytes, which compact leaves where they are
)

// waste is the room for events that each of some locations may have without needing it.
func waste(locations int) int { return max(wasteEvents/locations, minWaste) }

// shrink moves what is pending to memory of its size: each of many locations has its burst of events some time.
func (l *location) shrink(kinds *trace.Table) {
	var p trace.Batch
	p.Reset(l.id)
	p.AppendRange(&l.pending, l.head, l.pending.Len(), kinds)
	l.pending, l.head = p, 0
}

// compact moves what is pending to the front of its memory.
func (l *location) compact() {
	p, h := &l.pending, l.head
	words := p.Starts[h]
	p.Kinds = p.Kinds[:copy(p.Kinds, p.Kinds[h:])]
	p.Times = p.Times[:copy(p.Times, p.Times[h:])]
	p.Words = p.Words[:copy(p.Words, p.Words[words:])]
	p.Starts = p.Starts[:copy(p.Starts, p.Starts[h:])]
	for i := range p.Starts {
		p.Starts[i] -= words
	}
	if len(p.Residuals) > 0 {
		p.Residuals = p.Residuals[:copy(p.Residuals, p.Residuals[h:])]
	}
	if len(p.AttrStarts) > 0 {
		attrs := p.AttrStarts[h]
		p.Attrs = p.Attrs[:copy(p.Attrs, p.Attrs[attrs:])]
		p.AttrStarts = p.AttrStarts[:copy(p.AttrStarts, p.AttrStarts[h:])]
		for i := range p.AttrStarts {
			p.AttrStarts[i] -= attrs
		}
	}
	l.head = 0
}
