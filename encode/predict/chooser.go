package predict

import (
	"math"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/shape"
)

const (
	// minPredicted is the number of values of a column in a group from which on predictions are tried.
	minPredicted = 32
	// sampled is about how many of them are looked at.
	sampled = 2048
	// statementCost is about what it takes to state a prediction.
	statementCost = 6 * 8 * bitio.Bit
	// maxRelatives is the number of columns that are tried in each other's company.
	maxRelatives = 8
)

// point is a value of a sample.
type point struct {
	value      uint64
	time       int64
	slice, run uint32
	at         uint32 // among the raw values of the slice
}

// chosen is a column with a sample of its values, and the best prediction found so far.
type chosen struct {
	Prediction
	info   *shape.ColumnInfo
	total  int // number of values
	cost   int64
	points []point
	ends   []uint32 // by slice: the sample has all values that stand before
}

// Chooser chooses predictions by samples of the columns' values: the first ones of each slice of a group.
type Chooser struct {
	columns  []*chosen // that have enough values
	byColumn []*chosen
	quota    int // values of a column in a slice
	slice    uint32
	fitter   column.Fitter
	codes    []uint64
	ticks    []uint64
}

// NewChooser begins to choose for a group of slices, of which totals tells how many values each column has. infos are of columns that may
// have predictions.
func NewChooser(totals []int, infos []shape.ColumnInfo, slices int) *Chooser {
	c := &Chooser{byColumn: make([]*chosen, len(infos)), quota: max(sampled/max(slices, 1), minPredicted), slice: math.MaxUint32}
	for column := range infos {
		if n := totals[column]; n >= minPredicted && infos[column].Mode == shape.Predicted {
			p := Prediction{Column: uint32(column), Other: uint32(column), Unit: 1}
			c.byColumn[column] = &chosen{Prediction: p, info: &infos[column], total: n}
			c.columns = append(c.columns, c.byColumn[column])
		}
	}
	return c
}

// NextSlice goes to the next slice of the group, at first to the first one.
func (c *Chooser) NextSlice() {
	c.slice++
	for _, x := range c.columns {
		x.ends = append(x.ends, math.MaxUint32)
	}
}

// Add adds a value to the sample, if that needs it. It is value number at of the slice, of an event at a time, in a run that is counted
// from 1.
func (c *Chooser) Add(column uint32, value uint64, time int64, run, at uint32) {
	if int(column) >= len(c.byColumn) || c.byColumn[column] == nil {
		return
	}
	x := c.byColumn[column]
	switch n := len(x.points); {
	case x.ends[c.slice] != math.MaxUint32:
	case n >= c.quota && x.points[n-c.quota].slice == c.slice:
		x.ends[c.slice] = at
	default:
		x.points = append(x.points, point{value: value, time: time, slice: c.slice, run: run, at: at})
	}
}

// Choose returns the predictions that are worth to be stated.
func (c *Chooser) Choose() []Prediction {
	for i, x := range c.columns {
		if x.cost = c.estimate(x, &x.Prediction, nil); x.cost < statementCost {
			continue
		}
		if x.info.Double {
			c.divide(x)
		}
		c.alone(x)
		var others []*chosen
		for _, other := range c.columns[max(0, i-maxRelatives):i] {
			if x.follows(other) {
				others = append(others, other)
				c.follow(x, other)
			}
		}
		c.onLattice(x, others)
	}
	c.share()
	var all []Prediction
	for _, x := range c.columns {
		if p := x.Prediction; p.form() != 0 {
			all = append(all, p)
		}
	}
	return all
}

// try takes a prediction if it is cheaper than the best one so far.
func (c *Chooser) try(x *chosen, p Prediction, other *chosen) {
	if cost := c.estimate(x, &p, other) + statementCost; cost < x.cost {
		x.Prediction, x.cost = p, cost
	}
}

// alone tries predictions that need no other column.
func (c *Chooser) alone(x *chosen) {
	p, steps := x.Prediction, x.steps(nil)
	p.Unit = commonUnit(steps)
	for _, p.Unsigned = range []bool{false, true} {
		c.try(x, p, nil)
	}
	nothing := p
	nothing.Source, nothing.Unit = FromNothing, x.valueUnit()
	for _, nothing.Unsigned = range []bool{false, true} {
		c.try(x, nothing, nil)
	}
	p.Source, p.Unsigned = FromTime, false
	for _, p.Rate = range rates(steps) {
		c.try(x, p, nil)
	}
}

// follow tries to predict one column from another.
func (c *Chooser) follow(x, other *chosen) {
	p, steps := x.Prediction, x.steps(other)
	p.Source, p.Other, p.Unit = FromColumn, other.Column, commonUnit(steps)
	for _, p.Rate = range rates(steps) {
		c.try(x, p, other)
	}
}

// follows reports whether each value of x stands behind one of the other column in the same event.
func (x *chosen) follows(other *chosen) bool {
	if x.info.Kind != other.info.Kind || x.info.Key != other.info.Key || x.info.Field < 0 || x.total != other.total {
		return false
	}
	for i := range x.points {
		if a, b := &x.points[i], &other.points[i]; a.slice != b.slice || a.at <= b.at || a.time != b.time {
			return false
		}
	}
	return true
}

// estimate returns what all of the column's values cost with a prediction, which may need another column.
func (c *Chooser) estimate(x *chosen, p *Prediction, other *chosen) int64 {
	c.codes = c.codes[:0]
	x.walk(other, func(i int, m *memory, clock uint64) {
		first := m.run == 0
		if code, _ := p.codeOf(m, x.points[i].run, x.points[i].value, clock); !first {
			c.codes = append(c.codes, code)
		}
	})
	if len(c.codes) == 0 {
		return 0
	}
	return c.fitter.Cost(c.codes) * int64(x.total) / int64(len(c.codes))
}

// walk visits the column's sample with the memory that a prediction has.
func (x *chosen) walk(other *chosen, visit func(i int, m *memory, clock uint64)) {
	var m memory
	for i := range x.points {
		p := &x.points[i]
		if i == 0 || x.points[i-1].slice != p.slice {
			m = memory{}
		}
		clock := uint64(p.time)
		if other != nil {
			clock = other.points[i].value
		}
		m.enter(p.run)
		visit(i, &m, clock)
		m.keep(p.run, p.value, clock)
	}
}

// step is how much a value grew while the clock went on.
type step struct {
	growth, span int64
	run          bool // it is the first of its run
}

// steps returns the steps of the column's sample.
func (x *chosen) steps(other *chosen) []step {
	var steps []step
	x.walk(other, func(i int, m *memory, clock uint64) {
		if m.run != 0 {
			steps = append(steps, step{int64(x.points[i].value - m.value), int64(clock - m.clock), m.run != x.points[i].run})
		}
	})
	return steps
}
