package segment

import (
	"math"
	"slices"
)

// column is the SOS times of one number of segments on all locations, in short.
type column struct {
	locations int
	// low, middle and high are the sorted times around the median, as far as they exist: the median of an even number of times lies
	// between low and middle.
	low, middle, high int64
	max, sum          int64
	slowest           int // line with the largest time, the first of equal ones
	mad               float64
}

// columns are those of a level, from number first on.
type columns struct {
	level *Level
	first int64
	list  []column
}

// columnsOf returns the columns of a level.
func columnsOf(v *Level) *columns {
	first, end := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range v.Lines {
		l := &v.Lines[i]
		first, end = min(first, l.First), max(end, l.First+int64(len(l.Own)))
	}
	c := &columns{level: v, first: first}
	if len(v.Lines) == 0 {
		return c
	}
	c.list = make([]column, end-first)
	times := make([]int64, 0, len(v.Lines))
	for i := range c.list {
		times = c.list[i].of(v, first+int64(i), times[:0])
	}
	return c
}

// of gathers the times of a number; they are memory for others.
func (c *column) of(v *Level, number int64, times []int64) []int64 {
	for i := range v.Lines {
		at, ok := v.Lines[i].At(number)
		if !ok {
			continue
		}
		own := v.Lines[i].Own[at]
		if len(times) == 0 || own > c.max {
			c.max, c.slowest = own, i
		}
		c.sum += own
		times = append(times, own)
	}
	if c.locations = len(times); c.locations == 0 {
		return times
	}
	slices.Sort(times)
	h := len(times) / 2
	c.low, c.middle, c.high = times[max(h-1, 0)], times[h], times[min(h+1, len(times)-1)]
	c.mad = madOf(times, c.median())
	return times
}

// median returns the median of the times.
func (c *column) median() float64 {
	if c.locations%2 == 0 && c.locations > 0 {
		return float64(c.low) + float64(c.middle-c.low)/2
	}
	return float64(c.middle)
}

// others returns the median of the times without one of them. Of two in the middle it is the smaller one.
func (c *column) others(own int64) int64 {
	switch {
	case c.locations%2 == 0 && own >= c.middle:
		return c.low
	case c.locations%2 == 0, own < c.middle:
		return c.middle
	}
	return c.low
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

// z returns by how many standard deviations a time differs from the median, where these come of the median distance (as in Leys et al. 2013).
// Where that is 0 it is 0 for the median, and infinite for all others.
func (c *column) z(own int64) float64 {
	d := float64(own) - c.median()
	if c.mad == 0 {
		if d == 0 {
			return 0
		}
		return math.Copysign(math.Inf(1), d)
	}
	return d / (1.4826 * c.mad)
}

// at returns the column of a number, nil if there is none.
func (c *columns) at(number int64) *column {
	if i := number - c.first; i >= 0 && i < int64(len(c.list)) {
		return &c.list[i]
	}
	return nil
}

// excess returns by how much an entry of a line exceeds what is usual among the other locations.
func (c *columns) excess(l *Line, entry int) int64 {
	own := l.Own[entry]
	col := &c.list[l.First+int64(entry)-c.first]
	if col.locations < 2 {
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
