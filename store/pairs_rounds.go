package store

import (
	"math"
	"slices"
)

// endPairing pairs the ends of a slice, whatever their number: it goes through them in rounds, of so many channels each.
type endPairing struct {
	channels channelNumbers
	most     int                                    // channels of a round
	each     func(do func(b *endBatch) error) error // does something with the ends of all lanes
	codes    []uint32                               // by event of the slice; in the end pairedEnd and the number of the pair
	pairs    []placedPair
	first    uint32 // of the numbers of pairs, where these are told to a writer
	unknown  int    // ends of ranks that are not known
	lost     int    // place of a receive without a send, -1 if there is none
}

// placedPair is a message: its earlier time, and the places of its ends among the events of the slice.
type placedPair struct {
	begin int64 // see slicePairs
	endPair
}

// pair pairs the ends of a slice of so many events.
func (p *endPairing) pair(events int) error {
	p.codes, p.lost = make([]uint32, events), -1
	for left := true; left; {
		var err error
		if left, err = p.round(); err != nil {
			return err
		}
	}
	return nil
}

// round pairs the ends of as many channels as a round has. It reports whether there are others.
func (p *endPairing) round() (left bool, err error) {
	var marks []skipMark
	p.channels.numbers = map[channelKey]uint32{}
	err = p.each(func(b *endBatch) error {
		for i, at := range b.at {
			code := &p.codes[b.place+at]
			if *code != noEnd {
				continue
			}
			switch *code = p.channels.code(b, i, max(p.most, 1)); {
			case *code == noEnd:
				left = true
			case *code == unresolved:
				p.unknown++
			case *code < unresolved && b.skips[i] > 0:
				marks = append(marks, skipMark{b.place + at, b.skips[i]})
			}
		}
		return nil
	})
	channels := len(p.channels.numbers)
	p.channels.numbers = nil
	if err == nil {
		p.pairRound(channels, marks)
	}
	return left, err
}

// pairRound pairs the ends that have the codes of channels.
func (p *endPairing) pairRound(channels int, marks []skipMark) {
	pairs, lost := pairEnds(p.codes, channels, marks)
	if p.lost < 0 {
		p.lost = lost
	}
	for n, code := range p.codes {
		if code != noEnd && code < unresolved {
			p.codes[n] = unwanted // unless it belongs to a pair
		}
	}
	p.pairs = slices.Grow(p.pairs, len(pairs))
	for _, pair := range pairs {
		p.codes[pair.send] = pairedEnd + uint32(len(p.pairs))
		p.codes[pair.receive] = p.codes[pair.send]
		p.pairs = append(p.pairs, placedPair{math.MaxInt64, pair})
	}
}

// of returns the number of the pair of an end.
func (p *endPairing) of(b *endBatch, i int) (pair uint32, ok bool) {
	code := p.codes[b.place+b.at[i]]
	return code - pairedEnd, code >= pairedEnd
}
