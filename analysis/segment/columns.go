package segment

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Column is the SOS times of the segments of one number, in short.
type Column struct {
	// Locations is the number of locations that have the segment.
	Locations int
	// Max is the largest time, Slowest the line that has it: the first of equal ones. Sum is that of all times, in ticks.
	Max, Sum int64
	Slowest  int

	// The sorted times around the median, as far as they exist: the median of an even number of times lies between low and middle.
	low, middle, high int64
	mad               float64
}

// Columns are those of a level, from number First on.
type Columns struct {
	First int64
	List  []Column
}

// Columns sums up the segments of each number.
func (v *Level) Columns() *Columns {
	first, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range v.Lines {
		l := &v.Lines[i]
		first, end = min(first, l.First), max(end, l.First+int64(len(l.Own)))
	}
	c := &Columns{First: first}
	if len(v.Lines) == 0 {
		return c
	}
	c.List = make([]Column, end-first)
	times := make([]int64, 0, len(v.Lines))
	for i := range c.List {
		times = c.List[i].of(v, first+int64(i), times[:0])
	}
	return c
}

// of gathers the times of a number; they are memory for others.
func (c *Column) of(v *Level, number int64, times []int64) []int64 {
	for i := range v.Lines {
		at, ok := v.Lines[i].At(number)
		if !ok {
			continue
		}
		own := v.Lines[i].Own[at]
		if len(times) == 0 || own > c.Max {
			c.Max, c.Slowest = own, i
		}
		c.Sum += own
		times = append(times, own)
	}
	if c.Locations = len(times); c.Locations == 0 {
		return times
	}
	slices.Sort(times)
	h := len(times) / 2
	c.low, c.middle, c.high = times[max(h-1, 0)], times[h], times[min(h+1, len(times)-1)]
	c.mad = madOf(times, c.Median())
	return times
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

// others returns the median of the times without one of them. Of two in the middle it is the smaller one.
func (c *Column) others(own int64) int64 {
	switch {
	case c.Locations%2 == 0 && own >= c.middle:
		return c.low
	case c.Locations%2 == 0, own < c.middle:
		return c.middle
	}
	return c.low
}

// Waste returns what the locations would lose if all waited for the slowest: p·max - Σ, for p locations.
func (c *Column) Waste() int64 { return int64(c.Locations)*c.Max - c.Sum }

// Waste returns the waste of all columns, and the sum of their times.
func (c *Columns) Waste() (waste, of trace.Sum) {
	for i := range c.List {
		waste.Add(uint64(max(c.List[i].Waste(), 0)))
		of.Add(uint64(max(c.List[i].Sum, 0)))
	}
	return waste, of
}

// Recurrence returns the line that is the slowest in most columns, and the share of columns in which it is.
func (c *Columns) Recurrence() (line int, share float64) {
	slowest, columns := map[int]int{}, 0
	for i := range c.List {
		if c.List[i].Locations > 0 {
			slowest[c.List[i].Slowest]++
			columns++
		}
	}
	if columns == 0 {
		return 0, 0
	}
	most := 0
	for l, n := range slowest {
		if n > most || n == most && l < line {
			line, most = l, n
		}
	}
	return line, float64(most) / float64(columns)
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
	low, high, want := 0, len(times)-1, (len(times)-1)/2
	for low < high {
		pivot := times[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for times[i] < pivot {
				i++
			}
			for times[j] > pivot {
				j--
			}
			if i <= j {
				times[i], times[j] = times[j], times[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case want <= j:
			high = j
		case want >= i:
			low = i
		default:
			return times[want]
		}
	}
	return times[want]
}
