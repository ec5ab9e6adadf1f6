package report

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// regionSum is the sum of the calls of a region.
type regionSum struct {
	callSum
	id uint64 // trace.Undefined for calls of no region
}

// mean returns the inclusive time of a call.
func (s *callSum) mean() float64 {
	if s.count == 0 {
		return 0
	}
	return s.inclusive.Float() / float64(s.count)
}

// part returns a part of a whole; 0 of nothing.
func part(v, whole trace.Sum) float64 {
	if whole == (trace.Sum{}) {
		return 0
	}
	return v.Float() / whole.Float()
}

// callColumns are the columns of sums of calls.
func callColumns[R any](c *clock, of func(*R) *callSum, all *callSum) []column[R] {
	return []column[R]{
		count("count", "count", "number of calls that overlap the window", func(r *R) uint64 { return of(r).count }),
		tickSum("inclusive", "inclusive_ticks", "time of the calls within the window; with recursion it may be more than the window is long", c,
			func(r *R) trace.Sum { return of(r).inclusive }).alone(),
		share("share", "inclusive_share", "the same as a part of all exclusive time", func(r *R) float64 { return part(of(r).inclusive, all.exclusive) }).alone(),
		tickSum("exclusive", "exclusive_ticks", "the same less the time of the calls that they enclose", c, func(r *R) trace.Sum { return of(r).exclusive }),
		share("share", "exclusive_share", "the same as a part of all exclusive time", func(r *R) float64 { return part(of(r).exclusive, all.exclusive) }),
		meanTicks("per call", "mean_ticks", "inclusive_ticks for each call", c, func(r *R) float64 { return of(r).mean() }),
		tickSum("", "busy_ticks", "time in which at least one of the calls is open, added up over locations", c, func(r *R) trace.Sum { return of(r).busy }).alone(),
	}
}

// meanTicks is a column of averages of ticks, which do not add up.
func meanTicks[R any](head, name, doc string, c *clock, v func(*R) float64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "number", Unit: "ticks", Doc: doc}, head: head, right: true,
		value: func(r *R) value { return floatValue(v(r)) }, text: func(r *R) string { return Duration(v(r) / float64(c.Resolution())) }}
}

// region returns the text for a region.
func (n *names) region(id uint64) string {
	if undefined(id) {
		return "no region"
	}
	return n.plain(trace.SpaceRegion, id)
}

// regionRows is a flat profile.
func regionRows(s *summed) rows {
	by := newSums(min(len(s.Calls), len(s.names.defs.Regions())), func(id uint64) regionSum { return regionSum{id: id} })
	all := &callSum{}
	for i := range s.Calls {
		c := &s.Calls[i]
		by.of(knownRegion(c.Region)).add(c)
		all.add(c)
	}
	s.Calls = nil // as large as the rows
	t := &rowsOf[regionSum]{order: "exclusive", rows: by.list, total: &regionSum{callSum: *all}}
	t.columns = append(callColumns(&s.clock, func(r *regionSum) *callSum { return &r.callSum }, all),
		id("region", "id of the region", func(r *regionSum) uint64 { return r.id }),
		named("region", "region_name", "its name", func(r *regionSum) *string { return s.names.jsonName(trace.SpaceRegion, r.id) },
			func(r *regionSum) string { return s.names.region(r.id) }))
	return t
}

// callRows is a flat profile of each location.
func callRows(s *summed) rows {
	all := &callSum{}
	for i := range s.Calls {
		all.add(&s.Calls[i])
	}
	t := &rowsOf[placedCalls]{order: "exclusive", total: &placedCalls{callSum: *all}}
	t.columns = append(append(callColumns(&s.clock, func(r *placedCalls) *callSum { return &r.callSum }, all),
		locationColumns("location", "location", "", s.names, func(r *placedCalls) uint64 { return r.location })...),
		id("region", "id of the region", func(r *placedCalls) uint64 { return r.region }),
		named("region", "region_name", "its name", func(r *placedCalls) *string { return s.names.jsonName(trace.SpaceRegion, r.region) },
			func(r *placedCalls) string { return s.names.region(r.region) }))
	for i := range s.Calls {
		c := &s.Calls[i]
		row := placedCalls{location: c.Location, region: knownRegion(c.Region)}
		row.add(c)
		t.rows = append(t.rows, row)
	}
	return t
}

// placedCalls is the sum of the calls of a region on a location.
type placedCalls struct {
	callSum
	location, region uint64
}

// locationColumns are the id and the name of a location that does something ("that sent the messages").
func locationColumns[R any](head, name, does string, n *names, of func(*R) uint64) []column[R] {
	return []column[R]{
		{Column: Column{Name: name, Type: "integer", Doc: "id of the location" + does}, value: func(r *R) value { return countValue(of(r)) }},
		named(head, name+"_name", "its name", func(r *R) *string { return n.jsonName(trace.SpaceLocation, of(r)) }, func(r *R) string { return n.location(of(r)) }),
	}
}

// placeSum is the sum of the calls and messages of a location or a process.
type placeSum struct {
	calls                    callSum
	sent, received           uint64
	bytesSent, bytesReceived trace.Sum
}

func (p *placeSum) send(m *trace.MessageTotals) {
	p.sent += m.Count
	p.bytesSent = p.bytesSent.Plus(m.Bytes)
}

func (p *placeSum) receive(m *trace.MessageTotals) {
	p.received += m.Count
	p.bytesReceived = p.bytesReceived.Plus(m.Bytes)
}

// place is a location, or a process.
type place[K comparable] struct {
	placeSum
	key K
}

// placeRows adds up calls and messages by the places that locations belong to. Places without any have no row.
func placeRows[K comparable](s *summed, of func(location uint64) K, name ...column[place[K]]) rows {
	type row = place[K]
	by := newSums(len(s.locations), func(key K) row { return row{key: key} })
	all := &placeSum{}
	for _, id := range s.locations {
		by.of(of(id))
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		by.of(of(c.Location)).calls.add(c)
		all.calls.add(c)
	}
	for _, m := range s.Messages {
		if s.chosen == nil || s.chosen[m.SendLocation] {
			by.of(of(m.SendLocation)).send(&m)
			all.send(&m)
		}
		if s.chosen == nil || s.chosen[m.ReceiveLocation] {
			by.of(of(m.ReceiveLocation)).receive(&m)
			all.receive(&m)
		}
	}
	rows := slices.DeleteFunc(by.list, func(r row) bool { return r.placeSum == (placeSum{}) })
	t := &rowsOf[row]{rows: rows, total: &row{placeSum: *all}}
	t.columns = append([]column[row]{
		count("calls", "calls", "number of calls that overlap the window", func(r *row) uint64 { return r.calls.count }),
		tickSum("exclusive", "exclusive_ticks", "time within the window in which a call is open", &s.clock, func(r *row) trace.Sum { return r.calls.exclusive }),
		share("share", "exclusive_share", "the same as a part of the total", func(r *row) float64 { return part(r.calls.exclusive, all.calls.exclusive) }),
		count("sent", "sent_messages", "number of messages sent, of those that overlap the window", func(r *row) uint64 { return r.sent }),
		byteSum("bytes sent", "sent_bytes", "their lengths as sent", func(r *row) trace.Sum { return r.bytesSent }),
		count("received", "received_messages", "number of messages received, of those that overlap the window", func(r *row) uint64 { return r.received }),
		byteSum("bytes received", "received_bytes", "their lengths as sent", func(r *row) trace.Sum { return r.bytesReceived }),
	}, name...)
	return t
}

func locationRows(s *summed) rows {
	return placeRows(s, func(id uint64) uint64 { return id },
		locationColumns("location", "location", "", s.names, func(r *place[uint64]) uint64 { return r.key })...)
}

// processOrLocation is a process, or a location that belongs to no known process.
type processOrLocation struct {
	id      uint64
	process bool
}

func processRows(s *summed) rows {
	type row = place[processOrLocation]
	process := func(r *row) uint64 {
		if r.key.process {
			return r.key.id
		}
		return trace.Undefined
	}
	text := func(r *row) string {
		if !r.key.process {
			return s.names.location(r.key.id)
		}
		return s.names.plain(trace.SpaceLocationGroup, r.key.id)
	}
	return placeRows(s, func(location uint64) processOrLocation {
		if id, ok := s.names.defs.Process(location); ok {
			return processOrLocation{id, true}
		}
		return processOrLocation{location, false}
	},
		id("process", "id of the process; null for a location that belongs to no known process", process),
		named("process", "process_name", "its name", func(r *row) *string { return s.names.jsonName(trace.SpaceLocationGroup, process(r)) }, text),
		id("location", "id of a location that belongs to no known process; null for a process", func(r *row) uint64 {
			if r.key.process {
				return trace.Undefined
			}
			return r.key.id
		}))
}
