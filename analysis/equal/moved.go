package equal

import (
	"errors"
	"io"

	"github.com/pandotrace/pando/internal/instep"
)

// Events are matched by time. Two runs of a program do the same at other times, so that nothing would match. Where a location differs, it is
// read once more, in order: if it has the same events in both traces, times apart, the events at other times are reported as moved.

// inOrder is a location of both traces whose events are compared in their order.
type inOrder struct {
	*pair
	byTime *pair // what was found by time
	other  bool  // they are not the same events
}

// findMoved replaces the differences of locations that differ by times alone.
func (c *comparison) findMoved(places []*place, pairs []*pair) (err error) {
	var again []*inOrder
	defer func() {
		for _, o := range again {
			o.close()
		}
	}()
	for i, p := range pairs {
		if !p.aligned || len(p.part.Kinds) == 0 || p.a.before != p.b.before {
			continue
		}
		fresh, err := c.open(places[i])
		again = append(again, &inOrder{pair: fresh, byTime: p})
		if err != nil {
			return err
		}
		fresh.batch = p.batch
	}
	err = instep.Run(1, again, c.stepInOrder)
	for _, o := range again {
		if err == nil && !o.other {
			o.byTime.part = o.part
		}
	}
	return err
}

// stepInOrder compares the next events of a location in their order.
func (c *comparison) stepInOrder(o *inOrder) (covered int64, err error) {
	a, b := &o.a, &o.b
	if err := errors.Join(a.fill(o.batch), b.fill(o.batch), c.ctx.Err()); err != nil {
		return 0, err
	}
	for ; a.has() && b.has(); a.at, b.at = a.at+1, b.at+1 {
		o.covered = a.batch.Times[a.at]
		if o.other = !c.rules.sameContent(a, b); o.other {
			return 0, io.EOF
		}
		if c.rules.order(a.time(), b.time()) != 0 {
			o.part.move(a, b)
		}
	}
	if atEndA, atEndB := a.ended(), b.ended(); atEndA || atEndB {
		o.other = atEndA != atEndB
		return 0, io.EOF
	}
	return o.covered, nil
}

// move counts an event that is in both traces, at other times.
func (p *Part) move(a, b *cursor) {
	p.at(a.kind(), a.kindName()).Moved++
	if p.First.A == "" {
		p.First = Difference{IndexA: a.index(), IndexB: b.index()}.of(a, b, true, true)
	}
}
