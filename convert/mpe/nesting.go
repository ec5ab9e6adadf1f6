package mpe

import "slices"

// Nesting finds out which states are calls. States of one location that nest are; a state of which one occurrence
// ends when one that began before it has ended already is none, nowhere in the trace. A state that never ends is
// a call that is cut when one further out ends.
//
// As what is found to be no call does not count for others, the same begins and ends are given to it in further
// rounds, as long as Again asks for one.
type Nesting struct {
	stacks   [][]openState // by location
	ended    [][]uint32    // by location: the states that were open inside one that ended, each once
	open     int
	crossing map[uint32]bool
	found    bool // states that cross, in this round
	round    int
}

// openState is a state that has begun. An end of it has the same tag.
type openState struct {
	state uint32
	tag   uint64
}

const (
	// maxOpenStates bounds the memory for states that began and did not end yet.
	maxOpenStates = 1 << 22
	// lastRound is the last one: each state that does not nest perfectly is no call then.
	lastRound = 5
)

// NewNesting returns an empty Nesting for n locations.
func NewNesting(locations int) *Nesting {
	return &Nesting{stacks: make([][]openState, locations), ended: make([][]uint32, locations), crossing: map[uint32]bool{}}
}

// Crosses reports whether a state is no call.
func (n *Nesting) Crosses(state uint32) bool { return n.crossing[state] }

// Crossing returns the states that are no calls, in order.
func (n *Nesting) Crossing() []uint32 {
	var list []uint32
	for state := range n.crossing {
		list = append(list, state)
	}
	slices.Sort(list)
	return list
}

// Again reports whether another round is needed, and begins it.
func (n *Nesting) Again() bool {
	if !n.found || n.round == lastRound {
		return false
	}
	clear(n.stacks)
	clear(n.ended)
	n.open, n.found = 0, false
	n.round++
	return true
}

func (n *Nesting) cross(state uint32) {
	n.found = n.found || !n.crossing[state]
	n.crossing[state] = true
}

// Begin takes in the begin of a state. tag is whatever its end has in common with it: a line, or a number.
func (n *Nesting) Begin(location int, state uint32, tag uint64) {
	if len(n.crossing) > 0 && n.crossing[state] {
		return
	}
	if n.open >= maxOpenStates {
		n.cross(state)
		return
	}
	n.stacks[location] = append(n.stacks[location], openState{state, tag})
	n.open++
}

// End takes in the end of a state.
func (n *Nesting) End(location int, state uint32, tag uint64) {
	stack := n.stacks[location]
	top := len(stack) - 1
	if top >= 0 && stack[top] == (openState{state, tag}) { // nearly always
		n.stacks[location] = stack[:top]
		n.open--
		return
	}
	if !n.crossing[state] {
		n.endOther(location, state, tag)
	}
}

// endOther ends a state that is not the innermost one.
func (n *Nesting) endOther(location int, state uint32, tag uint64) {
	stack := n.stacks[location]
	at := len(stack) - 1
	for at >= 0 && stack[at].state != state {
		at--
	}
	switch {
	case at < 0 && slices.Contains(n.ended[location], state), at >= 0 && stack[at].tag != tag:
		n.cross(state)
		return
	case at < 0:
		return // it never began
	}
	for _, s := range stack[at+1:] {
		if !n.crossing[s.state] && !slices.Contains(n.ended[location], s.state) {
			n.ended[location] = append(n.ended[location], s.state)
		}
		if n.round == lastRound {
			n.cross(s.state)
			n.cross(state)
		}
	}
	n.open -= len(stack) - at
	n.stacks[location] = stack[:at]
}
