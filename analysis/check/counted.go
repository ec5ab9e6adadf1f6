package check

import (
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Counted is a source that has counted its events, such as a Pando file. A rule that has nothing to look at by these numbers reads no events: what is wrong
// with calls and ends of messages is among them, and many kinds of events do not occur.
type Counted interface {
	trace.Source
	// Info returns what the trace has, nil if that is not known.
	Info() *store.Info
	// Structure yields what is the same in many events: these are looked at once.
	Structure() iter.Seq2[*store.LaneStructure, error]
	// EventsOf yields the events of some kinds, in merged order.
	EventsOf(kinds ...trace.Kind) iter.Seq2[trace.Event, error]
}

// kindsOf are the events that rules are about. Of pairs, that is said by the table of kinds; other rules are about all.
var kindsOf = map[Rule][]trace.Kind{
	Clock: {trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv, trace.KindMpiCollectiveEnd, trace.KindThreadTeamBegin,
		trace.KindThreadTeamEnd},
	Requests: {trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiIrecv, trace.KindMpiRequestCancelled,
		trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete},
	Collectives:    {trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete},
	CollectiveData: {trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete},
	Metrics:        {trace.KindMetric},
}

// idle reports whether a rule finds nothing among the events of a trace of which this is known.
func (c *checker) idle(r Rule, info *store.Info) bool {
	switch r {
	case Nest:
		return info.OpenCalls+info.CutCalls+info.OrphanLeaves == 0
	case Time: // files have events in the order of time
		from, to := c.bounds()
		return info.Events == 0 || from <= info.First && info.Last <= to
	case Messages:
		return info.UnmatchedSends+info.UnmatchedReceives+info.CancelledSends+info.SuspiciousMessages == 0
	case Pairs:
		return !slices.ContainsFunc(info.Kinds, func(k store.KindCount) bool {
			return k.Count > 0 && int(k.Kind) < len(c.handlers) && len(c.handlers[k.Kind].pairs) > 0
		})
	case References:
		return c.allDefined
	}
	return !info.Has(kindsOf[r]...)
}

// choose finds out whether events are to be read at all, and what is not looked at in them.
func (c *checker) choose() (reads bool, err error) {
	var info *store.Info
	if s, ok := c.src.(Counted); ok {
		if info = s.Info(); info != nil {
			if err := c.readStructure(s); err != nil {
				return false, err
			}
		}
	}
	for _, r := range Rules() {
		looks := c.ledger.only[r] && r.onEvents() && (info == nil || !c.idle(r, info))
		reads = reads || looks || info == nil
		for k := range c.handlers {
			if !looks {
				c.handlers[k].without(r)
			}
		}
	}
	c.info = info
	return reads, nil
}

// The kinds of events of which parts make no sense without the others: which send belongs to which receive is known if all are seen.
var (
	messageKinds = []trace.Kind{trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiRecv, trace.KindMpiIrecvRequest, trace.KindMpiIrecv,
		trace.KindMpiRequestCancelled}
	requestKinds    = []trace.Kind{trace.KindNonBlockingCollectiveRequest, trace.KindNonBlockingCollectiveComplete}
	teamKinds       = []trace.Kind{trace.KindOmpFork, trace.KindOmpJoin, trace.KindThreadFork, trace.KindThreadJoin, trace.KindThreadTeamBegin, trace.KindThreadTeamEnd}
	collectiveKinds = append([]trace.Kind{trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd}, requestKinds...)
)

// selection returns the kinds of the events that rules look at; ok is false if they look at half of all events, or at all of some location.
func (c *checker) selection() (kinds []trace.Kind, ok bool) {
	if c.info == nil {
		return nil, false
	}
	backward, _, _ := c.info.CountedDoubts()
	for _, r := range Rules() {
		if !c.ledger.only[r] || !r.onEvents() || c.idle(r, c.info) {
			continue
		}
		switch r {
		case Clock:
			kinds = append(append(kinds, collectiveKinds...), teamKinds...)
			if backward == nil || *backward > 0 || c.opt.MinLatency > 0 {
				kinds = append(kinds, messageKinds...)
			}
		case Messages:
			kinds = append(kinds, messageKinds...)
		case Requests:
			kinds = append(append(kinds, messageKinds...), requestKinds...)
		case Collectives, CollectiveData:
			kinds = append(kinds, collectiveKinds...)
		case Metrics:
			kinds = append(kinds, trace.KindMetric)
		case Pairs:
			for k := range c.handlers {
				if len(c.handlers[k].pairs) > 0 {
					kinds = append(kinds, trace.Kind(k))
				}
			}
		default: // Nest, Time, References
			return nil, false
		}
	}
	kinds = append(kinds, trace.KindCutBefore, trace.KindCutAfter)
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	selected := uint64(0)
	for _, k := range c.info.Kinds {
		if slices.Contains(kinds, k.Kind) {
			selected += k.Count
		}
	}
	return kinds, 2*selected < c.info.Events
}

// readSelected looks at the events of some kinds.
func (c *checker) readSelected(all iter.Seq2[trace.Event, error]) error {
	lanes := map[uint64]*lane{}
	for _, s := range c.src.Streams() {
		if s.Class == trace.StreamEvents {
			l := newLane(c, s.Location)
			if c.lanes, lanes[s.Location] = append(c.lanes, l), l; s.Records > 0 {
				c.recorded[c.processOf(s.Location)] = true
			}
		}
	}
	c.order()
	n := 0
	for e, err := range all {
		if n%selectedAtOnce == 0 {
			err = errors.Join(err, c.ctx.Err())
			c.opt.Progress.Report(c.done, int64(c.info.Events))
		}
		if err != nil {
			return err
		}
		n++
		l := lanes[e.Batch.Location]
		c.settle(e.Batch.Times[e.Index])
		c.done += int64(e.Ordinal - l.seen)
		l.seen = e.Ordinal
		l.take(&e)
	}
	c.settleAll()
	c.end()
	return nil
}

// selectedAtOnce is the number of events after which the context is asked.
const selectedAtOnce = 1 << 12

// readStructure reads the structure of all calls, if a rule is about it: all of it shows whether it is a graph without circles, and shapes show whether all that
// events refer to is defined, once for each event without its values. An id that is a value among others is not looked at, and may be undefined.
func (c *checker) readStructure(src Counted) error {
	if c.allDefined = c.ledger.only[References]; !c.allDefined && !c.ledger.only[Graph] {
		return nil
	}
	latest := map[uint32]*shape.View{} // by lane
	for s, err := range src.Structure() {
		if err = errors.Join(err, c.ctx.Err()); err != nil {
			return err
		}
		if c.allDefined && latest[s.Lane] != s.Shapes {
			latest[s.Lane] = s.Shapes
			c.allDefined = c.referToDefined(s.Shapes)
		}
		if !c.allDefined && !c.ledger.only[Graph] {
			return nil
		}
	}
	return nil
}

// referToDefined reports whether all that shapes refer to is defined.
func (c *checker) referToDefined(shapes *shape.View) bool {
	for n := range shapes.Leaves() {
		if l, ok := shapes.Leaf(shapes.LeafID(uint32(n))); !ok || !c.leafRefersToDefined(&l) {
			return false
		}
	}
	return true
}

func (c *checker) leafRefersToDefined(l *shape.Leaf) bool {
	if int(l.Kind) >= len(c.handlers) {
		return true
	}
	for _, r := range c.handlers[l.Kind].references {
		if slices.ContainsFunc(l.Slots, func(s shape.Slot) bool { return s.Word == r.word }) || l.Relative && r.word == 0 {
			return false
		}
		if c.known.lacks(r, l.Words[r.word]) {
			return false
		}
	}
	return true
}

// bounds returns the times that the trace says to begin and end at: any if it does not say.
func (c *checker) bounds() (from, to int64) {
	clock := &c.defs.Clock
	if clock.Resolution == 0 || clock.Length == 0 {
		return math.MinInt64, math.MaxInt64
	}
	from = int64(clock.GlobalOffset - c.src.Meta().Epoch)
	if to = from + int64(clock.Length); clock.Length > math.MaxInt64 || to < from {
		to = math.MaxInt64
	}
	return from, to
}
