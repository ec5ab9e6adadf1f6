package slice

import (
	"math"
	"slices"

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

// predict chooses predictions for the columns of the drafts of a group, and codes the raw values accordingly. Columns that are best
// coded as differences to the value before are not listed.
func predict(group []*Draft, columns int, infos []shape.ColumnInfo) []Prediction {
	c := newChooser(group, infos)
	all := c.choose()
	for {
		failed := code(group, newPredictions(columns, all))
		if len(failed) == 0 {
			return all
		}
		all = slices.DeleteFunc(all, func(p Prediction) bool { return failed[p.Column] || failed[p.Other] })
	}
}

// code codes raw values. It returns the columns that have values that their predictions do not allow.
func code(group []*Draft, of predictions) (failed map[uint32]bool) {
	var p predictor
	for _, d := range group {
		d.work()
		d.codes = slices.Grow(d.codes[:0], len(d.raw))
		p.reset(of)
		for i := range d.raw {
			for int(p.run) < len(d.begins) && d.begins[p.run].raw <= i {
				p.run++
			}
			r := &d.raw[i]
			code, ok := r.value, true
			if r.mode == shape.Predicted {
				code, ok = p.code(r.column, r.value, r.time)
			}
			if !ok {
				if failed == nil {
					failed = map[uint32]bool{}
				}
				failed[r.column] = true
			}
			d.codes = append(d.codes, code)
		}
	}
	return failed
}

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

// chooser chooses predictions.
type chooser struct {
	columns []*chosen // that have enough values
	fitter  column.Fitter
	codes   []uint64
}

func newChooser(group []*Draft, infos []shape.ColumnInfo) *chooser {
	totals := make([]int, len(infos))
	for _, d := range group {
		for i := range d.raw {
			if c := d.raw[i].column; int(c) < len(infos) && infos[c].Mode == shape.Predicted {
				totals[c]++
			}
		}
	}
	c := &chooser{}
	byColumn := make([]*chosen, len(infos))
	for column, n := range totals {
		if n >= minPredicted {
			p := Prediction{Column: uint32(column), Other: uint32(column), Unit: 1}
			byColumn[column] = &chosen{Prediction: p, info: &infos[column], total: n}
			c.columns = append(c.columns, byColumn[column])
		}
	}
	for i, d := range group {
		c.sample(byColumn, d, uint32(i), max(sampled/len(group), minPredicted))
	}
	return c
}

// sample takes the first values of each column in a slice.
func (c *chooser) sample(byColumn []*chosen, d *Draft, slice uint32, quota int) {
	for _, x := range c.columns {
		x.ends = append(x.ends, math.MaxUint32)
	}
	run := 0
	for i := range d.raw {
		for run < len(d.begins) && d.begins[run].raw <= i {
			run++
		}
		r := &d.raw[i]
		if int(r.column) >= len(byColumn) || byColumn[r.column] == nil {
			continue
		}
		x := byColumn[r.column]
		switch n := len(x.points); {
		case x.ends[slice] != math.MaxUint32:
		case n >= quota && x.points[n-quota].slice == slice:
			x.ends[slice] = uint32(i)
		default:
			x.points = append(x.points, point{value: r.value, time: r.time, slice: slice, run: uint32(run), at: uint32(i)})
		}
	}
}

// choose returns the predictions that are worth to be stated.
func (c *chooser) choose() []Prediction {
	for i, x := range c.columns {
		if x.cost = c.estimate(x, &x.Prediction, nil); x.cost < statementCost {
			continue
		}
		if x.info.Double {
			c.divide(x)
		}
		c.alone(x)
		for _, other := range c.columns[max(0, i-maxRelatives):i] {
			if x.follows(other) {
				c.follow(x, other)
			}
		}
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
func (c *chooser) try(x *chosen, p Prediction, other *chosen) {
	if cost := c.estimate(x, &p, other) + statementCost; cost < x.cost {
		x.Prediction, x.cost = p, cost
	}
}

// alone tries predictions that need no other column.
func (c *chooser) alone(x *chosen) {
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
func (c *chooser) follow(x, other *chosen) {
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
func (c *chooser) estimate(x *chosen, p *Prediction, other *chosen) int64 {
	c.codes = c.codes[:0]
	x.walk(other, func(i int, m *memory, clock uint64) {
		if code, _ := p.code(int64(x.points[i].value - p.expected(m, clock))); m.run != 0 {
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
