package pairing

import (
	"math"
	"slices"
)

// EndPairing pairs the ends of a slice, whatever their number: it goes through them in rounds, with a bounded number of channels in each.
type EndPairing struct {
	Channels ChannelNumbers
	Most     int                                    // channels of a round
	Each     func(do func(b *EndBatch) error) error // does something with the ends of all lanes
	codes    []uint32                               // by event of the slice; in the end pairedEnd and the number of the pair
	Pairs    []PlacedPair
	First    uint32 // of the numbers of pairs, where these are told to a writer
	Unknown  int    // ends of ranks that are not known
	Lost     int    // place of a receive without a send, -1 if there is none
}

// PlacedPair is a message: its earlier time, and the places of its ends among the events of the slice.
type PlacedPair struct {
	Begin int64 // see slicePairs
	EndPair
}

// Pair pairs the ends of a slice with the given number of events.
func (p *EndPairing) Pair(events int) error {
	p.codes, p.Lost = make([]uint32, events), -1
	for left := true; left; {
		var err error
		if left, err = p.round(); err != nil {
			return err
		}
	}
	return nil
}

// round pairs the ends of as many channels as a round has. It reports whether there are others.
func (p *EndPairing) round() (left bool, err error) {
	var marks []SkipMark
	p.Channels.Numbers = map[ChannelKey]uint32{}
	err = p.Each(func(b *EndBatch) error {
		for i, at := range b.At {
			code := &p.codes[b.Place+at]
			if *code != NoEnd {
				continue
			}
			switch *code = p.Channels.Code(b, i, max(p.Most, 1)); {
			case *code == NoEnd:
				left = true
			case *code == Unresolved:
				p.Unknown++
			case *code < Unresolved && b.Skips[i] > 0:
				marks = append(marks, SkipMark{b.Place + at, b.Skips[i]})
			}
		}
		return nil
	})
	channels := len(p.Channels.Numbers)
	p.Channels.Numbers = nil
	if err == nil {
		p.pairRound(channels, marks)
	}
	return left, err
}

// pairRound pairs the ends that have the codes of channels.
func (p *EndPairing) pairRound(channels int, marks []SkipMark) {
	pairs, lost := PairEnds(p.codes, channels, marks)
	if p.Lost < 0 {
		p.Lost = lost
	}
	for n, code := range p.codes {
		if code != NoEnd && code < Unresolved {
			p.codes[n] = Unwanted // unless it belongs to a pair
		}
	}
	p.Pairs = slices.Grow(p.Pairs, len(pairs))
	for _, pair := range pairs {
		p.codes[pair.Send] = PairedEnd + uint32(len(p.Pairs))
		p.codes[pair.Receive] = p.codes[pair.Send]
		p.Pairs = append(p.Pairs, PlacedPair{math.MaxInt64, pair})
	}
}

// Of returns the number of the pair of an end.
func (p *EndPairing) Of(b *EndBatch, i int) (pair uint32, ok bool) {
	code := p.codes[b.Place+b.At[i]]
	return code - PairedEnd, code >= PairedEnd
}
