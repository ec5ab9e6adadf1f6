package match

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// IsPointToPoint reports whether the matcher must see events of a kind.
func IsPointToPoint(k trace.Kind) bool {
	return k >= trace.KindMpiSend && k <= trace.KindMpiRequestCancelled
}

// blockEnd is an end among those of its block, of which there are very many until their slices are sealed.
type blockEnd struct {
	// partner identifies the other end within this slice: for a receive the sender's lane + 1, for a send the number of the channel + 1. 0
	// is no partner.
	partner uint32
	mate    uint32 // the number of a receive's partner among the ends of its block; isSend for each send
}

// isSend marks sends.
const isSend = math.MaxUint32

// Slice is what the matcher knows of a slice.
type Slice struct {
	Number uint64
	Blocks []*Block // by lane, nil for those without events
}

// Block is what the matcher knows of a lane's part of a slice.
type Block struct {
	ends  []blockEnd       // ends of messages, in the order of the block's events, until the slice is sealed
	Pairs []slice.PairMark // once it is sealed
}

// Open makes room for the ends of messages of a block, about as many as expected.
func (m *Matcher) Open(b *Block, expected int) { b.ends = cache.EmptyList(&m.ends, expected) }

// Fill ends the ends of messages of a block, and returns their number. The block takes what it needs: there are very many until their
// slices are sealed.
func (m *Matcher) Fill(b *Block) int {
	scratch := b.ends
	b.ends = slices.Clone(scratch)
	m.ends.Put(scratch[:0])
	return len(b.ends)
}

// endEvent is an event that the matcher must see.
type endEvent struct {
	kind    trace.Kind
	number  uint32 // among the ends of its block
	pair    uint32 // see messageEnd
	key     rankKey
	request uint64
	length  uint64
	time    int64
	ordinal uint64
	at      *Location
}

// LaneEnds are the events of a lane's part of a slice that the matcher must see.
type LaneEnds struct {
	events []endEvent
	runs   []runEnds
	pairs  []pairing.RoleEvent // events that open or close pairs, in their roles
}

// runEnds are those of one location: from where those of the run before end.
type runEnds struct {
	location *Location
	upTo     int
}

// NewLaneEnds returns room for the events of a lane's locations, about as many as expected.
func (m *Matcher) NewLaneEnds(locations, expected int) LaneEnds {
	return LaneEnds{events: cache.EmptyList(&m.events, expected), runs: make([]runEnds, 0, locations)}
}

// Add adds an event of point-to-point communication of a location, and reserves its place among the ends of the block.
func (q *LaneEnds) Add(b *Block, l *Location, class shape.Class, kind trace.Kind, words []uint64, t int64, ordinal uint64) {
	e := endEvent{kind: kind, time: t, ordinal: ordinal, at: l}
	switch class {
	case shape.Send, shape.Receive:
		e.key = rankKey{rank: words[0], communicator: words[1], tag: words[2], send: class == shape.Send}
		e.length, e.number = words[3], uint32(len(b.ends))
		if m := l.losses; m != nil && len(m.hints) > 0 {
			e.pair = m.takeHint(ordinal)
		}
		var end blockEnd
		if e.key.send {
			end.mate = isSend
		}
		b.ends = append(b.ends, end)
		if len(words) > 4 {
			e.request = words[4]
		}
	default:
		e.request = words[0]
	}
	q.events = append(q.events, e)
}

// AddPairs adds an event that opens or closes pairs of some families.
func (q *LaneEnds) AddPairs(roles []pairing.Role, k trace.Kind, words []uint64, e index.End) {
	for i := range roles {
		q.pairs = append(q.pairs, pairing.NewRoleEvent(&roles[i], k, words, e))
	}
}

// EndRun ends the events of a location in a slice that ends at a time; written is the location's number of events so far.
func (q *LaneEnds) EndRun(l *Location, written uint64, end int64) {
	from := 0
	if n := len(q.runs); n > 0 {
		from = q.runs[n-1].upTo
	}
	if l.HasGaps() {
		q.events = l.placeGaps(q.events, from, written, end)
	}
	if from < len(q.events) {
		q.runs = append(q.runs, runEnds{l, len(q.events)})
	}
}

// SliceEnds are on the way from what takes a slice apart to the matcher.
type SliceEnds struct {
	before  <-chan struct{} // closed when the slice before is done; nil if there is none
	lanes   []chan LaneEnds // by lane, each for one
	matched chan struct{}   // for each lane that is done
}

// Start begins to look at the lanes of a slice in their order, as they are taken apart. Each lane must be sent.
func (m *Matcher) Start(s *Slice) SliceEnds {
	q := SliceEnds{before: m.running, lanes: make([]chan LaneEnds, len(s.Blocks)), matched: make(chan struct{}, len(s.Blocks))}
	for i := range q.lanes {
		q.lanes[i] = make(chan LaneEnds, 1)
	}
	running := make(chan struct{})
	m.running = running
	go func() {
		defer close(running)
		q.Begin()
		m.slice(s, q)
	}()
	return q
}

// Begin waits until the slice before is done.
func (q *SliceEnds) Begin() {
	if q.before != nil {
		<-q.before
	}
}

// Give gives the events of a lane.
func (q *SliceEnds) Give(lane int, e LaneEnds) { q.lanes[lane] <- e }

// Next waits until another lane is done.
func (q *SliceEnds) Next() { <-q.matched }

// placeGaps puts the gaps of a location, up to the end of a slice, among the events of lanes' locations: its own are those from a
// place on.
func (l *Location) placeGaps(events []endEvent, from int, written uint64, end int64) []endEvent {
	m := l.losses
	for len(m.gaps) > 0 && m.gaps[0].ordinal <= written && m.gaps[0].time < end {
		t := m.gaps[0]
		m.gaps = m.gaps[1:]
		at := len(events)
		for at > from && events[at-1].ordinal >= t.ordinal && events[at-1].kind != kindGap {
			at--
		}
		e := endEvent{kind: kindGap, time: t.time, ordinal: t.ordinal, at: l}
		if at > from {
			e.time = max(t.time, events[at-1].time)
		}
		events = slices.Insert(events, at, e)
	}
	return events
}
