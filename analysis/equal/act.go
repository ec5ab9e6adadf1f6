package equal

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// act is something that a program did, as two traces can be compared by it.
type act struct {
	kind     trace.Kind
	name     string // of the region, or the operation
	comm     string // the ranks of the members
	peer     int    // rank of the peer or root, -1 for none
	tag      uint64
	sent     uint64 // bytes
	received uint64
}

func (a *act) text() string {
	switch a.kind {
	case trace.KindEnter, trace.KindLeave:
		return fmt.Sprintf("%s %q", a.kind, a.name)
	case trace.KindMpiSend:
		return fmt.Sprintf("send to %d in %s, tag %d, %d bytes", a.peer, a.comm, a.tag, a.sent)
	case trace.KindMpiRecv:
		return fmt.Sprintf("receive from %d in %s, tag %d, %d bytes", a.peer, a.comm, a.tag, a.received)
	}
	return fmt.Sprintf("%s in %s, root %d, %d bytes sent and %d received", a.name, a.comm, a.peer, a.sent, a.received)
}

// program is a trace with the tables that describe its acts.
type program struct {
	src         trace.Source
	streams     map[trace.StreamID]bool
	definitions *trace.Definitions
	order       []uint64       // locations: those with a rank, then the others
	places      map[uint64]int // in order
	ranks       int            // how many have a rank
	regions     map[uint64]string
	comms       map[uint64]string
	read        uint64 // records
}

func newProgram(src trace.Source) (*program, error) {
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	p := &program{src: src, streams: idsOf(src), definitions: trace.NewDefinitions(log), places: map[uint64]int{}, regions: map[uint64]string{}, comms: map[uint64]string{}}
	p.rank()
	for _, l := range p.definitions.Locations {
		p.place(l.ID)
	}
	for _, s := range src.Streams() {
		if s.Class == trace.StreamEvents {
			p.place(s.Location)
		}
	}
	return p, nil
}

// groupCommLocations is the type of a group of all processes.
const groupCommLocations = 4

// rank puts the locations of the first group of all processes into the order of their ranks.
func (p *program) rank() {
	for i := range p.definitions.Log {
		d := &p.definitions.Log[i]
		if d.Kind != trace.KindGroup || len(p.order) > 0 {
			continue
		}
		if g := p.definitions.GroupLists[d.Words[0]]; g.Type == groupCommLocations {
			for _, id := range g.Members {
				p.place(id)
			}
			p.ranks = len(p.order)
		}
	}
}

func (p *program) place(location uint64) {
	if _, ok := p.places[location]; !ok {
		p.places[location] = len(p.order)
		p.order = append(p.order, location)
	}
}

// course starts to follow a location, by its place; beyond the last one nothing happens.
func (p *program) course(i int) *course {
	c := &course{program: p}
	if i < len(p.order) {
		c.location = p.order[i]
		id := trace.StreamID{Class: trace.StreamEvents, Location: c.location}
		if p.streams[id] {
			c.stream, c.err = p.src.Open(id)
		}
	}
	return c
}

// act returns what an event is; ok is false for events that are passed over.
func (p *program) act(kind trace.Kind, w []uint64, location uint64) (a act, ok bool) {
	switch kind {
	case trace.KindEnter, trace.KindLeave:
		return act{kind: kind, name: p.region(w[0]), peer: -1}, true
	case trace.KindCallingContextEnter:
		return act{kind: trace.KindEnter, name: p.region(p.definitions.Contexts[w[0]].Region), peer: -1}, true
	case trace.KindCallingContextLeave:
		return act{kind: trace.KindLeave, name: p.region(p.definitions.Contexts[w[0]].Region), peer: -1}, true
	case trace.KindMpiSend, trace.KindMpiIsend:
		return act{kind: trace.KindMpiSend, peer: p.peer(w[1], w[0], location), comm: p.comm(w[1]), tag: w[2], sent: w[3]}, true
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		return act{kind: trace.KindMpiRecv, peer: p.peer(w[1], w[0], location), comm: p.comm(w[1]), tag: w[2], received: w[3]}, true
	case trace.KindMpiCollectiveEnd:
		return act{kind: kind, name: trace.EnumCollectiveOp.Format(w[0]), comm: p.comm(w[1]), peer: p.peer(w[1], w[2], location), sent: w[3], received: w[4]}, true
	}
	return a, false
}

// region returns the name of a region. Some formats define regions late.
func (p *program) region(id uint64) string {
	if name, ok := p.regions[id]; ok {
		return name
	}
	if _, ok := p.definitions.Region(id); !ok {
		if more, err := p.src.Definitions(len(p.definitions.Log)); err == nil {
			p.definitions.Add(more)
		}
	}
	p.regions[id] = p.definitions.Name(trace.SpaceRegion, id)
	return p.regions[id]
}

// peer returns the place of the location of a rank of a communicator, -1 if there is none.
func (p *program) peer(comm, rank, from uint64) int {
	location, ok := p.definitions.RankLocation(comm, rank, from)
	if !ok {
		return -1
	}
	if i, ok := p.places[location]; ok {
		return i
	}
	return -1
}

// comm names a communicator by the places of its members.
func (p *program) comm(id uint64) string {
	if name, ok := p.comms[id]; ok {
		return name
	}
	var members []string
	for rank := range uint64(p.ranks) {
		location, ok := p.definitions.RankLocation(id, rank, p.order[0])
		if !ok {
			break
		}
		members = append(members, fmt.Sprint(p.places[location]))
	}
	p.comms[id] = "{" + strings.Join(members, " ") + "}"
	return p.comms[id]
}
