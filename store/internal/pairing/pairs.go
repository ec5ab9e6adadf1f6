package pairing

import (
	"math/bits"
)

// EndPair are the numbers of two ends that belong together.
type EndPair struct{ Send, Receive uint32 }

// SkipMark says how many free sends a receive passes over.
type SkipMark struct{ End, Skip uint32 }

// PairEnds gives each receive its send: the first of its channel that is free, after those it passes over. Ends are known by the codes
// of their channels (see channelNumbers), whose number is given; marks are in order. lost is a receive without a send, -1 if
// there is none.
func PairEnds(codes []uint32, channels int, marks []SkipMark) (pairs []EndPair, lost int) {
	free, receives := sortSends(codes, channels, len(marks) > 0)
	pairs, lost = make([]EndPair, 0, receives), -1
	for n, code := range codes {
		if code >= Unresolved || code%2 == 0 {
			continue
		}
		skip := 0
		if len(marks) > 0 && marks[0].End == uint32(n) {
			skip, marks = int(marks[0].Skip), marks[1:]
		}
		if s, ok := free.take(int(code/2), skip); ok {
			pairs = append(pairs, EndPair{s, uint32(n)})
		} else if lost < 0 {
			lost = n
		}
	}
	return pairs, lost
}

// freeSends are sends, channel by channel.
type freeSends struct {
	starts []uint32 // by channel, where its sends begin in order, with one more
	order  []uint32
	next   []uint32 // by channel, the place of the first free one; all behind it are free, unless there is a tree
	tree   Counts   // of those that are free; nil if none is passed over
}

// sortSends returns the sends among ends, and the number of receives.
func sortSends(codes []uint32, channels int, passed bool) (f freeSends, receives int) {
	f.starts = make([]uint32, channels+1)
	for _, code := range codes {
		switch {
		case code >= Unresolved || code == NoEnd:
		case code%2 == 0:
			f.starts[code/2]++ // one more than its channel's number
		default:
			receives++
		}
	}
	for c := range channels {
		f.starts[c+1] += f.starts[c]
	}
	f.next, f.order = append([]uint32(nil), f.starts[:channels]...), make([]uint32, f.starts[channels])
	for n, code := range codes {
		if code < Unresolved && code != NoEnd && code%2 == 0 {
			at := &f.next[code/2-1]
			f.order[*at] = uint32(n)
			*at++
		}
	}
	copy(f.next, f.starts)
	if passed {
		f.tree = NewCounts(len(f.order))
	}
	return f, receives
}

// take takes a free send of a channel, after skip other free ones.
func (f *freeSends) take(channel, skip int) (send uint32, ok bool) {
	from, to := f.starts[channel], f.starts[channel+1]
	if from == to {
		return 0, false
	}
	at := f.next[channel]
	if f.tree != nil {
		at = uint32(f.tree.find(f.tree.Before(int(from)) + skip))
	}
	if at >= to {
		return 0, false
	}
	if f.next[channel]++; f.tree != nil {
		f.tree.Take(int(at))
	}
	return f.order[at], true
}

// Counts is a tree of how many things are left: entry i of the i & -i things up to number i, counted from 1.
type Counts []uint32

// NewCounts returns n counts.
func NewCounts(n int) Counts {
	c := make(Counts, n+1)
	for i := range c {
		c[i] = uint32(i & -i)
	}
	return c
}

// Before returns how many things before a place are left.
func (c Counts) Before(at int) (n int) {
	for ; at > 0; at &= at - 1 {
		n += int(c[at])
	}
	return n
}

// find returns the place of the thing before which n others are left, or one behind all.
func (c Counts) find(n int) (at int) {
	for step := 1 << bits.Len(uint(len(c))); step > 0; step /= 2 {
		if next := at + step; next < len(c) && int(c[next]) <= n {
			at, n = next, n-int(c[next])
		}
	}
	return at
}

// Take takes away the thing at a place.
func (c Counts) Take(at int) {
	for i := at + 1; i < len(c); i += i & -i {
		c[i]--
	}
}
