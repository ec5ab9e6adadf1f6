package slice

import (
	"github.com/pandotrace/pando/encode/shape"
)

// Ends reads the sends and receives of a run.
type Ends struct {
	events *Events
	run    int
	peers  shape.PeerFinder
}

// Ends returns the sends and receives of a run.
func (e *Events) Ends(run int) Ends {
	return Ends{e, run, shape.PeerFinder{Dictionary: e.Dictionary, Location: e.Runs[run].Location}}
}

// Of returns the first words of a send or receive, an event of the run with the number of its leaf: the peer's rank, communicator, tag and length.
func (n *Ends) Of(event int, leaf uint32) (words [4]uint64, err error) {
	d := n.events.Dictionary
	if slots := d.Slots(leaf); len(slots) > 0 && slots[0].Word < 4 {
		b, err := n.events.Batch(n.run)
		if err != nil {
			return words, err
		}
		return [4]uint64(b.Fields(event)), nil
	}
	words = [4]uint64(d.Words(leaf))
	if d.Info()[leaf].Relative {
		words[0], err = n.peers.Of(words[:])
	}
	return words, err
}
