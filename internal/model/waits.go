package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Wait is the time that a call waited for other locations, as far as it lies in a window.
type Wait struct {
	Kind           string
	Location, Call uint64 // the call that waited, by the ordinal of its enter
	Path           string // names, with " > " between them
	Start, End     int64
	Cause          uint64 // location
	CausePath      string
	CauseTime      int64
	Late           uint64 // how many came after the wait's start
	Clamped        bool
	ClampedLate    uint64           // how many of these came after the call had been left
	LateTicks      map[uint64]int64 // by location: the sum of how much later they came
}

// reason is something that a call may have waited for: the enter of another one.
type reason struct {
	kind  string
	cause *trace.Call
	hard  bool // the call cannot be left before
}

// Waits returns the waits of all calls in [from, to), by location and call. The rules are those of package waits of analysis.
func (t *Trace) Waits(from, to int64) []Wait {
	calls, around := t.communication()
	reasons := map[*trace.Call][]reason{}
	add := func(waiter *trace.Call, kind string, cause *trace.Call, hard bool) {
		if waiter != nil && cause != nil {
			reasons[waiter] = append(reasons[waiter], reason{kind, cause, hard})
		}
	}
	t.messageReasons(around, add)
	t.collectiveReasons(around, add)
	order, paths := t.order(), t.paths(calls)
	var all []Wait
	for c, list := range reasons {
		w := Wait{Location: c.Location, Call: c.Ordinal, Path: paths[EventID{c.Location, c.Ordinal}], Start: max(c.Start, from), LateTicks: map[uint64]int64{}}
		var first *reason
		for i := range list {
			r := &list[i]
			end := min(r.cause.Start, c.End, to)
			later := slices.ContainsFunc(list, func(o reason) bool { return o.hard && o.cause.Start >= r.cause.Start })
			if end <= w.Start || !r.hard && (r.cause.Start >= c.End || later) {
				continue
			}
			w.Late++
			w.LateTicks[r.cause.Location] += end - w.Start
			if r.cause.Start > c.End {
				w.ClampedLate++
			}
			if first == nil || compareReasons(r, first, order) < 0 {
				first = r
			}
		}
		if first == nil {
			continue
		}
		w.Kind, w.Cause, w.CauseTime = first.kind, first.cause.Location, first.cause.Start
		w.CausePath = paths[EventID{first.cause.Location, first.cause.Ordinal}]
		w.End, w.Clamped = min(first.cause.Start, c.End, to), first.cause.Start > c.End
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b Wait) int {
		return cmp.Or(cmp.Compare(order[a.Location], order[b.Location]), cmp.Compare(a.Call, b.Call))
	})
	return all
}

// kindsOfWaits are in the order in which they are blamed.
var kindsOfWaits = []string{"late sender", "late receiver", "barrier", "all to all", "late root", "early root", "early scan"}

// compareReasons orders reasons by who is blamed first: who came last.
func compareReasons(a, b *reason, order map[uint64]int) int {
	return cmp.Or(cmp.Compare(b.cause.Start, a.cause.Start), cmp.Compare(order[a.cause.Location], order[b.cause.Location]),
		cmp.Compare(a.cause.Ordinal, b.cause.Ordinal), cmp.Compare(slices.Index(kindsOfWaits, a.kind), slices.Index(kindsOfWaits, b.kind)))
}

// paths returns the call path of each call, as text. Calls deeper than 128 levels are beside those of the last level.
func (t *Trace) paths(calls []trace.Call) map[EventID]string {
	lists, texts := map[EventID][]string{}, map[EventID]string{}
	for i := range calls {
		c := &calls[i]
		around := lists[EventID{c.Location, c.Parent}]
		if len(around) == 128 {
			around = around[:127]
		}
		id := EventID{c.Location, c.Ordinal}
		lists[id] = append(slices.Clone(around), t.RegionName(c.Region))
		texts[id] = strings.Join(lists[id], " > ")
	}
	return texts
}

// communication returns all calls, and for each event the innermost call of communication around it.
func (t *Trace) communication() (calls []trace.Call, around map[EventID]*trace.Call) {
	around = map[EventID]*trace.Call{}
	for i := range t.Locations {
		l := &t.Locations[i]
		own := t.stackOf(l).calls
		for c := range own {
			a := t.Definitions.RegionClass(own[c].Region).Activity
			if a != trace.ActivityMPI && a != trace.ActivityPGAS {
				continue
			}
			for e := own[c].Ordinal + 1; e < own[c].EndOrdinal; e++ { // calls further in come later
				around[EventID{l.ID, e}] = &own[c]
			}
		}
		calls = append(calls, own...)
	}
	return calls, around
}

// function returns the name of a call's function without the prefix of its library, in small letters.
func (t *Trace) function(c *trace.Call) string {
	name := strings.ToLower(t.RegionName(c.Region))
	return strings.TrimPrefix(strings.TrimPrefix(name, "p"), "mpi_")
}

// messageReasons adds what sends and receives wait for.
func (t *Trace) messageReasons(around map[EventID]*trace.Call, add func(*trace.Call, string, *trace.Call, bool)) {
	posted, completed := t.requests(around)
	for _, m := range t.Match().Messages {
		s, r := EventID{m.SendLocation, m.SendOrdinal}, EventID{m.ReceiveLocation, m.ReceiveOrdinal}
		add(around[r], "late sender", around[s], true)
		call, post := around[s], posted[r]
		if t.record(s).Kind == trace.KindMpiIsend {
			add(completed[s], "late receiver", post, false)
			continue
		}
		if call == nil || slices.Contains([]string{"isend", "ibsend", "issend", "irsend", "bsend", "start", "startall"}, t.function(call)) {
			continue
		}
		add(call, "late receiver", post, t.function(call) == "ssend")
	}
}

func (t *Trace) record(id EventID) *Record { return &t.Location(id.Location).Events[id.Ordinal] }

// requests returns for receives the calls that posted them, and for sends that do not block the calls that completed them.
func (t *Trace) requests(around map[EventID]*trace.Call) (posted, completed map[EventID]*trace.Call) {
	posted, completed = map[EventID]*trace.Call{}, map[EventID]*trace.Call{}
	for _, l := range t.Locations {
		posts, sends := map[uint64]*trace.Call{}, map[uint64]EventID{}
		for i, e := range l.Events {
			id := EventID{l.ID, uint64(i)}
			switch e.Kind {
			case trace.KindMpiIsend:
				sends[e.Words[4]] = id
			case trace.KindMpiIsendComplete:
				if s, ok := sends[e.Words[0]]; ok {
					completed[s] = around[id]
				}
				delete(sends, e.Words[0])
			case trace.KindMpiIrecvRequest:
				posts[e.Words[0]] = around[id]
			case trace.KindMpiIrecv:
				posted[id] = posts[e.Words[4]]
				delete(posts, e.Words[4])
			case trace.KindMpiRequestCancelled:
				delete(posts, e.Words[0])
				delete(sends, e.Words[0])
			case trace.KindMpiRecv:
				if c := around[id]; c != nil && !strings.HasPrefix(t.function(c), "wait") && !strings.HasPrefix(t.function(c), "test") {
					posted[id] = c
				}
			}
		}
	}
	return posted, completed
}

// part is the part of a location in a collective operation.
type part struct {
	operation, root uint64
	rank            uint64
	member          bool
	enters, waits   *trace.Call // with which it takes part, and in which it ends
}

// operationID names an operation: the n-th of a communicator, of those that block or of those that do not.
type operationID struct {
	communicator, number uint64
	blocks               bool
}

// collectiveReasons adds what collective operations wait for.
func (t *Trace) collectiveReasons(around map[EventID]*trace.Call, add func(*trace.Call, string, *trace.Call, bool)) {
	all, numbers := map[operationID][]part{}, t.OperationNumbers()
	started := map[requestID]*trace.Call{}
	for _, e := range t.Events() {
		id := operationID{blocks: true}
		p := part{waits: around[e.ID()]}
		switch e.Kind {
		default:
			continue
		case trace.KindNonBlockingCollectiveRequest:
			started[requestID{e.Location, e.Words[0]}] = around[e.ID()]
			continue
		case trace.KindMpiCollectiveEnd:
			p.enters = p.waits
		case trace.KindNonBlockingCollectiveComplete:
			r := requestID{e.Location, e.Words[5]}
			p.enters, id.blocks = started[r], false
			delete(started, r)
		}
		p.operation, id.communicator, p.root = e.Words[0], e.Words[1], e.Words[2]
		p.rank, _, p.member = t.Definitions.OwnRank(id.communicator, e.Location)
		id.number = numbers[e.ID()]
		all[id] = append(all[id], p)
	}
	order := t.order()
	for _, parts := range all {
		t.operationReasons(parts, order, add)
	}
}

// operationReasons adds what the parts of an operation wait for. They are in the order in which they ended.
func (t *Trace) operationReasons(parts []part, order map[uint64]int, add func(*trace.Call, string, *trace.Call, bool)) {
	for _, p := range parts {
		if p.operation != parts[0].operation {
			return
		}
	}
	for i, p := range parts {
		kind, needs := "", func(int) bool { return true }
		switch trace.EnumCollectiveOp.Format(p.operation) {
		case "BARRIER":
			kind = "barrier"
		case "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK":
			kind = "all to all"
		case "BCAST", "SCATTER", "SCATTERV":
			kind, needs = "late root", func(j int) bool {
				first := slices.IndexFunc(parts, func(q part) bool { return q.member && q.rank == p.root })
				return j == first
			}
		case "REDUCE", "GATHER", "GATHERV":
			kind, needs = "early root", func(int) bool { return p.member && p.rank == p.root }
		case "SCAN", "EXSCAN":
			kind, needs = "early scan", func(j int) bool {
				q := parts[j]
				return q.member && (!p.member || q.rank < p.rank) || q.rank == p.rank && q.member == p.member && j < i
			}
		default:
			return
		}
		var last *reason
		for j, q := range parts {
			if r := (&reason{kind: kind, cause: q.enters}); q.enters != nil && needs(j) && (last == nil || compareReasons(r, last, order) < 0) {
				last = r
			}
		}
		if last != nil {
			add(p.waits, kind, last.cause, true)
		}
	}
}

// PathStep is a piece of the critical path on a location; Reason is the kind of the wait that ended there at its start, "" for the first one.
type PathStep struct {
	Location   uint64
	Start, End int64
	Reason     string
}

// CriticalPath goes back from the last event in [from, to) to from, by waits in that window. The path's end is the window's, or the trace's last event
// if that is earlier. The first step comes first.
func (t *Trace) CriticalPath(waits []Wait, from, to int64) (steps []PathStep) {
	var at uint64
	_, now, _ := t.Span()
	now = min(now, to)
	latest, found := int64(0), false
	for _, l := range t.Locations {
		for _, e := range l.Events {
			if from <= e.Time && e.Time < to && (!found || e.Time > latest) {
				at, latest, found = l.ID, e.Time, true
			}
		}
	}
	if !found {
		return nil
	}
	visited := map[uint64]bool{} // at this instant
	for {
		var last *Wait
		for i := range waits {
			w := &waits[i]
			if w.Location != at || w.Cause == at || w.End > now || w.End == now && visited[w.Cause] {
				continue
			}
			if last == nil || cmp.Or(cmp.Compare(w.End, last.End), cmp.Compare(w.Start, last.Start), cmp.Compare(w.Call, last.Call)) > 0 {
				last = w
			}
		}
		s := PathStep{Location: at, Start: from, End: now}
		if last != nil {
			s.Start, s.Reason = last.End, last.Kind
		}
		if s.Start < s.End {
			steps = append(steps, s)
			clear(visited)
		}
		if last == nil {
			slices.Reverse(steps)
			return steps
		}
		visited[at] = true
		at, now = last.Cause, last.End
	}
}

// PathStretch is a piece of the critical path in one call path of a location, "" outside of calls.
type PathStretch struct {
	Location   uint64
	Path       string
	Start, End int64
}

// Stretches divides steps by the call that is open.
func (t *Trace) Stretches(steps []PathStep) (list []PathStretch) {
	calls, _ := t.communication()
	paths, own := t.paths(calls), map[uint64][]trace.Call{}
	for _, c := range calls {
		own[c.Location] = append(own[c.Location], c)
	}
	for _, s := range steps {
		times := []int64{s.Start, s.End}
		var inside []trace.Call
		for _, c := range own[s.Location] {
			if c.Start < s.End && c.End > s.Start {
				inside = append(inside, c)
				times = append(times, min(max(c.Start, s.Start), s.End), min(max(c.End, s.Start), s.End))
			}
		}
		slices.Sort(times)
		times = slices.Compact(times)
		n := len(list)
		for i := range len(times) - 1 {
			x := PathStretch{Location: s.Location, Start: times[i], End: times[i+1]}
			depth := -1
			for _, c := range inside {
				if c.Start <= x.Start && c.End >= x.End && c.Depth > depth {
					depth, x.Path = c.Depth, paths[EventID{c.Location, c.Ordinal}]
				}
			}
			if last := len(list) - 1; last >= n && list[last].Path == x.Path {
				list[last].End = x.End
			} else {
				list = append(list, x)
			}
		}
	}
	return list
}
