package pattern

import (
	"cmp"
	"slices"
)

// Pair is what one rank sends to another one.
type Pair struct {
	From, To        int
	Messages, Bytes uint64
}

// Traffic is what ranks send to each other.
type Traffic struct {
	// Ranks is their number. Pairs are in the order of From and To, none twice, and of none are there 0 messages.
	Ranks int
	Pairs []Pair
}

// Total adds up all pairs.
func (t *Traffic) Total() (messages, bytes uint64) {
	for i := range t.Pairs {
		messages += t.Pairs[i].Messages
		bytes += t.Pairs[i].Bytes
	}
	return messages, bytes
}

// counted is traffic with what is asked often.
type counted struct {
	*Traffic
	messages, bytes uint64         // of all pairs
	shifts          map[int]uint64 // messages by the number of the receiver, less that of the sender
	least           uint64         // messages of a pair that is not stray
}

// strayShare is the share of the messages of a usual pair below which a pair counts as stray. A usual pair is that of a usual message.
const strayShare = 0.1

func count(of *Traffic) *counted {
	t := &counted{Traffic: of, shifts: map[int]uint64{}}
	t.messages, t.bytes = of.Total()
	squares := 0.0
	for i := range of.Pairs {
		p := &of.Pairs[i]
		t.shifts[p.To-p.From] += p.Messages
		squares += float64(p.Messages) * float64(p.Messages)
	}
	if t.messages > 0 {
		t.least = uint64(strayShare * squares / float64(t.messages))
	}
	return t
}

// find returns the pair of two ranks, nil if there are none but stray messages.
func (t *counted) find(from, to int) *Pair {
	i, ok := slices.BinarySearchFunc(t.Pairs, [2]int{from, to}, func(p Pair, at [2]int) int {
		return cmp.Or(cmp.Compare(p.From, at[0]), cmp.Compare(p.To, at[1]))
	})
	if !ok || t.Pairs[i].Messages < t.least {
		return nil
	}
	return &t.Pairs[i]
}

// joined reports whether there are messages between two ranks, in whichever direction.
func (t *counted) joined(a, b int) bool { return t.find(a, b) != nil || t.find(b, a) != nil }
