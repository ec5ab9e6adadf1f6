package check

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// lane checks the events of one location.
type lane struct {
	*checker
	location uint64
	order    int // among all locations: those that are defined come first
	stream   trace.Stream
	batch    trace.Batch
	first    uint64 // ordinal of the batch's first event
	covered  int64  // no later event is earlier
	begin    int64  // time of the first event
	last     int64  // time of the latest event
	calls    CallStack
	requests map[requestKey]request
	pairs    openPairs // of families that are paired on one location
	metrics  map[uint64]*counters
	seen     uint64 // ordinal of the latest event of those that were selected
	part     Place  // the begin of a collective operation that blocks
	inPart   bool
}

func newLane(c *checker, location uint64) *lane {
	return &lane{checker: c, location: location, covered: math.MinInt64, last: math.MinInt64}
}

// step reads and checks some events.
func (l *lane) step(max int) (err error) {
	if l.stream == nil {
		if l.stream, err = l.src.Open(trace.StreamID{Class: trace.StreamEvents, Location: l.location}); err != nil {
			return fmt.Errorf("location %d: %w", l.location, err)
		}
	}
	covered, err := trace.Step(l.stream, &l.batch, max)
	if errors.Is(err, io.EOF) {
		return io.EOF
	} else if err != nil {
		return err
	}
	if err := l.define(); err != nil {
		return err
	}
	l.check()
	l.first += uint64(l.batch.Len())
	l.done += int64(l.batch.Len())
	l.covered = covered
	return nil
}

func (l *lane) close() error {
	if l.stream == nil {
		return nil
	}
	return l.stream.Close()
}

func (l *lane) ordinal(i int) uint64 { return l.first + uint64(i) }

func (l *lane) place(i int) Place { return Place{l.location, l.ordinal(i), l.batch.Times[i]} }

// check checks the batch.
func (l *lane) check() {
	b := &l.batch
	if l.first == 0 && b.Len() > 0 {
		l.begin = b.Times[0]
		l.recorded[l.processOf(l.location)] = true
	}
	for i, k := range b.Kinds {
		if t := b.Times[i]; t < l.last {
			l.ledger.add(TimeDecreases, TimeDecreases.Severity(), l.place(i), Value{"before", Instant, uint64(l.last)})
		} else {
			l.last = t
		}
		if int(k) >= len(l.handlers) {
			continue
		}
		h := &l.handlers[k]
		for _, r := range h.references {
			if word := b.Words[b.Starts[i]+r.word]; l.known.lacks(r, word) {
				l.known.miss(r.space, word, l.place(i))
			}
		}
		switch h.class {
		case enters:
			l.enter(i, k == trace.KindCallingContextEnter)
		case leaves:
			l.leave(i, k == trace.KindCallingContextLeave)
		case others:
			h.do(l, i)
		}
		for p := range h.pairs {
			l.pair(i, &h.pairs[p])
		}
	}
	l.checkBounds()
}

// take checks an event that was selected: neither enter nor leave, and without a look at what it refers to.
func (l *lane) take(e *trace.Event) {
	l.batch, l.first = *e.Batch, e.Ordinal-uint64(e.Index)
	h := &l.handlers[e.Batch.Kinds[e.Index]]
	if h.class == others {
		h.do(l, e.Index)
	}
	for p := range h.pairs {
		l.pair(e.Index, &h.pairs[p])
	}
}

// checkBounds compares the times of the batch with those that the trace says to begin and end at.
func (l *lane) checkBounds() {
	if l.batch.Len() == 0 {
		return
	}
	if from, to := l.bounds(); slices.Min(l.batch.Times) < from || slices.Max(l.batch.Times) > to {
		l.boundless(from, to)
	}
}

func (l *lane) boundless(from, to int64) {
	for i, t := range l.batch.Times {
		if t < from || t > to {
			l.ledger.add(OutsideClock, OutsideClock.Severity(), l.place(i), Value{"from", Instant, uint64(from)}, Value{"to", Instant, uint64(to)})
		}
	}
}

// end notes what is under way at the end.
func (l *lane) end() {
	l.endCalls()
	l.endRequests()
	l.ledger.endPairs(l.pairs)
	if l.inPart {
		l.ledger.add(LostCollectiveEnd, unlessCut, l.part)
	}
}

// handler says what is done with events of a kind.
type handler struct {
	class      class
	do         func(l *lane, i int)
	references []reference
	pairs      []pairing
}

// without leaves out what a rule wants to be looked at, where the handler does something else besides.
func (h *handler) without(r Rule) {
	switch {
	case r == Nest && (h.class == enters || h.class == leaves):
		h.class = plain
	case r == References:
		h.references = nil
	}
}

// class tells calls, which are most events, from all others.
type class uint8

const (
	plain class = iota
	enters
	leaves
	others
)

// reference is a word that names a definition.
type reference struct {
	word      uint32
	space     trace.Space
	undefined uint64
}

// handlersOf returns what is done with the kinds of a table, by number.
func handlersOf(t *trace.Table) []handler {
	var list []handler
	for _, s := range t.All() {
		if int(s.ID) >= len(list) {
			list = append(list, make([]handler, int(s.ID)+1-len(list))...)
		}
		h := handler{references: referencesOf(s), pairs: pairingsOf(s)}
		switch s.ID {
		case trace.KindEnter, trace.KindCallingContextEnter:
			h.class = enters
		case trace.KindLeave, trace.KindCallingContextLeave:
			h.class = leaves
		default:
			if h.do = actions[s.ID]; h.do != nil {
				h.class = others
			}
		}
		list[s.ID] = h
	}
	return list
}

// actions are what is done with events of single kinds.
var actions = map[trace.Kind]func(*lane, int){
	trace.KindCutBefore:                     (*lane).cutHere,
	trace.KindCutAfter:                      (*lane).cutHere,
	trace.KindMpiSend:                       (*lane).send,
	trace.KindMpiIsend:                      (*lane).isend,
	trace.KindMpiIsendComplete:              (*lane).isendComplete,
	trace.KindMpiRecv:                       (*lane).recv,
	trace.KindMpiIrecvRequest:               (*lane).irecvRequest,
	trace.KindMpiIrecv:                      (*lane).irecv,
	trace.KindMpiRequestCancelled:           (*lane).cancelled,
	trace.KindMpiCollectiveBegin:            (*lane).collectiveBegin,
	trace.KindMpiCollectiveEnd:              (*lane).collectiveEnd,
	trace.KindNonBlockingCollectiveRequest:  (*lane).collectiveRequest,
	trace.KindNonBlockingCollectiveComplete: (*lane).collectiveComplete,
	trace.KindMetric:                        (*lane).metric,
	trace.KindOmpFork:                       (*lane).team,
	trace.KindOmpJoin:                       (*lane).team,
	trace.KindThreadFork:                    (*lane).team,
	trace.KindThreadJoin:                    (*lane).team,
	trace.KindThreadTeamBegin:               (*lane).team,
	trace.KindThreadTeamEnd:                 (*lane).team,
}

func (l *lane) cutHere(int) { l.cut = true }
