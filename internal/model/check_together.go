package model

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// recorded reports whether a process has events.
func (f *findings) recorded(p process) bool {
	return slices.ContainsFunc(f.Locations, func(l Location) bool { return len(l.Events) > 0 && f.process(l.ID) == p })
}

// messages finds messages that lack an end, and those whose ends do not go together.
func (f *findings) messages() {
	m := f.Match()
	for i := range m.Messages {
		x := &m.Messages[i]
		receive := EventID{x.ReceiveLocation, x.ReceiveOrdinal}
		if x.ReceiveLength > x.SendLength {
			f.add("longer-than-sent", receive, false)
		}
		if x.ReceiveTime < x.SendTime {
			f.add("received-before-sent", receive, false)
		}
	}
	for _, e := range f.Events() {
		switch e.Kind {
		case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv:
			if _, _, ok := f.ends(e); !ok {
				f.add("unknown-peer", e.ID(), false)
			}
		}
	}
	f.unmatched("unmatched-send", m.UnmatchedSends)
	f.unmatched("unmatched-receive", m.UnmatchedReceives)
}

func (f *findings) unmatched(code string, list []EventID) {
	for _, id := range list {
		own, peer, ok := f.ends(Event{id.Location, id.Ordinal, f.Location(id.Location).Events[id.Ordinal]})
		if !ok {
			continue // an unknown peer
		}
		excused := f.cut || !f.recorded(own) || !f.recorded(peer)
		f.list = append(f.list, Finding{code, excused, f.where(id)})
	}
}

// collectives puts parts together, and looks at what ranks say of an operation.
func (f *findings) collectives() {
	series := map[seriesName]map[uint64][]rankPart{} // by rank
	from := map[seriesName]EventID{}                 // the first part
	for _, p := range f.parts() {
		rank, _, ok := f.Definitions.OwnRank(p.in.comm, p.id.Location)
		if !ok {
			if c, defined := f.Definitions.Comms[p.in.comm]; defined && !c.Inter {
				f.add("not-a-member", p.id, false)
			}
			continue
		}
		if series[p.in] == nil {
			series[p.in], from[p.in] = map[uint64][]rankPart{}, p.id
		}
		series[p.in][rank] = append(series[p.in][rank], p)
	}
	for name, parts := range series {
		f.series(name, parts, from[name])
	}
}

// series looks at the operations of a communicator.
func (f *findings) series(name seriesName, parts map[uint64][]rankPart, first EventID) {
	_, size, _ := f.Definitions.OwnRank(name.comm, first.Location)
	var ranks []uint64
	var queues [][]rankPart
	for rank := range size {
		if !f.member(name.comm, rank, size) {
			continue
		}
		location, ok := f.Definitions.RankLocation(name.comm, rank, first.Location)
		if !ok || f.recorded(f.process(location)) {
			ranks, queues = append(ranks, rank), append(queues, parts[rank])
		}
	}
	for _, o := range align(queues, name.blocks) {
		f.operation(name, &o, ranks, size)
	}
}

// operation looks at one of them.
func (f *findings) operation(name seriesName, o *jointOperation, ranks []uint64, size uint64) {
	for _, p := range slices.Concat(o.extras, o.others) {
		f.add("other-operation", p.id, false)
	}
	for _, m := range o.missing {
		done := &o.typical
		location, ok := f.Definitions.RankLocation(name.comm, ranks[m.rank], done.id.Location)
		if !ok {
			location = trace.Undefined
		}
		at, ordinal := done.begin, trace.Undefined
		if !done.begun {
			at = done.end
		}
		if m.next != nil && m.next.begun {
			location, ordinal = m.next.beginID.Location, m.next.beginID.Ordinal
		}
		f.list = append(f.list, Finding{"missing-part", f.cut, fmt.Sprintf("event %d of %d at %d", ordinal, location, at)})
	}
	if len(o.parts) == 0 {
		return
	}
	root := f.root(o)
	operation := trace.EnumCollectiveOp.Format(o.parts[0].operation)
	shape := waiting(operation)
	first, none := o.parts[0].id, root == 1<<32-1
	switch needs := shape == "from root" || shape == "to root"; {
	case none && needs:
		f.add("no-root", first, false)
	case !none && !needs && shape != "":
		f.add("root-without-need", first, false)
	case !none && needs && root >= size && root < 1<<32-8: // the last numbers mean something else
		f.add("root-is-no-rank", first, false)
	}
	for _, p := range o.parts {
		if operation == "BARRIER" && (p.sent > 0 || p.received > 0) {
			f.add("barrier-with-data", p.id, false)
		}
	}
	f.bytes(operation, o, ranks, root, size)
	if name.blocks {
		f.order(o, ranks, shape, root)
	}
}

// bytes looks at what ranks say to have received, in operations that have a root.
func (f *findings) bytes(operation string, o *jointOperation, ranks []uint64, root, size uint64) {
	if root >= size {
		return
	}
	votes, off, alike := map[uint64]int{}, 0, 0
	for i, p := range o.parts {
		if ranks[o.ranks[i]] != root {
			votes[p.received]++
			off++
			if p.received == p.sent {
				alike++
			}
		}
	}
	usual, most := uint64(0), 0
	for received, n := range votes {
		if n > most || n == most && received < usual {
			usual, most = received, n
		}
	}
	for i, p := range o.parts {
		isRoot := ranks[o.ranks[i]] == root
		switch {
		case operation == "BCAST" && !isRoot && p.received != usual:
			f.add("broadcast-differs", p.id, false)
		case operation == "BCAST" && isRoot && usual > 0 && p.sent > 0 && p.sent != usual && p.sent != usual*size && p.sent != usual*(size-1):
			f.add("broadcast-differs", p.id, false)
		case waiting(operation) == "to root" && !isRoot && p.received > 0 && (2*alike <= off || p.received != p.sent):
			f.add("bytes-off-root", p.id, false)
		}
	}
}

// root returns the root that most name, and notes who names another.
func (f *findings) root(o *jointOperation) uint64 {
	votes := map[uint64]int{}
	for _, p := range o.parts {
		votes[p.root]++
	}
	root := o.parts[0].root
	for r, n := range votes {
		if n > votes[root] || n == votes[root] && r < root {
			root = r
		}
	}
	for _, p := range o.parts {
		if p.root != root {
			f.add("other-root", p.id, false)
		}
	}
	return root
}

// waiting says who waits for whom in an operation.
func waiting(operation string) string {
	switch operation {
	case "BARRIER", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV", "ALLTOALLW", "ALLREDUCE", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK":
		return "all"
	case "BCAST", "SCATTER", "SCATTERV":
		return "from root"
	case "GATHER", "GATHERV", "REDUCE":
		return "to root"
	case "SCAN", "EXSCAN":
		return "in order"
	}
	return ""
}

// order finds ranks that leave before one enters that they wait for.
func (f *findings) order(o *jointOperation, ranks []uint64, shape string, root uint64) {
	for i, p := range o.parts {
		rank := ranks[o.ranks[i]]
		early := slices.ContainsFunc(o.ranks, func(other int) bool {
			q := o.parts[slices.Index(o.ranks, other)]
			waits := shape == "all" || shape == "from root" && ranks[other] == root || shape == "to root" && rank == root || shape == "in order" && ranks[other] <= rank
			return waits && q.begun && q.begin > p.end
		})
		if early {
			f.add("left-before-all", p.id, false)
		}
	}
}
