package report

import (
	"slices"
	"strconv"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Matrix is the communication of a window: who sent how many messages to whom, how many bytes, and how long they took. A row is a rank
// that sent, a column one that received. Locations without a rank stand for themselves if they have messages.
type Matrix struct {
	// From and To are the window, in ticks since the trace's first event; TicksPerSecond is the trace's clock.
	From, To       int64
	TicksPerSecond uint64
	// Ends are the rows, and the columns: all ranks in order, then other locations as they occur.
	Ends []MatrixEnd
	// Cells are those with messages, in order of From, then To.
	Cells []MatrixCell
	// Timed says whether Latency of the cells is known.
	Timed bool
}

// MatrixEnd is a rank, or several neighbouring ones in a [Matrix.Grouped].
type MatrixEnd struct {
	// Label is "rank 3", "ranks 0-7" for several, or the label of a location.
	Label string
	// Ranks is how many ranks it stands for.
	Ranks int
	// Rank is the first rank, -1 for a location without one; Location is the id of its first location.
	Rank     int64
	Location uint64
}

// MatrixCell is the messages of the window from one end to another.
type MatrixCell struct {
	// From and To are places in Matrix.Ends.
	From, To int
	Count    uint64
	// Bytes is the sum of the lengths as sent.
	Bytes trace.Sum
	// Latency is the time from send to receive.
	Latency Spread
}

// Spread is the sum, the least and the greatest of some durations, in ticks. Some may be negative where clocks disagree.
type Spread struct {
	Count           uint64
	Sum             trace.Sum
	Least, Greatest int64
}

// Add adds a duration.
func (s *Spread) Add(ticks int64) { s.Join(&Spread{1, trace.SumOf(ticks), ticks, ticks}) }

// Join adds the durations of another one.
func (s *Spread) Join(o *Spread) {
	switch {
	case o.Count == 0:
		return
	case s.Count == 0:
		*s = *o
		return
	}
	s.Count, s.Sum = s.Count+o.Count, s.Sum.Plus(o.Sum)
	s.Least, s.Greatest = min(s.Least, o.Least), max(s.Greatest, o.Greatest)
}

// Mean returns the mean duration in ticks, 0 of none.
func (s *Spread) Mean() float64 { return s.Sum.Float() / float64(max(s.Count, 1)) }

// Measure is a number that each cell of a matrix has.
type Measure string

// The measures of a matrix. Time is the sum of the latencies, Latency their mean; both are in seconds, and need a matrix that is timed.
const (
	MeasureCount   Measure = "count"
	MeasureBytes   Measure = "bytes"
	MeasureTime    Measure = "time"
	MeasureLatency Measure = "latency"
)

// Measures returns all measures.
func Measures() []Measure {
	return []Measure{MeasureCount, MeasureBytes, MeasureTime, MeasureLatency}
}

// Timed reports whether a measure needs a matrix that is timed.
func (of Measure) Timed() bool { return of == MeasureTime || of == MeasureLatency }

// Value returns the measure of a cell.
func (m *Matrix) Value(c *MatrixCell, of Measure) float64 {
	perSecond := float64(max(m.TicksPerSecond, 1))
	switch of {
	case MeasureBytes:
		return c.Bytes.Float()
	case MeasureTime:
		return c.Latency.Sum.Float() / perSecond
	case MeasureLatency:
		return c.Latency.Mean() / perSecond
	}
	return float64(c.Count)
}

// Text returns a value of the measure for people.
func (of Measure) Text(v float64) string {
	switch of {
	case MeasureBytes:
		return Size(uint64(max(v, 0)))
	case MeasureTime, MeasureLatency:
		return Duration(v)
	}
	return Grouped(uint64(v))
}

// Grouped returns the matrix with at most n rows: each stands for equally many neighbouring ranks, the last one for the rest.
func (m *Matrix) Grouped(n int) *Matrix {
	if n < 1 || len(m.Ends) <= n {
		return m
	}
	size := (len(m.Ends) + n - 1) / n
	g := &Matrix{From: m.From, To: m.To, TicksPerSecond: m.TicksPerSecond, Timed: m.Timed}
	for some := range slices.Chunk(m.Ends, size) {
		g.Ends = append(g.Ends, joined(some))
	}
	at := map[[2]int]int{}
	for _, c := range m.Cells {
		c.From, c.To = c.From/size, c.To/size
		g.add(at, &c)
	}
	g.sort()
	return g
}

// joined makes one end of several.
func joined(some []MatrixEnd) MatrixEnd {
	first, last := some[0], some[len(some)-1]
	if len(some) == 1 {
		return first
	}
	e := MatrixEnd{Label: first.Label + " … " + last.Label, Rank: first.Rank, Location: first.Location}
	if first.Rank >= 0 && last.Rank >= 0 {
		e.Label = "ranks " + strconv.FormatInt(first.Rank, 10) + "-" + strconv.FormatInt(last.Rank, 10)
	}
	for i := range some {
		e.Ranks += some[i].Ranks
	}
	return e
}

// add adds a cell to the one of the same ends. at has the places of cells by their ends.
func (m *Matrix) add(at map[[2]int]int, c *MatrixCell) {
	i, ok := at[[2]int{c.From, c.To}]
	if !ok {
		at[[2]int{c.From, c.To}] = len(m.Cells)
		m.Cells = append(m.Cells, *c)
		return
	}
	old := &m.Cells[i]
	old.Count, old.Bytes = old.Count+c.Count, old.Bytes.Plus(c.Bytes)
	old.Latency.Join(&c.Latency)
}

func (m *Matrix) sort() {
	slices.SortFunc(m.Cells, func(a, b MatrixCell) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return a.To - b.To
	})
}

// NewMatrix adds up the messages of a window. With timed it goes through all of them for their latencies; without, the sums of the file are
// at hand.
func NewMatrix(t *Trace, window *store.Window, timed bool) (*Matrix, error) {
	from, to := window.Bounds()
	m := &Matrix{From: from - t.clock.First(), To: to - t.clock.First(), TicksPerSecond: t.clock.Resolution(), Timed: timed}
	pairs, err := PairSums(window, timed)
	if err != nil {
		return nil, err
	}
	p, at := newParties(t), map[[2]int]int{}
	for i := range pairs {
		s := &pairs[i]
		m.add(at, &MatrixCell{p.use(s.SendLocation), p.use(s.ReceiveLocation), s.Count, s.Bytes, s.Latency})
	}
	for i := range p.list {
		m.Ends = append(m.Ends, MatrixEnd{p.list[i].label, 1, p.list[i].rank, p.list[i].location})
	}
	m.sort()
	return m, nil
}
