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

// UnlikeRanks returns how many ranks have another sequence of blocking collective operations than most ranks of their communicator.
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

func (t *Trace) isCut() bool {
	return slices.ContainsFunc(t.Locations, func(l Location) bool {
		return slices.ContainsFunc(l.Events, func(r Record) bool { return r.Kind == trace.KindCutBefore || r.Kind == trace.KindCutAfter })
	})
}
