package summary

import (
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// activities is the number of trace.Activities.
var activities = len(trace.Activities())

// placeSum is the sum of the calls and messages of a location or a process.
type placeSum struct {
	locations                uint64 // that are not only counters
	calls                    callSum
	activities               []trace.Sum // exclusive time by activity
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

func (p *placeSum) call(c *trace.CallTotals, a trace.Activity) {
	p.calls.add(c)
	p.activities[a] = p.activities[a].Plus(c.Exclusive)
}

// empty reports whether there is nothing to tell of: no thread that could be idle, no call and no message.
func (p *placeSum) empty() bool {
	return p.locations == 0 && p.calls.count == 0 && p.sent == 0 && p.received == 0
}

// place is a location, or a process.
type place[K comparable] struct {
	placeSum
	key K
}

// locationMetric is the type of locations that record counters and do nothing else.
const locationMetric = 3

// placeRows adds up calls and messages by the places that locations belong to.
func placeRows[K comparable](s *summed, of func(location uint64) K, name ...column[*place[K]]) rows {
	type row = place[K]
	by := newSums(len(s.locations), func(key K) row { return row{key: key, placeSum: placeSum{activities: make([]trace.Sum, activities)}} })
	all := &row{placeSum: placeSum{activities: make([]trace.Sum, activities)}}
	for _, id := range s.locations {
		if p := by.of(of(id)); s.has(id) && s.locationType(id) != locationMetric {
			p.locations++
			all.locations++
		}
	}
	s.addPlaces(func(location uint64) *placeSum { return &by.of(of(location)).placeSum }, &all.placeSum)
	idle := s.length()
	for i := range by.list {
		by.list[i].rest(idle)
	}
	all.rest(idle)
	rows := slices.DeleteFunc(by.list, func(r row) bool { return r.empty() })
	t := &rowsOf[*row]{rows: pointers(rows), total: all, shown: "exclusive"}
	t.columns = slices.Concat(
		[]column[*row]{count("calls", "calls", "number of calls that overlap the window", func(r *row) uint64 { return r.calls.count })},
		tickSum("exclusive", "exclusive", "time within the window in which a call is open", s.clock, func(r *row) trace.Sum { return r.calls.exclusive }),
		[]column[*row]{share("share", "exclusive_share", "the same as a part of the total", func(r *row) float64 { return part(r.calls.exclusive, all.calls.exclusive) })},
		activityColumns(s, &all.placeSum, func(r *row) *placeSum { return &r.placeSum }),
		[]column[*row]{
			count("sent", "sent_messages", "number of messages sent, of those that overlap the window", func(r *row) uint64 { return r.sent }),
			byteSum("bytes sent", "sent_bytes", "their lengths as sent", func(r *row) trace.Sum { return r.bytesSent }),
			count("received", "received_messages", "number of messages received, of those that overlap the window", func(r *row) uint64 { return r.received }),
			byteSum("bytes received", "received_bytes", "their lengths as sent", func(r *row) trace.Sum { return r.bytesReceived }),
		}, name)
	for i := range t.columns {
		switch t.columns[i].Name {
		case "sent_messages", "received_messages":
			t.columns[i].spare = 2
		case "received_bytes":
			t.columns[i].spare = 3
		case "sent_bytes":
			t.columns[i].spare = 1
		}
	}
	return t
}

// addPlaces adds calls and messages to their places, and to all.
func (s *summed) addPlaces(of func(location uint64) *placeSum, all *placeSum) {
	var known trace.Numbers
	var class []trace.Activity // by number of the region
	for i := range s.Calls {
		c := &s.Calls[i]
		n, ok := known.Of(c.Region)
		if !ok {
			n = known.Add(c.Region)
			class = append(class, s.names.Definitions().RegionClass(c.Region).OwnActivity())
		}
		of(c.Location).call(c, class[n])
		all.call(c, class[n])
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		if s.has(m.SendLocation) {
			of(m.SendLocation).send(m)
			all.send(m)
		}
		if s.has(m.ReceiveLocation) {
			of(m.ReceiveLocation).receive(m)
			all.receive(m)
		}
	}
}

// rest makes what calls leave of the window, whose length is given, idle time.
func (p *placeSum) rest(window trace.Sum) {
	idle := trace.Sum{}
	for range p.locations {
		idle = idle.Plus(window)
	}
	p.activities[trace.ActivityIdle] = idle.Minus(p.calls.exclusive)
}

func (s *summed) locationType(id uint64) uint64 {
	d := s.names.Definitions()
	if i, ok := d.LocationIndex(id); ok {
		return d.Locations[i].Type
	}
	return 0
}

// activityColumns divide the window into what a place does in it. Text has those activities that occur, as parts of the window.
func activityColumns[R comparable](s *summed, all *placeSum, of func(R) *placeSum) (list []column[R]) {
	window := s.length()
	for i, a := range trace.Activities() {
		doc := "exclusive time of regions of this activity"
		switch a {
		case trace.ActivityComputation:
			doc = "exclusive time of the program's own regions, also of code within OpenMP's constructs"
		case trace.ActivityIdle:
			doc = "time without an open call: all of this and the activities before adds up to the window, times the locations of the row"
		}
		name := strings.NewReplacer("/", "", " ", "_").Replace(strings.ToLower(a.String()))
		columns := tickSum("", name, doc, s.clock, func(r R) trace.Sum { return of(r).activities[i] })
		if (a == trace.ActivityComputation || a == trace.ActivityIdle || all.activities[i] != (trace.Sum{})) && !s.none {
			columns[0].head = strings.ToLower(a.String())
			columns[0].text = func(r R) string {
				p := of(r)
				return percent(p.activities[i].Float() / max(window.Float()*float64(p.locations), 1))
			}
		}
		list = append(list, columns...)
	}
	return list
}

func locationRows(s *summed) rows {
	return placeRows(s, func(id uint64) uint64 { return id }, places(s, "location", "", "", func(r *place[uint64]) uint64 { return r.key })...)
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
	ranks := map[uint64]*trace.Place{} // by process
	for i := range s.names.Places() {
		if p := &s.names.Places()[i]; p.InProcess && ranks[p.Process] == nil {
			ranks[p.Process] = p
		}
	}
	rank := func(r *row) (int64, bool) {
		p := ranks[process(r)]
		return rankOf(p), p != nil && p.Rank >= 0
	}
	first := func(r *row) uint64 {
		if p := ranks[process(r)]; p != nil {
			return p.Location
		}
		return r.key.id
	}
	text := func(r *row) string {
		if !r.key.process {
			return s.placed(s.names.Location(r.key.id), r.key.id)
		}
		return s.placed(s.names.Plain(trace.SpaceLocationGroup, r.key.id), first(r))
	}
	return placeRows(s, func(location uint64) processOrLocation {
		if id, ok := s.names.Definitions().Process(location); ok {
			return processOrLocation{id, true}
		}
		return processOrLocation{location, false}
	},
		id("process", "id of the process; null for a location that belongs to no known process", process),
		named("process", "process_name", "its name", func(r *row) *string { return s.names.Optional(trace.SpaceLocationGroup, process(r)) }, text),
		id("location", "id of a location that belongs to no known process; null for a process", func(r *row) uint64 {
			if r.key.process {
				return trace.Undefined
			}
			return r.key.id
		}),
		number("rank", "MPI rank of the process", rank), coordinateColumn(s, "", first))
}
