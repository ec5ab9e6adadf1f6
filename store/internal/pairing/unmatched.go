package pairing

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
)

// Side is one side of a channel: what the ends on it have in common.
type Side struct {
	Own               ProcessID
	Send              bool
	Communicator, Tag uint64
	Peer              ProcessID // the zero value if it is not known
	PeerUnknown       bool
}

// Compare orders sides by the process that they belong to, so that its ends are together.
func (s *Side) Compare(o *Side) int {
	return cmp.Or(s.Own.compare(o.Own), cmp.Compare(B2i(s.Send), B2i(o.Send)), cmp.Compare(s.Communicator, o.Communicator), cmp.Compare(s.Tag, o.Tag),
		cmp.Compare(s.peer(), o.peer()), cmp.Compare(s.Peer.Id, o.Peer.Id))
}

// Kinds of peers.
const (
	unknownPeer = iota
	groupPeer
	locationPeer
	peerKinds
)

func (s *Side) peer() int {
	switch {
	case s.PeerUnknown:
		return unknownPeer
	case s.Peer.Location:
		return locationPeer
	}
	return groupPeer
}

// side returns the number that tells which sides a block lists next to ids: 1 for a send, 2 if the own process is a location, 4 times the
// kind of the peer.
func (s *Side) number() uint64 {
	return uint64(B2i(s.Send) + 2*B2i(s.Own.Location) + 4*s.peer())
}

// Unmatched is an end of a message without a partner.
type Unmatched struct {
	Side
	Location uint32 // index
	Ordinal  uint64
	Slice    uint64
	Length   uint64 // bytes of the message
}

// CompareEvents orders ends by location and ordinal.
func (u *Unmatched) CompareEvents(o *Unmatched) int {
	return cmp.Or(cmp.Compare(u.Location, o.Location), cmp.Compare(u.Ordinal, o.Ordinal))
}

// UnmatchedInBlock is the number of ends in a block, at most.
const UnmatchedInBlock = 1 << 14

// The columns of a block, of channels and of ends.
const (
	channelColumns = 6
	endColumns     = 4
)

// AppendUnmatched appends ends without a partner, of which there is one at least, in the order of their channels:
//
//	uvarint  number of channels
//	uvarint  number of ends, at most 16384
//	columns  of the channels: 1 for sends + 2 if the own process is a location + 4 × the kind of the peer (0 not known, 1 location group,
//	         2 location); id of the own process; communicator; tag; id of the peer, 0 if it is not known; number of ends - 1
//	columns  of the ends, channel by channel: location; ordinal; slice; length
func AppendUnmatched(dst []byte, ends []Unmatched) []byte {
	var channels [channelColumns][]uint64
	var columns [endColumns][]uint64
	for i := range ends {
		e := &ends[i]
		if n := len(channels[0]); i == 0 || e.Side != ends[i-1].Side {
			for c, v := range []uint64{e.number(), e.Own.Id, e.Communicator, e.Tag, e.Peer.Id, 0} {
				channels[c] = append(channels[c], v)
			}
		} else {
			channels[channelColumns-1][n-1]++
		}
		for c, v := range []uint64{uint64(e.Location), e.Ordinal, e.Slice, e.Length} {
			columns[c] = append(columns[c], v)
		}
	}
	dst = format.AppendUvarint(dst, uint64(len(channels[0])))
	dst = format.AppendUvarint(dst, uint64(len(ends)))
	for _, column := range slices.Concat(channels[:], columns[:]) {
		dst = records.AppendNumbers(dst, column)
	}
	return dst
}

const unmatchedSection = "unmatched block"

// ParseUnmatched reads what AppendUnmatched wrote, of a trace with some locations and slices.
func ParseUnmatched(b []byte, locations int, slices uint64) ([]Unmatched, error) {
	d := format.NewDecoder(unmatchedSection, b)
	n := d.Count(channelColumns, UnmatchedInBlock)
	ends := make([]Unmatched, d.Count(endColumns, UnmatchedInBlock))
	var channels [channelColumns][]uint64
	for c := range channels {
		channels[c] = records.ReadNumbers(d, n)
	}
	var columns [endColumns][]uint64
	for c := range columns {
		columns[c] = records.ReadNumbers(d, len(ends))
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	for i := range ends {
		e := &ends[i]
		if columns[0][i] >= uint64(locations) || columns[2][i] >= slices {
			return nil, format.Corruptf(unmatchedSection, -1, "end %d is of location %d, slice %d", i, columns[0][i], columns[2][i])
		}
		e.Location, e.Ordinal, e.Slice, e.Length = uint32(columns[0][i]), columns[1][i], columns[2][i], columns[3][i]
	}
	return ends, setSides(ends, &channels)
}

// setSides sets the sides of ends by the columns of channels.
func setSides(ends []Unmatched, channels *[channelColumns][]uint64) error {
	var before Side
	for i := range channels[0] {
		s := Side{Communicator: channels[2][i], Tag: channels[3][i]}
		what, n := channels[0][i], channels[5][i]
		if what >= 4*peerKinds || n >= uint64(len(ends)) || what/4 == unknownPeer && channels[4][i] != 0 {
			return format.Corruptf(unmatchedSection, -1, "channel %d is of kind %d, peer %d, and has %d more ends, of %d", i, what, channels[4][i], n, len(ends))
		}
		s.Send, s.Own = what&1 != 0, ProcessID{channels[1][i], what&2 != 0}
		s.PeerUnknown, s.Peer = what/4 == unknownPeer, ProcessID{channels[4][i], what/4 == locationPeer}
		if i > 0 && before.Compare(&s) >= 0 {
			return format.Corruptf(unmatchedSection, -1, "channel %d is out of order", i)
		}
		for j := range ends[:n+1] {
			ends[j].Side = s
		}
		ends, before = ends[n+1:], s
	}
	if len(ends) > 0 {
		return format.Corruptf(unmatchedSection, -1, "%d ends are of no channel", len(ends))
	}
	return nil
}
