package cluster

import (
	"errors"
	"strconv"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// message is one end of a message as the string of a location has it: where the peer is, as leaves of package shape say it. Distances go the
// shorter way round the ring of ranks; where a location has no rank in a communicator, as on one between two groups, the peer is known by its
// own rank.
type message struct {
	receive, relative bool
	peer              uint64
}

// message returns the hash of a message.
func (k *knowledge) message(m message) content.Hash {
	h, ok := k.messages[m]
	if !ok {
		text := "\x00rank " // no region is called so
		if m.relative {
			text = "\x00distance "
		}
		of := content.SymbolsOf(text + strconv.FormatUint(m.peer, 10))
		h = k.bases.Symbol(of.Enter)
		if m.receive {
			h = k.bases.Symbol(of.Leave)
		}
		k.messages[m] = h
	}
	return h
}

// errValues says that the peers of messages are not part of the structure: they vary, or the ranks of locations were not known in time. Then the
// events themselves are followed.
var errValues = errors.New("peers of messages are values")

// peers finds out to whom messages go and from whom they come.
type peers struct {
	defs *trace.Definitions
	know *knowledge
	own  map[[2]uint64]shape.OwnRank // by location and communicator; of size 0 where the location is no member
}

// The places of words in the records of sends and receives.
const (
	peerWord = 0
	commWord = 1
)

// ofLeaf returns the hash of a leaf, that of the empty string if it is no message.
func (p *peers) ofLeaf(l *shape.Leaf) (content.Hash, error) {
	if l.Class != shape.Send && l.Class != shape.Receive {
		return content.Hash{}, nil
	}
	for _, s := range l.Slots {
		if s.Word == peerWord || s.Word == commWord {
			return content.Hash{}, errValues
		}
	}
	if c, ok := p.defs.Comms[l.Words[commWord]]; !l.Relative && ok && !c.Inter {
		return content.Hash{}, errValues // some locations may have a rank in it
	}
	return p.know.message(message{l.Class == shape.Receive, l.Relative, l.Words[peerWord]}), nil
}

// ofEvent returns the hash of an event.
func (p *peers) ofEvent(location uint64, kind trace.Kind, words []uint64) content.Hash {
	var m message
	switch kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		m.receive = true
	default:
		return content.Hash{}
	}
	key := [2]uint64{location, words[commWord]}
	own, known := p.own[key]
	if !known {
		if rank, size, member := p.defs.OwnRank(words[commWord], location); member {
			own.Rank, own.Size = rank, size
		}
		p.own[key] = own
	}
	if m.peer, m.relative = own.Relative(words[peerWord]); !m.relative {
		m.peer = words[peerWord]
	}
	return p.know.message(m)
}

// pointsOf returns the hashes of the messages among the leaves of a view, nil if groups are not by messages.
func (g *reading) pointsOf(v *shape.View) ([]content.Hash, error) {
	if g.peers == nil {
		return nil, nil
	}
	if points, ok := g.points[v]; ok {
		return points, nil
	}
	if len(g.points) >= mostViews {
		clear(g.points)
	}
	points := make([]content.Hash, v.Leaves())
	for i := range points {
		leaf, _ := v.Leaf(v.LeafID(uint32(i)))
		var err error
		if points[i], err = g.peers.ofLeaf(&leaf); err != nil {
			return nil, err
		}
	}
	g.points[v] = points
	return points, nil
}

// mostViews is the number of views whose messages are kept.
const mostViews = 64

// followEvents follows all events of the window.
func (g *reading) followEvents() error {
	for _, p := range g.places {
		g.budget.used -= p.spent
	}
	if err := g.begin(); err != nil {
		return err
	}
	done := int64(0)
	keys := callEvents{names: g.names, defs: g.defs, known: map[callKey]calltree.Event{}}
	for b, err := range g.Window.Batches() {
		if err != nil {
			return err
		}
		p := g.place(b.Location)
		for i, kind := range b.Kinds {
			e := keys.of(kind, b.Fields(i))
			if e.Class == calltree.Other {
				if h := g.peers.ofEvent(b.Location, kind, b.Fields(i)); h.N > 0 {
					p.text = p.text.Then(h)
				}
				continue
			}
			if err := g.event(p, e); err != nil {
				return err
			}
		}
		g.spend(p)
		done += int64(b.Len())
		g.progress.atLeast(g.before + done)
	}
	return nil
}

// callEvents says what events do to calls.
type callEvents struct {
	names *calltree.Events
	defs  *trace.Definitions
	known map[callKey]calltree.Event
}

type callKey struct {
	context, leave bool
	id             uint64
}

func (c *callEvents) of(kind trace.Kind, words []uint64) calltree.Event {
	var key callKey
	switch kind {
	case trace.KindEnter:
		key = callKey{id: words[0]}
	case trace.KindLeave:
		key = callKey{leave: true, id: words[0]}
	case trace.KindCallingContextEnter:
		key = callKey{context: true, id: words[0]}
	case trace.KindCallingContextLeave:
		key = callKey{context: true, leave: true, id: words[0]}
	default:
		return calltree.Event{}
	}
	e, ok := c.known[key]
	if !ok {
		call := trace.Call{Region: key.id, Context: trace.Undefined}
		if key.context {
			call.Region, call.Context = c.defs.ContextRegion(key.id), key.id
		}
		if e = c.names.OfCall(&call); key.leave {
			e.Class = calltree.Leave
		}
		c.known[key] = e
	}
	return e
}
