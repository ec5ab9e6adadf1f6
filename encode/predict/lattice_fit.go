package predict

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
)

const (
	// latticeWorth is what values must cost on average, so that it is worth looking for a lattice.
	latticeWorth = 2 * bitio.Bit
	// runGap is put between values that do not follow each other in a run. A stretch on a lattice ends there.
	runGap = 1 << 53
	// maxGaps is the number of such places up to which a lattice is looked for: the gaps must fit into 64 bits.
	maxGaps = 1 << 9
)

// onLattice looks for a lattice that the column's values lie on, and tries what can predict ticks: the value before, the time, and other
// columns that stand before it in each event.
func (c *Chooser) onLattice(x *chosen, others []*chosen) {
	if x.info.Double || x.cost < int64(x.total)*latticeWorth {
		return
	}
	period := c.period(x)
	if period < minPeriod || period > column.MaxPeriod {
		return
	}
	p := Prediction{Column: x.Column, Other: x.Column, Unit: 1, Period: period}
	c.try(x, p, nil)
	p.Source = FromTime
	c.tryTicks(x, p, nil)
	for _, other := range others {
		p.Source, p.Other = FromColumn, other.Column
		c.tryTicks(x, p, other)
	}
}

// tryTicks tries rates of ticks.
func (c *Chooser) tryTicks(x *chosen, p Prediction, other *chosen) {
	for _, rate := range rates(x.steps(other)) {
		p.Rate = int64(float64(rate) / (float64(p.Period) / column.LatticeUnit))
		c.try(x, p, other)
	}
}

// period returns the period of a lattice that the column's values seem to lie on, 0 if there is none.
func (c *Chooser) period(x *chosen) column.Period {
	values, gaps := make([]int64, 0, len(x.points)), int64(0)
	sum := int64(0)
	for i := range x.points {
		step := int64(0)
		if i > 0 {
			step = int64(x.points[i].value - x.points[i-1].value)
			if step < 0 || step >= runGap || x.points[i].run != x.points[i-1].run || x.points[i].slice != x.points[i-1].slice {
				gaps++
				step = runGap
			}
		}
		sum += step
		values = append(values, sum)
	}
	if gaps > maxGaps {
		return 0
	}
	c.ticks = slices.Grow(c.ticks[:0], len(values))[:len(values)]
	return column.EstimatePeriod(c.ticks, values)
}
