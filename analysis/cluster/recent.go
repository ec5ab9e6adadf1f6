package cluster

import (
	"slices"

	"github.com/pandotrace/pando/encode/shape"
)

// recent remembers what the last locations of a slice did. Ranks of a program mostly do the same: one that comes from the same state by the same tokens ends in the
// same state, and nothing is followed again.
type recent struct {
	steps [recentSteps]recentStep
	next  int // the one that is replaced
}

// recentSteps is the number of locations that are remembered: at the boundary of a grid, ranks of few kinds take turns.
const recentSteps = 4

// recentStep is what a location did in a slice.
type recentStep struct {
	before place
	tokens []shape.Token
	after  *place // nil for none
}

// follow follows the tokens of a location in a slice.
func (r *recent) follow(s *shapes, p *place, tokens []shape.Token) error {
	for i := range r.steps {
		if t := &r.steps[i]; t.after != nil && slices.Equal(t.tokens, tokens) && t.before.equal(p) {
			p.become(t.after)
			return nil
		}
	}
	t := &r.steps[r.next]
	r.next = (r.next + 1) % recentSteps
	t.before.become(p)
	t.tokens, t.after = tokens, p
	return s.follow(p, tokens)
}

// forget ends a slice: the tokens are no longer valid, and the places move on.
func (r *recent) forget() {
	for i := range r.steps {
		r.steps[i].tokens, r.steps[i].after = nil, nil
	}
}
