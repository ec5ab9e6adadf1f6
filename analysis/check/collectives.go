package check

import (
	"slices"

	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/trace"
)

// collectives checks collective operations.
type collectives struct {
	*checker
	series  map[seriesKey]*series
	waiting int                                    // parts
	orders  map[process]*gather.Order[*jointEvent] // of parts in operations that do not block
	held    int                                    // parts in them
}

// seriesKey tells operations apart that are counted by themselves.
type seriesKey struct {
	comm   uint64
	blocks bool
}

// series are the operations of a communicator.
type series struct {
	seriesKey
	size   uint64 // of the communicator
	parts  *gather.Series[*jointEvent]
	number uint64 // of the operation that is looked at
}

// part is what a rank does in an operation.
type part struct {
	*jointEvent
	rank uint64
}

func partOf(p *gather.Part[*jointEvent]) part { return part{p.Of, p.Rank} }

func newCollectives(c *checker) *collectives {
	return &collectives{checker: c, series: map[seriesKey]*series{}, orders: map[process]*gather.Order[*jointEvent]{}}
}

// take takes up the end of a part, or, of an operation that does not block, its begin. Such parts are in order of their begins.
func (c *collectives) take(e *jointEvent) {
	if e.kind == partEnds {
		c.add(e)
		return
	}
	of := c.processOf(e.at.Location)
	o := c.orders[of]
	if o == nil {
		o = &gather.Order[*jointEvent]{Each: func(e **jointEvent) { c.add(*e) }, Most: c.opt.Waiting, Held: &c.held}
		c.orders[of] = o
	}
	r := gather.Request{Location: e.at.Location, ID: e.request}
	if e.kind == partBegins {
		o.Begin(r)
	} else {
		o.Complete(r, e)
	}
}

// add takes up the end of a part.
func (c *collectives) add(e *jointEvent) {
	rank, size, ok := c.defs.OwnRank(e.comm, e.at.Location)
	if !ok {
		if comm, defined := c.defs.Comms[e.comm]; defined && !comm.Inter {
			c.ledger.add(NotAMember, NotAMember.Severity(), e.at, Value{"communicator", Communicator, e.comm}, Value{"operation", Operation, e.operation})
		}
		return
	}
	key := seriesKey{comm: e.comm, blocks: e.kind == partEnds}
	s := c.series[key]
	if s == nil {
		s = c.newSeries(key, size, e.at.Location)
		c.series[key] = s
	}
	s.parts.Add(&gather.Part[*jointEvent]{Rank: rank, Operation: e.operation, Begin: e.begin.Time, End: e.at.Time, Begun: e.begun, Of: e})
}

func (c *collectives) newSeries(key seriesKey, size, location uint64) *series {
	s := &series{seriesKey: key, size: size, parts: gather.NewSeries[*jointEvent](int(size), c.members(key.comm, int(size), location))}
	s.parts.Blocks, s.parts.Most, s.parts.Waiting = key.blocks, c.opt.Waiting, &c.waiting
	s.parts.Each = func(o *gather.Operation[*jointEvent]) { c.finish(s, o) }
	return s
}

// members returns the ranks of a communicator whose processes have events in the trace, in order. Some communicators have fewer members than ranks.
func (c *collectives) members(comm uint64, size int, from uint64) (ranks []int) {
	var all []uint64
	if g := c.defs.GroupLists[c.defs.Comms[comm].Group]; len(g.Members) > 0 && len(g.Members) < size {
		all = g.Members
	} else {
		for rank := range uint64(size) {
			all = append(all, rank)
		}
	}
	for _, rank := range all {
		if location, ok := c.defs.RankLocation(comm, rank, from); rank < uint64(size) && (!ok || c.recorded[c.processOf(location)]) {
			ranks = append(ranks, int(rank))
		}
	}
	slices.Sort(ranks) // definitions may list them in any order, and twice
	return slices.Compact(ranks)
}

// finish checks an operation.
func (c *collectives) finish(s *series, o *gather.Operation[*jointEvent]) {
	s.number = o.Number
	expected := Value{"expected", Operation, o.Typical.Operation}
	for i := range o.Extras {
		s.number = o.Number - uint64(len(o.Extras)-i)
		c.notTheOthers(s, &o.Extras[i], expected)
	}
	s.number = o.Number
	for i := range o.Others {
		c.notTheOthers(s, &o.Others[i], expected)
	}
	done := partOf(&o.Typical)
	for i := range o.Missing {
		c.missing(s, &o.Missing[i], &done)
	}
	parts := make([]part, len(o.Parts))
	for i := range o.Parts {
		parts[i] = partOf(&o.Parts[i])
	}
	if len(parts) > 0 {
		c.data(s, parts, c.roots(s, parts))
		if s.blocks {
			c.order(s, parts)
		}
	}
}

// notTheOthers notes a part that is none of the operation that others do.
func (c *collectives) notTheOthers(s *series, of *gather.Part[*jointEvent], expected Value) {
	p := partOf(of)
	c.ledger.add(OtherOperation, OtherOperation.Severity(), p.at, s.values(&p, expected)...)
}

// missing notes that a rank has no part in an operation that others do: before its next part, or behind all its events.
func (c *collectives) missing(s *series, m *gather.Missing[*jointEvent], done *part) {
	location, ok := c.defs.RankLocation(s.comm, m.Rank, done.at.Location)
	if !ok {
		location = trace.Undefined
	}
	at := Place{Location: location, Time: done.at.Time, Ordinal: trace.Undefined}
	if done.begun {
		at.Time = done.begin.Time
	}
	if m.Next != nil && m.Next.Begun {
		at.Location, at.Ordinal = m.Next.Of.begin.Location, m.Next.Of.begin.Ordinal
	}
	c.ledger.add(MissingPart, unlessCut, at, s.values(done, Value{"rank", Rank, m.Rank}, Value{"other_location", Location, done.at.Location},
		Value{"other_event", Plain, done.at.Ordinal})...)
}

// values say which operation a part belongs to.
func (s *series) values(p *part, more ...Value) []Value {
	return append([]Value{{"communicator", Communicator, s.comm}, {"operation", Operation, p.operation}, {"number", Plain, s.number}}, more...)
}

// end puts together what is left.
func (c *collectives) end() {
	for _, o := range c.orders {
		o.End()
	}
	for _, s := range c.series {
		s.parts.End()
	}
}
