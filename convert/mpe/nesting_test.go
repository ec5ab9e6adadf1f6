package mpe

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type stateEvent struct {
	begin       bool
	location    int
	state, line uint32
}

func crossing(events []stateEvent, locations int) *Nesting {
	n := NewNesting(locations)
	for again := true; again; again = n.Again() {
		for _, e := range events {
			if e.begin {
				n.Begin(e.location, e.state, uint64(e.line))
			} else {
				n.End(e.location, e.state, uint64(e.line))
			}
		}
	}
	return n
}

func TestNesting(t *testing.T) {
	const begin, end = true, false
	at := func(begin bool, state uint32) stateEvent { return stateEvent{begin, 0, state, 0} }
	for name, test := range map[string]struct {
		events []stateEvent
		want   []uint32
	}{
		"nested":      {[]stateEvent{at(begin, 1), at(begin, 2), at(end, 2), at(end, 1)}, nil},
		"recursive":   {[]stateEvent{at(begin, 1), at(begin, 1), at(end, 1), at(end, 1)}, nil},
		"crossing":    {[]stateEvent{at(begin, 1), at(begin, 2), at(end, 1), at(end, 2)}, []uint32{2}},
		"never ended": {[]stateEvent{at(begin, 1), at(begin, 2), at(end, 1), at(begin, 1), at(end, 1)}, nil},
		"never begun": {[]stateEvent{at(end, 2), at(begin, 1), at(end, 1)}, nil},
		"other line":  {[]stateEvent{{true, 0, 1, 0}, {true, 0, 1, 3}, {false, 0, 1, 0}, {false, 0, 1, 3}}, []uint32{1}},
		"locations":   {[]stateEvent{{true, 0, 1, 0}, {true, 1, 2, 0}, {false, 0, 1, 0}, {false, 1, 2, 0}}, nil},
	} {
		if got := crossing(test.events, 2).Crossing(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// States that are calls do nest: the end of one that has begun is never without its begin because another one ended.
func TestCallsNest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 2000 {
		var events []stateEvent
		for range r.IntN(200) {
			events = append(events, stateEvent{r.IntN(2) == 0, r.IntN(3), uint32(r.IntN(5)), uint32(r.IntN(20) / 18)})
		}
		n := crossing(events, 3)
		type open struct{ state, line uint32 }
		stacks := [3][]open{}
		lost := [3]map[uint32]bool{{}, {}, {}}
		for _, e := range events {
			if n.Crosses(e.state) {
				some++
				continue
			}
			stack := stacks[e.location]
			if e.begin {
				stacks[e.location] = append(stack, open{e.state, e.line})
				continue
			}
			at := len(stack) - 1
			for at >= 0 && stack[at].state != e.state {
				at--
			}
			switch {
			case at < 0 && lost[e.location][e.state]:
				t.Fatalf("state %d ends after it was cut, and is a call: %v", e.state, events)
			case at >= 0 && stack[at].line != e.line:
				t.Fatalf("state %d ends on line %d, not %d: %v", e.state, e.line, stack[at].line, events)
			case at >= 0:
				for _, o := range stack[at+1:] {
					lost[e.location][o.state] = true
				}
				stacks[e.location] = stack[:at]
			}
		}
	}
	if some == 0 {
		t.Error("no state crosses another")
	}
}

// Proper nesting is never taken for crossing.
func TestNestedStatesAreCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		n := NewNesting(1)
		var stack []uint32
		for range r.IntN(300) {
			if len(stack) > 0 && r.IntN(2) == 0 {
				n.End(0, stack[len(stack)-1], 7)
				stack = stack[:len(stack)-1]
				continue
			}
			stack = append(stack, uint32(r.IntN(6)))
			n.Begin(0, stack[len(stack)-1], 7)
		}
		if list := n.Crossing(); list != nil {
			t.Fatalf("%v", list)
		}
	}
}
