package segment

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/analysis/order"
	"github.com/pandotrace/pando/trace"
)

// Column is the SOS times of the segments of one number, in short.
type Column struct {
	// The sorted times around the median: that of an even number of times lies between low and middle.
	low, middle int64
	mad         float64 // the median of the distances from the median
	// Locations is the number of locations that have the segment.
	Locations int32
}

// Columns are those of a level, from number First on.
type Columns struct {
	First int64
	List  []Column

	waste, own trace.Sum
	slowest    []int // by line: number of columns in which it is the slowest
}

// Columns sums up the segments of each number.
func (v *Level) Columns() *Columns {
	first, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range v.Lines {
		l := &v.Lines[i]
		first, end = min(first, l.First), max(end, l.First+int64(len(l.Own)))
	}
	c := &Columns{First: first, slowest: make([]int, len(v.Lines))}
	if len(v.Lines) == 0 {
		return c
	}
	c.List = make([]Column, end-first)
	times := make([]int64, 0, len(v.Lines))
	for i := range c.List {
		times = c.gather(v, i, times[:0])
	}
	return c
}

// gather sums up the times of a column; they are memory for others.
func (c *Columns) gather(v *Level, column int, times []int64) []int64 {
	var sum trace.Sum
	slowest, most := 0, int64(math.MinInt64)
	for i := range v.Lines {
		at, ok := v.Lines[i].At(c.First + int64(column))
		if !ok {
			continue
		}
		own := v.Lines[i].Own[at]
		if own > most {
			slowest, most = i, own
		}
		sum.Add(uint64(own))
		times = append(times, own)
	}
	if len(times) == 0 {
		return times
	}
	c.slowest[slowest]++
	c.own = c.own.Plus(sum)
	c.waste = c.waste.Plus(multiple(most, len(times)).Minus(sum))
	slices.Sort(times)
	to, h := &c.List[column], len(times)/2
	to.Locations, to.low, to.middle = int32(len(times)), times[max(h-1, 0)], times[h]
	to.mad = madOf(times, to.Median())
	return times
}

// multiple returns a time several times.
func multiple(ticks int64, n int) trace.Sum {
	high, low := bits.Mul64(uint64(ticks), uint64(n))
	return trace.Sum{Hi: int64(high), Lo: low}
}

// Median returns the median of the times.
func (c *Column) Median() float64 {
	if c.Locations%2 == 0 && c.Locations > 0 {
		return float64(c.low) + float64(c.middle-c.low)/2
	}
	return float64(c.middle)
}

// lower returns the lower median of the times.
func (c *Column) lower() int64 {
	if c.Locations%2 == 0 {
		return c.low
	}
	return c.middle
}

// others returns the lower median of the times without one of them.
func (c *Column) others(own int64) int64 {
	if own < c.middle {
		return c.middle
	}
	return c.low
}

// Waste returns what the locations would lose if all waited for the slowest of each segment, p·max - Σ for p locations, and the sum of their SOS
// times.
func (c *Columns) Waste() (waste, own trace.Sum) { return c.waste, c.own }

// Recurrence returns the line that is the slowest in most columns, and the share of columns in which it is.
func (c *Columns) Recurrence() (line int, share float64) {
	columns := 0
	for l, n := range c.slowest {
		if columns += n; n > c.slowest[line] {
			line = l
		}
	}
	if columns == 0 {
		return 0, 0
	}
	return line, float64(c.slowest[line]) / float64(columns)
}

// madOf returns the median of the distances of sorted times from their median: it takes from both ends what is farther away.
func madOf(times []int64, median float64) float64 {
	low, high := 0, len(times)-1
	distance := func(i int) float64 { return math.Abs(float64(times[i]) - median) }
	farther := func() float64 {
		if d := distance(low); d >= distance(high) {
			low++
			return d
		}
		high--
		return distance(high + 1)
	}
	for range (len(times) - 1) / 2 {
		farther()
	}
	first := farther()
	if len(times)%2 == 0 && low <= high {
		return (first + farther()) / 2
	}
	return first
}

// Z returns by how many standard deviations a time differs from the median, where these come of the median distance (as in Leys et al. 2013).
// Where that is 0 it is 0 for the median, and infinite for all others.
func (c *Column) Z(own int64) float64 {
	d := float64(own) - c.Median()
	if c.mad == 0 {
		if d == 0 {
			return 0
		}
		return math.Copysign(math.Inf(1), d)
	}
	return d / (1.4826 * c.mad)
}

// At returns the column of a number, nil if there is none.
func (c *Columns) At(number int64) *Column {
	if i := number - c.First; i >= 0 && i < int64(len(c.List)) {
		return &c.List[i]
	}
	return nil
}

// excess returns by how much an entry of a line exceeds what is usual among the other locations.
func (c *Columns) excess(l *Line, entry int) int64 {
	own := l.Own[entry]
	col := &c.List[l.First+int64(entry)-c.First]
	if col.Locations < 2 {
		return 0
	}
	return own - col.others(own)
}

// medianOf returns the lower median of times, whose order it changes.
func medianOf(times []int64) int64 {
	if len(times) == 0 {
		return 0
	}
	return order.Nth(times, (len(times)-1)/2)
}
