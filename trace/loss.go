package trace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Loss says that a trace tells less than the one that it was made of, and by how much. Structure, numbers, ids, tags, lengths and the order of
// the events of a location are never less.
type Loss struct {
	// Bounds are of one column of values each, in the order of their classes, metrics and members, none twice.
	Bounds []Bound
	// Original is the [Fingerprint] of the trace that nothing was left out of, empty if nobody knows it.
	Original []byte
}

// LossClass is a class of columns that may have bounds.
type LossClass uint8

// The numbers of classes are part of the file format.
const (
	// LossTimes is the times of events, and times in fields of events and snapshots.
	LossTimes LossClass = 0
	// LossMetric is a member of a metric.
	LossMetric LossClass = 1
)

// Bound says how far values of a column may be from those of the original.
type Bound struct {
	Class LossClass
	// Metric is the id of a metric, Member the place among its values; both are 0 for times.
	Metric, Member uint64
	// Bound is the largest deviation: ticks for times.
	Bound uint64
	// Cell and Offset are those of the grid that all values lie on: Offset plus a multiple of Cell, which is more than Offset. A Cell
	// of 0 says that there is no grid, for traces that were put together.
	Cell, Offset uint64
}

// TimeBound returns the bound of times whose cells are as large as they may be for a largest deviation, in ticks. Each cell becomes its middle, so that cells
// which are a multiple of others, and begin at tick 0 like these, have the same middles whichever of both a time came through first.
func TimeBound(most uint64) Bound { return Bound{Bound: most, Cell: 2 * most, Offset: most} }

// Times returns the bound of times; ok is false if they are exact.
func (l *Loss) Times() (b Bound, ok bool) {
	if l == nil || len(l.Bounds) == 0 || l.Bounds[0].Class != LossTimes {
		return Bound{}, false
	}
	return l.Bounds[0], true
}

// MaxErrorName is the name of the property of traces in other formats, and of tables, that is the largest deviation of times.
const MaxErrorName = "pando.max_error_ns"

// MaxError returns the property of a trace with coarse times, in nanoseconds; ok is false if times are exact.
func (m *Meta) MaxError() (p Property, ok bool) {
	b, ok := m.Loss.Times()
	if !ok {
		return p, false
	}
	return Property{MaxErrorName, strconv.FormatFloat(1e9*float64(b.Bound)/float64(max(m.Resolution, 1)), 'g', -1, 64)}, true
}

// Round returns the middle of the cell that a time lies in. It does not decrease where times rise.
func (b *Bound) Round(t int64) int64 {
	cell := int64(b.Cell)
	into := t % cell
	if into < 0 {
		into += cell
	}
	return t - into + int64(b.Offset)
}

// InReach reports whether a number is one that is rounded: a time at which there may be events, or a little more. Fields may hold anything.
func InReach(t int64) bool { return t >= -1<<62 && t <= 1<<62 }

// RoundAll rounds times. Most stand in the cell of the one before.
func (b *Bound) RoundAll(times []int64) {
	begin, middle := int64(0), b.Round(0)
	for i, t := range times {
		if uint64(t-begin) >= b.Cell {
			if !InReach(t) {
				continue
			}
			middle = b.Round(t)
			begin = middle - int64(b.Offset)
		}
		times[i] = middle
	}
}

// Has reports whether a time lies on the grid.
func (b *Bound) Has(t int64) bool { return b.Cell == 0 || b.Round(t) == t }

// MaxCell is the largest cell, in ticks.
const MaxCell = 1 << 60

// Check returns an error if the bounds are not as Loss says.
func (l *Loss) Check() error {
	for i := range l.Bounds {
		b := &l.Bounds[i]
		switch {
		case b.Class > LossMetric:
			return fmt.Errorf("bounds of class %d, which is none", b.Class)
		case b.Class == LossTimes && (b.Metric != 0 || b.Member != 0):
			return fmt.Errorf("a bound of times with metric %d and member %d", b.Metric, b.Member)
		case b.Bound == 0:
			return errors.New("a bound of 0")
		case b.Bound > MaxCell || b.Cell > MaxCell:
			return fmt.Errorf("a bound of %d with cells of %d is over 2^60", b.Bound, b.Cell)
		case b.Cell > 0 && b.Offset >= b.Cell || b.Cell == 0 && b.Offset != 0:
			return fmt.Errorf("an offset of %d in cells of %d", b.Offset, b.Cell)
		case i > 0 && l.Bounds[i-1].Compare(*b) >= 0:
			return errors.New("bounds are out of order")
		}
	}
	switch {
	case len(l.Bounds) == 0:
		return errors.New("no bounds")
	case len(l.Original) != 0 && len(l.Original) != FingerprintSize:
		return fmt.Errorf("a fingerprint of %d bytes", len(l.Original))
	}
	return nil
}

// Compare orders bounds by their columns.
func (b Bound) Compare(o Bound) int {
	return cmp.Or(cmp.Compare(b.Class, o.Class), cmp.Compare(b.Metric, o.Metric), cmp.Compare(b.Member, o.Member))
}

// CallDeviation says how much more the calls of a region add up to in the original of a trace whose times are coarse than in the trace, in ticks, over all locations. See
// [CallTotals] for what is added up.
type CallDeviation struct {
	Region                     uint64
	Inclusive, Exclusive, Busy int64
}

// A Deviant is a Source that can tell how far sums of its calls are from those of its original, when all its events were read.
type Deviant interface {
	Source
	// Deviations returns those of regions whose calls deviate, in order of their ids. They are not known of all traces.
	Deviations() (list []CallDeviation, known bool)
}

// DeviationsOf returns a source's deviations; those of a source that is no Deviant are not known.
func DeviationsOf(src Source) (list []CallDeviation, known bool) {
	if s, ok := src.(Deviant); ok {
		return s.Deviations()
	}
	return nil, false
}

// UnitedLoss returns what is lost in a trace that is made of two: of each column the larger bound. A grid, and the original, stay if both traces have the same.
func UnitedLoss(a, b *Loss) *Loss { return joinedLoss(a, b, united) }

// ApartLoss returns how far values of two traces may be from each other that were made of one original: of each column the larger bound if the cells of one are a multiple of those of the
// other, else both bounds together. That the cells are a multiple says that the coarser trace could have been made of the other one.
func ApartLoss(a, b *Loss) []Bound {
	l := joinedLoss(a, b, func(x, y Bound) Bound {
		most := max(x.Bound, y.Bound)
		if large, small := max(x.Cell, y.Cell), min(x.Cell, y.Cell); x.Bound != 0 && y.Bound != 0 && (small == 0 || large%small != 0) {
			most = x.Bound + y.Bound
		}
		return Bound{Class: max(x.Class, y.Class), Metric: max(x.Metric, y.Metric), Member: max(x.Member, y.Member), Bound: most}
	})
	if l == nil {
		return nil
	}
	return l.Bounds
}

// joinedLoss joins the bounds of each column. That of a trace without one is 0.
func joinedLoss(a, b *Loss, join func(x, y Bound) Bound) *Loss {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		a = &Loss{}
	case b == nil:
		b = &Loss{}
	}
	l := &Loss{}
	if bytes.Equal(a.Original, b.Original) {
		l.Original = a.Original
	}
	for i, j := 0, 0; i < len(a.Bounds) || j < len(b.Bounds); {
		var x, y Bound // of one column; that of no bound is 0
		order := 0
		if i < len(a.Bounds) && j < len(b.Bounds) {
			order = a.Bounds[i].Compare(b.Bounds[j])
		} else if i == len(a.Bounds) {
			order = 1
		} else {
			order = -1
		}
		if order <= 0 {
			x, i = a.Bounds[i], i+1
		}
		if order >= 0 {
			y, j = b.Bounds[j], j+1
		}
		l.Bounds = append(l.Bounds, join(x, y))
	}
	return l
}

// united returns the bound of a column of two traces, of which one may have none.
func united(x, y Bound) Bound {
	switch {
	case x == y:
		return x
	case y.Bound > x.Bound:
		x, y = y, x
	}
	x.Cell, x.Offset = 0, 0
	return x
}

// FingerprintSize is the number of bytes of a fingerprint.
const FingerprintSize = 32

// Nearest returns the multiple of cell, an odd number below 2^60, that is nearest to a value of this type: 0 stays 0, and values that rise do not fall. What is no number, or too
// large for multiples to be exact, stays.
func (t ValueType) Nearest(v, cell uint64) uint64 {
	half := cell / 2
	switch {
	case t.IsFloat():
		f, exact := t.Float(v), float64(1<<53)
		if t == ValueFloat {
			exact = 1 << 24
		}
		n := math.Round(f/float64(cell)) * float64(cell)
		if !(math.Abs(f) < exact && math.Abs(n) < exact && math.Abs(n-f) <= float64(half)) {
			return v
		}
		return t.word(n)
	case t.IsSigned():
		n := int64(v)
		if n < math.MinInt64+2*MaxCell || n > math.MaxInt64-2*MaxCell {
			return v
		}
		into := (n + int64(half)) % int64(cell)
		if into < 0 {
			into += int64(cell)
		}
		return uint64(n + int64(half) - into)
	case v > math.MaxUint64-cell:
		return v
	}
	return v + half - (v+half)%cell
}

// word returns a float as a value of this type.
func (t ValueType) word(f float64) uint64 {
	if t == ValueFloat {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}
