package calltree

import (
	"errors"
	"fmt"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// Message is one end of a message, as structure has it: locations that send to equal distances have equal ones.
type Message struct {
	Receive bool
	// Relative says that Peer is the distance to the peer, as [shape.OwnRank.Relative] has it: the shorter way round the ring of ranks. Otherwise it is the peer's
	// rank: of a location that has no rank in the communicator, as in one between two groups.
	Relative bool
	Peer     uint64
}

// String returns what people read, such as "send to +1" and "receive from rank 3".
func (m Message) String() string {
	what := "send to"
	if m.Receive {
		what = "receive from"
	}
	if m.Relative {
		return fmt.Sprintf("%s %+d", what, shape.Distance(m.Peer))
	}
	return fmt.Sprintf("%s rank %d", what, m.Peer)
}

// The places of words in the records of sends and receives.
const (
	peerWord = 0
	commWord = 1
)

// ErrPeersVary says that the peers of messages are values, which structure does not have: they vary, or the ranks of locations were not known
// in time. The events themselves have them.
var ErrPeersVary = errors.New("peers of messages are values")

// Peers finds out to whom messages go and from whom they come. It is not safe for concurrent use.
type Peers struct {
	defs *trace.Definitions
	own  map[[2]uint64]shape.OwnRank // by location and communicator; of size 0 where the location is no member
}

// NewPeers returns the peers of a trace.
func NewPeers(defs *trace.Definitions) *Peers {
	return &Peers{defs, map[[2]uint64]shape.OwnRank{}}
}

// OfLeaf returns the message of a leaf; ok is false if it is none. The error is ErrPeersVary.
func (p *Peers) OfLeaf(l *shape.Leaf) (m Message, ok bool, err error) {
	if l.Class != shape.Send && l.Class != shape.Receive {
		return m, false, nil
	}
	for _, s := range l.Slots {
		if s.Word == peerWord || s.Word == commWord {
			return m, false, ErrPeersVary
		}
	}
	if c, ok := p.defs.Comms[l.Words[commWord]]; !l.Relative && ok && !c.Inter {
		return m, false, ErrPeersVary // some locations may have a rank in it
	}
	return Message{l.Class == shape.Receive, l.Relative, l.Words[peerWord]}, true, nil
}

// OfEvent returns the message of an event; ok is false if it is none.
func (p *Peers) OfEvent(location uint64, kind trace.Kind, words []uint64) (m Message, ok bool) {
	switch kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		m.Receive = true
	default:
		return m, false
	}
	key := [2]uint64{location, words[commWord]}
	own, known := p.own[key]
	if !known {
		if rank, size, member := p.defs.OwnRank(words[commWord], location); member {
			own.Rank, own.Size = rank, size
		}
		p.own[key] = own
	}
	if m.Peer, m.Relative = own.Relative(words[peerWord]); !m.Relative {
		m.Peer = words[peerWord]
	}
	return m, true
}
