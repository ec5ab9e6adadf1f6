package shape

import (
	"github.com/pandotrace/pando/format"
)

// OwnRank is the rank of a location in a communicator. With it, peers, those of sends and receives for one, are kept relative to the
// location's own rank, so that all processes that do the same share their shapes.
type OwnRank struct {
	Location     uint32
	Communicator uint64
	Rank, Size   uint64
}

type rankKey struct {
	location     uint32
	communicator uint64
}

// relative returns the distance to a peer, the shorter way round the ring of ranks, zigzag-coded.
func (o *OwnRank) relative(peer uint64) uint64 {
	d := peer - o.Rank
	if peer < o.Rank {
		d += o.Size
	}
	if d > o.Size/2 {
		return format.Zigzag(int64(d - o.Size))
	}
	return format.Zigzag(int64(d))
}

// Relative returns the peer of a message as its leaf has it, relative to the own rank: the distance to it, zigzag-coded. ok is false if the
// leaf has the peer itself: one that is no rank of the communicator, or any if the location has no rank there, which a size of 0 says.
func (o *OwnRank) Relative(peer uint64) (distance uint64, ok bool) {
	if peer >= o.Size || !o.valid() {
		return 0, false
	}
	return o.relative(peer), true
}

// Distance returns a distance that [OwnRank.Relative] returned as a number: 1 is the next higher rank, -1 the next lower one.
func Distance(relative uint64) int64 { return format.Unzigzag(relative) }

// peer is the inverse of relative; ok is false if the distance is not one that relative returns.
func (o *OwnRank) peer(relative uint64) (peer uint64, ok bool) {
	d := uint64(format.Unzigzag(relative))
	if d > o.Size {
		d += o.Size // the distance is negative
	}
	if d >= o.Size {
		return 0, false
	}
	peer = o.Rank + d
	if peer >= o.Size {
		peer -= o.Size
	}
	return peer, o.relative(peer) == relative
}

// maxRanks bounds sizes of communicators, so that distances do not overflow.
const maxRanks = 1 << 40

func (o *OwnRank) valid() bool { return o.Size <= maxRanks && o.Rank < o.Size }

// Rank returns a location's rank in a communicator; nil if the dictionary does not know it.
func (d *Dictionary) Rank(location uint32, communicator uint64) *OwnRank {
	i, ok := d.rankOf[rankKey{location, communicator}]
	if !ok {
		return nil
	}
	return &d.ranks[i]
}

// ownRank is Rank for events that are added: successive ones mostly have one communicator.
func (d *Dictionary) ownRank(location uint32, communicator uint64) *OwnRank {
	k, n := rankKey{location, communicator}, &d.nearby
	if n.number == 0 || n.rankKey != k {
		i, ok := d.rankOf[k]
		if !ok {
			return nil
		}
		n.rankKey, n.number = k, i+1
	}
	return &d.ranks[n.number-1]
}

// peersRank returns the rank that the peer of an event is relative to; nil if the dictionary does not know it, or the peer is
// no member of the communicator.
func (d *Dictionary) peersRank(location uint32, words []uint64) *OwnRank {
	own := d.ownRank(location, words[1])
	if own != nil && words[0] >= own.Size {
		return nil
	}
	return own
}

// AddRank adds the rank of a location in a communicator. It reports false for a rank that is not below the size, or known already.
func (d *Dictionary) AddRank(o OwnRank) bool {
	k := rankKey{o.Location, o.Communicator}
	if _, ok := d.rankOf[k]; ok || !o.valid() {
		return false
	}
	d.rankOf[k] = len(d.ranks)
	d.ranks = append(d.ranks, o)
	clear(d.recentEnds)
	return true
}

// rankSection is the section that errors of peers name: it is in slice blocks that peers are found to be wrong.
const rankSection = "slice block"

// PeerFinder finds the ranks of the peers of a location's events. Successive ones mostly have one communicator, so that there
// is little to look up.
type PeerFinder struct {
	Dictionary   *Dictionary
	Location     uint32
	own          *OwnRank // in the communicator; nil if nothing has been looked up
	communicator uint64
}

// Of returns the rank of a peer that is relative; words are those of its leaf.
func (p *PeerFinder) Of(words []uint64) (uint64, error) {
	if p.own == nil || p.communicator != words[1] {
		p.communicator = words[1]
		if p.own = p.Dictionary.Rank(p.Location, p.communicator); p.own == nil {
			return 0, format.Corruptf(rankSection, -1, "location %d has no rank in communicator %d", p.Location, p.communicator)
		}
	}
	peer, ok := p.own.peer(words[0])
	if !ok {
		return 0, format.Corruptf(rankSection, -1, "location %d: peer at distance %d of %d ranks", p.Location, format.Unzigzag(words[0]), p.own.Size)
	}
	return peer, nil
}
