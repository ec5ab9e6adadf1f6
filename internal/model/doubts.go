package model

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Backward returns the number of messages that are received before they are sent.
func (m *Matching) Backward() (n uint64) {
	for _, x := range m.Messages {
		if x.ReceiveTime < x.SendTime {
			n++
		}
	}
	return n
}

// OpenRequests returns how many sends and receives that do not block are neither completed nor cancelled. A request of which another one takes the
// number is not completed either. In a trace that was cut none count.
func (t *Trace) OpenRequests() (n uint64) {
	if t.isCut() {
		return 0
	}
	for i := range t.Locations {
		open := map[uint64]trace.Kind{}
		for _, e := range t.Locations[i].Events {
			switch e.Kind {
			case trace.KindMpiIsend, trace.KindMpiIrecvRequest:
				id := e.Words[len(e.Words)-1]
				if _, ok := open[id]; ok {
					n++
				}
				open[id] = e.Kind
			case trace.KindMpiIsendComplete:
				if open[e.Words[0]] == trace.KindMpiIsend {
					delete(open, e.Words[0])
				}
			case trace.KindMpiIrecv:
				if id := e.Words[4]; open[id] == trace.KindMpiIrecvRequest {
					delete(open, id)
				}
			case trace.KindMpiRequestCancelled:
				delete(open, e.Words[0])
			}
		}
		n += uint64(len(open))
	}
	return n
}

// UnlikeRanks returns how many ranks have another sequence of blocking collective operations than most ranks of their communicator. Those that take part in
// nothing have none, and count if their process has events.
func (t *Trace) UnlikeRanks() (n uint64) {
	if t.isCut() {
		return 0
	}
	sequences := map[uint64]map[uint64]string{} // by communicator and location
	for i := range t.Locations {
		l := &t.Locations[i]
		for _, e := range l.Events {
			if e.Kind != trace.KindMpiCollectiveEnd {
				continue
			}
			comm := e.Words[1]
			if sequences[comm] == nil {
				sequences[comm] = map[uint64]string{}
			}
			sequences[comm][l.ID] += fmt.Sprintln(e.Words[0], e.Words[2])
		}
	}
	for comm, of := range sequences {
		var ranks, texts []string
		for location, text := range of {
			if rank, _, ok := t.Definitions.OwnRank(comm, location); ok {
				ranks, texts = append(ranks, fmt.Sprint(rank)), append(texts, text)
			}
		}
		slices.Sort(ranks)
		if len(slices.Compact(ranks)) < len(texts) {
			continue // nobody knows in which order the threads of a process do what
		}
		texts = append(texts, make([]string, t.idleRanks(comm, of))...)
		most := 0
		for _, a := range texts {
			same := 0
			for _, b := range texts {
				if a == b {
					same++
				}
			}
			most = max(most, same)
		}
		n += uint64(len(texts) - most)
	}
	return n
}

// idleRanks returns how many ranks of a communicator take part in nothing, while some locations do.
func (t *Trace) idleRanks(comm uint64, of map[uint64]string) (n int) {
	busy, size, from := map[uint64]bool{}, uint64(0), uint64(0)
	for location := range of {
		if rank, all, ok := t.Definitions.OwnRank(comm, location); ok {
			busy[rank], size, from = true, all, location
		}
	}
	f := findings{Trace: t}
	for rank := range size {
		if busy[rank] || !t.member(comm, rank, size) {
			continue
		}
		if location, ok := t.Definitions.RankLocation(comm, rank, from); !ok || f.recorded(t.process(location)) {
			n++
		}
	}
	return n
}

// member reports whether a communicator, which may have fewer members than ranks, has a rank.
func (t *Trace) member(comm, rank, size uint64) bool {
	members := t.Definitions.GroupLists[t.Definitions.Comms[comm].Group].Members
	return len(members) == 0 || uint64(len(members)) >= size || slices.Contains(members, rank)
}

func (t *Trace) isCut() bool {
	return slices.ContainsFunc(t.Locations, func(l Location) bool {
		return slices.ContainsFunc(l.Events, func(r Record) bool { return r.Kind == trace.KindCutBefore || r.Kind == trace.KindCutAfter })
	})
}
