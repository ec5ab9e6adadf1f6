package check

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// collectives puts the parts of collective operations together. On each communicator, ranks take part in operations in the same order; where
// the operations of some rank are others than those of most, or lie at other times, it is found out which one the rank lacks, or has in addition,
// by what comes behind: so one operation that is missing does not shift all that follow.
type collectives struct {
	*checker
	series  map[seriesKey]*series
	waiting int // parts
	ended   bool
}

// seriesKey tells operations apart that are counted by themselves. Those that do not block may be completed in another order than they were
// begun in, and are counted for each operation.
type seriesKey struct {
	comm      uint64
	blocks    bool
	operation uint64 // of those that do not block
}

// series are the operations of a communicator.
type series struct {
	seriesKey
	queues [][]part // by rank: parts that are in no complete operation
	ranks  []int    // those of members
	ready  int      // ranks with a part
	deep   int      // ranks with as many as are looked at to find what is missing
	number uint64   // of the operation that comes next
	odd    bool     // it has been found that first parts do not belong together
}

// part is what a rank does in an operation.
type part struct {
	jointEvent
	rank uint64
}

// lookahead is the number of parts of each rank that are looked at to find out what is missing.
const lookahead = 6

func newCollectives(c *checker) *collectives {
	return &collectives{checker: c, series: map[seriesKey]*series{}}
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
	if !key.blocks {
		key.operation = e.operation
	}
	s := c.series[key]
	if s == nil {
		s = &series{seriesKey: key, queues: make([][]part, size), ranks: c.members(e.comm, int(size), e.at.Location)}
		c.series[key] = s
	}
	c.waiting++
	s.push(&part{*e, rank})
	for s.ready == len(s.ranks) && c.settleFirst(s) {
	}
}

// members returns the ranks of a communicator whose processes have events in the trace. Some communicators have fewer members than ranks.
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
		if location, ok := c.defs.RankLocation(comm, rank, from); !ok || c.recorded[c.processOf(location)] {
			ranks = append(ranks, int(rank))
		}
	}
	return ranks
}

func (s *series) push(p *part) {
	q := append(s.queues[p.rank], *p)
	s.queues[p.rank] = q
	switch len(q) {
	case 1:
		s.ready++
	case lookahead:
		s.deep++
	}
}

// pop takes the first part of a rank.
func (c *collectives) pop(s *series, rank int) part {
	q := s.queues[rank]
	first := q[0]
	s.queues[rank] = q[1:]
	switch len(q) {
	case 1:
		s.ready--
	case lookahead:
		s.deep--
	}
	c.waiting--
	return first
}

// settleFirst puts the first parts of all ranks together, and reports whether it did. It waits for more if they do not belong together.
func (c *collectives) settleFirst(s *series) bool {
	if !s.odd {
		s.odd = !s.agree()
	}
	if s.odd && s.deep < len(s.ranks) && !c.ended && c.waiting <= c.opt.Waiting {
		return false
	}
	if s.odd {
		c.realign(s)
		s.odd = false
		return true
	}
	parts := make([]part, len(s.ranks))
	for i, rank := range s.ranks {
		parts[i] = c.pop(s, rank)
	}
	c.finish(s, parts)
	return true
}

// agree reports whether the first parts may belong together: they are the same operation, and of operations in which each rank waits for all
// others, no part ends before another one begins.
func (s *series) agree() bool {
	first := &s.queues[s.ranks[0]][0]
	lastBegin, firstEnd, timed := first.begin.Time, first.at.Time, first.begun
	for _, rank := range s.ranks[1:] {
		p := &s.queues[rank][0]
		if p.operation != first.operation {
			return false
		}
		lastBegin, firstEnd, timed = max(lastBegin, p.begin.Time), min(firstEnd, p.at.Time), timed && p.begun
	}
	return !s.blocks || !timed || !waitsForAll(first.operation) || lastBegin <= firstEnd
}

// fits reports whether two parts may belong to one operation.
func (p *part) fits(o *part) bool {
	if p.operation != o.operation {
		return false
	}
	return !p.begun || !o.begun || !waitsForAll(p.operation) || p.begin.Time <= o.at.Time && o.begin.Time <= p.at.Time
}

// fitting returns how many of the first parts of two lists fit each other, and how many there are to compare, of both but the last of a full
// lookahead.
func fitting(a, b []part) (n, of int) {
	of = min(len(a), len(b), lookahead-1)
	for i := range of {
		if a[i].fits(&b[i]) {
			n++
		}
	}
	return n, of
}

// standing says what the first part of a rank is to the operation that most ranks do.
type standing uint8

const (
	takesPart standing = iota
	lacks              // its first part belongs to a later operation
	extra              // its first part belongs to none of the others'
	other              // it says to have done another operation
)

// standing compares a rank with one of those that stand for most.
func standingOf(own, most []part) standing {
	if len(own) == 0 {
		return lacks
	}
	if own[0].fits(&most[0]) {
		return takesPart
	}
	asIs, _ := fitting(own, most)
	later, laterOf := fitting(own, tail(most))
	earlier, earlierOf := fitting(tail(own), most)
	if own[0].operation == most[0].operation {
		// Only times speak against it, and clocks may be wrong: all must speak for another place, and none for this one.
		switch {
		case asIs == 0 && later == laterOf && laterOf > 1:
			return lacks
		case asIs == 0 && earlier == earlierOf && earlierOf > 1:
			return extra
		}
		return takesPart
	}
	substituted, _ := fitting(tail(own), tail(most))
	switch {
	case later > 0 && later >= max(earlier, substituted):
		return lacks
	case earlier > substituted:
		return extra
	}
	return other
}

func tail(list []part) []part { return list[min(1, len(list)):] }

// realign puts the first parts together of those ranks that do what most do.
func (c *collectives) realign(s *series) {
	most := s.typical()
	var parts []part
	var missing []int
	for _, rank := range s.ranks {
		own := standingOf(s.queues[rank], most)
		if own == extra {
			p := c.pop(s, rank)
			c.ledger.add(OtherOperation, OtherOperation.Severity(), p.at, s.values(&p, Value{"expected", Operation, most[0].operation})...)
			if own = takesPart; len(s.queues[rank]) == 0 {
				own = lacks
			}
		}
		if own == lacks {
			missing = append(missing, rank)
			continue
		}
		p := c.pop(s, rank)
		if own == other {
			c.ledger.add(OtherOperation, OtherOperation.Severity(), p.at, s.values(&p, Value{"expected", Operation, most[0].operation})...)
			continue
		}
		parts = append(parts, p)
	}
	for _, rank := range missing {
		c.missing(s, rank, &most[0])
	}
	c.finish(s, parts)
}

// typical returns the parts of a rank that does what most do: of those whose first part is the most frequent operation, the one whose part
// begins in the middle.
func (s *series) typical() []part {
	votes := map[uint64]int{}
	for _, q := range s.queues {
		if len(q) > 0 {
			votes[q[0].operation]++
		}
	}
	var of []int
	best := uint64(0)
	for op, n := range votes {
		if n > votes[best] || n == votes[best] && op < best {
			best = op
		}
	}
	for rank, q := range s.queues {
		if len(q) > 0 && q[0].operation == best {
			of = append(of, rank)
		}
	}
	slices.SortFunc(of, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.queues[a][0].begin.Time, s.queues[b][0].begin.Time), cmp.Compare(a, b))
	})
	q := s.queues[of[len(of)/2]]
	return slices.Clone(q[:min(len(q), lookahead)])
}

// missing notes that a rank has no part in an operation that others do: before its next part, or behind all its events.
func (c *collectives) missing(s *series, rank int, done *part) {
	location, ok := c.defs.RankLocation(s.comm, uint64(rank), done.at.Location)
	if !ok {
		location = trace.Undefined
	}
	at := Place{Location: location, Time: done.begin.Time, Ordinal: trace.Undefined}
	if q := s.queues[rank]; len(q) > 0 && q[0].begun {
		at.Location, at.Ordinal = q[0].begin.Location, q[0].begin.Ordinal
	}
	c.ledger.add(MissingPart, c.excused(MissingPart), at, s.values(done, Value{"rank", Rank, uint64(rank)}, Value{"other_location", Location, done.at.Location},
		Value{"other_event", Plain, done.at.Ordinal})...)
}

// values say which operation a part belongs to.
func (s *series) values(p *part, more ...Value) []Value {
	return append([]Value{{"communicator", Communicator, s.comm}, {"operation", Operation, p.operation}, {"number", Plain, s.number}}, more...)
}

// finish checks the parts of an operation.
func (c *collectives) finish(s *series, parts []part) {
	if len(parts) > 0 {
		c.roots(s, parts)
		c.data(s, parts)
		if s.blocks {
			c.order(s, parts)
		}
	}
	s.number++
}

// end puts together what is left.
func (c *collectives) end() {
	c.ended = true
	for _, s := range c.series {
		for s.ready > 0 {
			if s.ready == len(s.ranks) {
				c.settleFirst(s)
			} else {
				c.realign(s)
			}
		}
	}
}
