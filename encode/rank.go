package encode

import "github.com/pandotrace/pando/format"

// OwnRank is the rank of a location in a communicator. With it, the peers of sends and receives are kept relative to the
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

// AddRank tells the dictionary a location's rank. It reports false for a rank that is not below the size, or known already.
func (d *Dictionary) AddRank(o OwnRank) bool {
	k := rankKey{o.Location, o.Communicator}
	if _, ok := d.rankOf[k]; ok || !o.valid() {
		return false
	}
	d.rankOf[k] = len(d.ranks)
	d.ranks = append(d.ranks, o)
	return true
}

// Ranks returns the number of ranks that the dictionary knows.
func (d *Dictionary) Ranks() int { return len(d.ranks) }

// Peer returns the rank of the peer of a send or receive of a location.
func (d *Dictionary) Peer(l *Leaf, location uint32) (uint64, error) {
	if !l.Relative {
		return l.Words[0], nil
	}
	o := d.Rank(location, l.Words[1])
	if o == nil {
		return 0, format.Corruptf(sliceSection, -1, "location %d has no rank in communicator %d", location, l.Words[1])
	}
	peer, ok := o.peer(l.Words[0])
	if !ok {
		return 0, format.Corruptf(sliceSection, -1, "location %d: peer at distance %d of %d ranks", location, format.Unzigzag(l.Words[0]), o.Size)
	}
	return peer, nil
}

// appendRanks appends
//
//	uvarint  number of ranks
//	each     varint location - location of the one before, uvarint communicator, uvarint rank, uvarint size - 1 - rank
func appendRanks(dst []byte, ranks []OwnRank) []byte {
	dst = format.AppendUvarint(dst, uint64(len(ranks)))
	before := uint32(0)
	for _, o := range ranks {
		dst = format.AppendVarint(dst, int64(o.Location)-int64(before))
		dst = format.AppendUvarint(dst, o.Communicator)
		dst = format.AppendUvarint(dst, o.Rank)
		dst = format.AppendUvarint(dst, o.Size-1-o.Rank)
		before = o.Location
	}
	return dst
}

func (d *Dictionary) readRanks(r *format.Decoder, limit int) {
	before := int64(0)
	for range r.Count(4, limit-len(d.ranks)) {
		location := before + r.Varint()
		o := OwnRank{Location: uint32(location), Communicator: r.Uvarint(), Rank: uint64(r.Int(maxRanks))}
		o.Size = o.Rank + 1 + uint64(r.Int(maxRanks))
		if r.Err() != nil {
			return
		}
		if location < 0 || location >= 1<<32 || !d.AddRank(o) {
			r.Fail("bad rank of location %d", location)
			return
		}
		before = location
	}
}
