package contrast

import (
	"context"
	"errors"
	"iter"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/trace"
)

// AlignedCall is two calls that belong together, or one that has no partner. Times are in units of the comparison, exclusive and inclusive
// ones those within the windows. What a side does not have is 0.
type AlignedCall struct {
	// Pair is the pair of locations, as a place in Comparison.Pairs; -1 for a location without a partner.
	Pair int
	// Places are the locations; of one without a partner, that of the other side is nil.
	Places [2]*trace.Place
	// Paths are the call paths, as places in Comparison.Paths. Those of two calls may differ, in what is around them.
	Paths [2]int
	// State is Equal for two calls, Different for one in whose place the other side has a call of another region.
	State align.State
	// Side is the side of a call without a partner.
	Side                        int
	Start, Inclusive, Exclusive [2]int64
}

// Has reports whether a side has the call.
func (c *AlignedCall) Has(side int) bool { return c.State == align.Equal || c.Side == side }

// callBatch is the number of calls that are given at a time.
const callBatch = 4096

// AlignedCalls reads the times of both sides once more, and yields all calls in batches, which are only valid until the next one. A pair is there
// when both of its calls have ended. Sums over the calls are those of Comparison.Paths.
func (c *Comparison) AlignedCalls(ctx context.Context) iter.Seq2[[]AlignedCall, error] {
	return func(yield func([]AlignedCall, error) bool) {
		r, err := c.newTimes()
		if err != nil {
			yield(nil, err)
			return
		}
		all := &calls{yield: yield}
		r.sink, r.pause, r.progress = all, func() bool { return !all.stopped }, nil
		if err = r.follow(ctx); err == nil {
			err = all.flush()
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}

// calls gathers the calls of a run.
type calls struct {
	list    []AlignedCall
	yield   func([]AlignedCall, error) bool
	stopped bool
}

// errEnough ends a run of which no more is wanted.
var errEnough = errors.New("no more calls are wanted")

func (c *calls) flush() error {
	if len(c.list) > 0 && !c.stopped {
		c.stopped = !c.yield(c.list, nil)
	}
	c.list = c.list[:0]
	if c.stopped {
		return errEnough
	}
	return nil
}

func (c *calls) add(a AlignedCall) {
	if c.list = append(c.list, a); len(c.list) == callBatch {
		_ = c.flush() // the run looks whether it is stopped
	}
}

// together adds two calls.
func (c *calls) together(p *pairing, a, b *call) {
	c.add(AlignedCall{
		Pair: p.index, Places: p.places(), Paths: [2]int{int(a.path), int(b.path)}, State: align.Equal, Start: [2]int64{a.start, b.start},
		Inclusive: [2]int64{a.inclusive, b.inclusive}, Exclusive: [2]int64{a.exclusive, b.exclusive},
	})
}

// alone adds a call without a partner.
func (c *calls) alone(l *lane, a *call) {
	n := AlignedCall{Pair: -1, State: align.OnlyA, Side: l.side}
	if l.side == 1 {
		n.State = align.OnlyB
	}
	if a.renamed {
		n.State = align.Different
	}
	n.Places[l.side] = l.place
	if l.pair != nil {
		n.Pair, n.Places = l.pair.index, l.pair.places()
	}
	n.Paths[l.side] = int(a.path)
	n.Start[l.side], n.Inclusive[l.side], n.Exclusive[l.side] = a.start, a.inclusive, a.exclusive
	c.add(n)
}

func (p *pairing) places() [2]*trace.Place {
	return [2]*trace.Place{p.lanes[0].place, p.lanes[1].place}
}
