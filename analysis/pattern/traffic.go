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

	least  uint64         // messages of a pair that counts for who sends to whom at all
	shifts map[int]uint64 // messages by the number of the receiver, less that of the sender
	sum    uint64         // of all messages
}

// prepare adds up what is asked often.
func (t *Traffic) prepare() {
	t.leaveStrays()
	t.shifts = map[int]uint64{}
	for i := range t.Pairs {
		p := &t.Pairs[i]
		t.shifts[p.To-p.From] += p.Messages
	}
	t.sum, _ = t.total()
}

// strayShare is the share of the messages of a usual pair below which a pair counts as stray.
const strayShare = 0.1

// leaveStrays finds out how many messages a pair has that is not stray. A usual pair is that of a usual message.
func (t *Traffic) leaveStrays() {
	var squares, sum float64
	for i := range t.Pairs {
		n := float64(t.Pairs[i].Messages)
		squares, sum = squares+n*n, sum+n
	}
	if sum > 0 {
		t.least = uint64(strayShare * squares / sum)
	}
}

// total adds up all pairs.
func (t *Traffic) total() (messages, bytes uint64) {
	for i := range t.Pairs {
		messages += t.Pairs[i].Messages
		bytes += t.Pairs[i].Bytes
	}
	return messages, bytes
}

// find returns the pair of two ranks, nil if there are none but stray messages.
func (t *Traffic) find(from, to int) *Pair {
	i, ok := slices.BinarySearchFunc(t.Pairs, [2]int{from, to}, func(p Pair, at [2]int) int {
		return cmp.Or(cmp.Compare(p.From, at[0]), cmp.Compare(p.To, at[1]))
	})
	if !ok || t.Pairs[i].Messages < t.least {
		return nil
	}
	return &t.Pairs[i]
}

// joined reports whether there are messages between two ranks, in whichever direction.
func (t *Traffic) joined(a, b int) bool { return t.find(a, b) != nil || t.find(b, a) != nil }
