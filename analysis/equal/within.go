package equal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/trace"
)

// Within compares a trace A with B, which may be coarser: times, and values of counters, may be as far apart as the bounds of their columns say, see
// [trace.Loss]. All else must be the same. Events are matched by their order on each location, and times are those of the sources' clocks, which must have
// the same resolution. The report has how far values are apart, and whether an order of A is reversed in B: of two events, on whatever locations, that which was not
// later is later. Where none is, no message is received before its send that was not so before.
func Within(ctx context.Context, a, b trace.Source, bounds []trace.Bound, progress trace.Progress) (*Report, error) {
	if x, y := a.Meta().Resolution, b.Meta().Resolution; x != y {
		return nil, fmt.Errorf("the clocks have %d and %d ticks per second: times are compared within bounds only if these are the same", x, y)
	}
	c := newComparison(ctx, a, b, progress)
	c.zero = [2]uint64{-a.Meta().Epoch, -b.Meta().Epoch}
	log, err := a.Definitions(0)
	if err != nil {
		return nil, err
	}
	t := newTolerance(bounds, a.Meta().Resolution, trace.NewDefinitions(log))
	c.report.Tolerance = t.report
	within := func() error { return c.eventsWithin(t) }
	auxiliary := func() error { return c.auxiliaryWithin(t) }
	return c.run(within, auxiliary, c.definitions)
}

// eventsWithin compares the events, all locations in step, so that orders across locations are seen.
func (c *comparison) eventsWithin(t *tolerance) error {
	var all []*place
	for _, g := range c.eventGroups() {
		all = append(all, g...)
	}
	return c.placesWithin(t, all, &order{epoch: c.a.Meta().Epoch})
}

// auxiliaryWithin compares all other streams. Only snapshots have values that may deviate.
func (c *comparison) auxiliaryWithin(t *tolerance) error {
	var exact [][]*place
	for _, g := range c.auxiliaryGroups() {
		if g[0].id().Class != trace.StreamSnapshots {
			exact = append(exact, g)
		} else if err := c.placesWithin(t, g, nil); err != nil {
			return err
		}
	}
	return c.streams(exact)
}

// placesWithin compares streams in step, and the order of their events if it is given.
func (c *comparison) placesWithin(t *tolerance, places []*place, o *order) error {
	var pairs []*closePair
	defer func() {
		for _, p := range pairs {
			p.close()
		}
	}()
	for _, of := range places {
		p, err := c.open(of)
		pairs = append(pairs, &closePair{pair: p, within: t, order: o})
		if err != nil {
			return err
		}
		p.aligned, p.batch, p.rules, p.covered = false, instep.BatchSize(len(places)), t.rules, math.MinInt64
		if o != nil {
			pairs[len(pairs)-1].place = o.add(of.id().Location)
		}
	}
	err := instep.Run(1, pairs, func(p *closePair) (int64, error) { return c.stepWithin(p) })
	if o != nil {
		o.flush()
		t.report.Reversed += o.reversed
		t.report.FirstReversed = o.first
	}
	for _, p := range pairs {
		if len(p.part.Kinds) > 0 {
			c.report.Parts = append(c.report.Parts, p.part)
		}
	}
	return err
}

// closePair is a stream of both traces whose values may deviate.
type closePair struct {
	*pair
	within *tolerance
	order  *order // nil if nobody asks for it
	place  int    // in order
}

// stepWithin compares the next records of a pair of streams.
func (c *comparison) stepWithin(p *closePair) (covered int64, err error) {
	before := p.a.index()
	if err := errors.Join(p.a.fill(p.batch), p.b.fill(p.batch), c.ctx.Err()); err != nil {
		return 0, err
	}
	a, b := &p.a, &p.b
	for ; a.has() && b.has(); a.at, b.at = a.at+1, b.at+1 {
		p.one()
	}
	for ; a.has() && b.stream == nil; a.at++ {
		p.part.differ(a, b, true, false)
	}
	for ; b.has() && a.stream == nil; b.at++ {
		p.part.differ(a, b, false, true)
	}
	c.done += a.index() - before
	c.progress.Report(int64(c.done), 0)
	finished := a.stream == nil && b.stream == nil
	if p.order != nil {
		p.order.reached(p.place, p.covered, finished)
	}
	if finished {
		c.report.Records += max(a.before, b.before)
		return 0, io.EOF
	}
	return p.covered, nil
}

// one compares the records at hand.
func (p *closePair) one() {
	a, b := &p.a, &p.b
	p.covered = a.batch.Times[a.at]
	if p.order != nil {
		p.order.event(p.place, p.covered, int64(b.time()-a.epoch))
	}
	if !p.within.same(a, b) {
		p.part.differ(a, b, true, true)
	}
}
