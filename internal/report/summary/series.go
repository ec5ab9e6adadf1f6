package summary

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// A series has the rows of a summary for each of the equal intervals that its window is divided into.

// Bounds of a series: of its intervals, and of its rows in all intervals together.
const (
	maxIntervals  = 10_000
	maxSeriesRows = 1 << 20
)

// interval is a part of the window of a series, in ticks since the trace's first event.
type interval struct {
	from, to int64
	clock    clock
}

// step is an interval of a series with the rows of the summary that it has.
type step[R comparable] struct {
	interval
	table *rowsOf[R]
	at    []int // by row of the summary: its place in the table, -1 for a row that the interval does not have
}

// follow adds the intervals of a series, whose tables each returns.
func (t *rowsOf[R]) follow(n int, each func(i int) (rows, interval, error)) error {
	place := make(map[string]int, len(t.rows))
	for i := range t.rows {
		place[t.key(t.rows[i])] = i
	}
	for i := range n {
		r, in, err := each(i)
		if err != nil {
			return err
		}
		s := step[R]{in, r.(*rowsOf[R]), make([]int, len(t.rows))}
		for j := range s.at {
			s.at[j] = -1
		}
		kept := s.table.rows[:0]
		for j := range s.table.rows {
			if row, ok := place[t.key(s.table.rows[j])]; ok {
				s.at[row] = len(kept)
				kept = append(kept, s.table.rows[j])
			}
		}
		s.table.rows = append([]R(nil), kept...)
		t.series = append(t.series, s)
	}
	return nil
}

// key returns what tells a row from the others.
func (t *rowsOf[R]) key(row R) string {
	var b []byte
	for i := range t.columns {
		if c := &t.columns[i]; c.key {
			v := c.value(row)
			b = append(v.appendText(b), 0)
		}
	}
	return string(b)
}

// seriesNames are the columns that each line of a series begins with.
var seriesNames = []Column{
	{Name: "from_ns", Type: "integer", Unit: "ns", Doc: "begin of the interval, since the trace's first event"},
	{Name: "from_ticks", Type: "integer", Unit: "ticks", Doc: "the same"},
	{Name: "to_ns", Type: "integer", Unit: "ns", Doc: "its end"},
	{Name: "to_ticks", Type: "integer", Unit: "ticks", Doc: "the same"},
}

// bounds returns the values of seriesNames.
func (in *interval) bounds() [4]value {
	in64 := func(t int64) value { return sumValue(trace.SumOf(t)) }
	ns := func(t int64) int64 { return trace.Nanoseconds(t, uint64(in.clock)) }
	return [4]value{in64(ns(in.from)), in64(in.from), in64(ns(in.to)), in64(in.to)}
}

// seriesLines yields all rows of each interval. A row that an interval does not have is there with zeros.
func (t *rowsOf[R]) seriesLines(values bool, yield func([]field) bool) {
	columns := t.shownColumns()
	line := make([]field, 0, len(seriesNames)+len(columns))
	for i := range seriesNames {
		line = append(line, field{name: seriesNames[i].Name})
	}
	for _, c := range columns {
		line = append(line, field{name: c.Name})
	}
	if !values {
		yield(line)
		return
	}
	for i := range t.series {
		s := &t.series[i]
		for j, v := range s.bounds() {
			line[j].value = v
		}
		for row := range t.rows {
			for j, c := range columns {
				line[len(seriesNames)+j].value = t.inStep(s, row, c.at)
			}
			if !yield(line) {
				return
			}
		}
	}
}

// inStep returns the value of a row in an interval.
func (t *rowsOf[R]) inStep(s *step[R], row, column int) value {
	c := &t.columns[column]
	switch at := s.at[row]; {
	case c.fixed:
		return c.value(t.rows[row])
	case at >= 0:
		return s.table.columns[column].value(s.table.rows[at])
	case c.Null:
		return value{}
	case c.Type == "integer":
		return countValue(0)
	}
	return floatValue(0)
}

// sparks are the signs of values from 0 to the greatest.
const sparks = " ▁▂▃▄▅▆▇█"

// usualSparks is the number of signs of a line if the width is not known, leastSparks what a narrow table has.
const usualSparks, leastSparks = 50, 20

// seriesColumns are the columns of text about the course of a value: its greatest value in an interval, and a line of signs.
func (t *rowsOf[R]) seriesColumns(width int) []textColumn[R] {
	name := t.shown
	if t.order != "" {
		name = t.order
	}
	at := max(t.column(name), 0)
	signs := min(len(t.series), usualSparks)
	if width > 0 && width < 2*usualSparks {
		signs = min(len(t.series), max(leastSparks, width/3))
	}
	about := &t.columns[at]
	peak := &column[R]{head: "peak", right: true}
	course := &column[R]{head: fmt.Sprintf("%s in %d intervals", name, len(t.series))}
	return []textColumn[R]{
		{peak, func(row int) string { return t.peak(about, at, row) }},
		{course, func(row int) string { return t.sparkline(at, row, signs) }},
	}
}

// peak returns the greatest value of a row in an interval, as text.
func (t *rowsOf[R]) peak(c *column[R], at, row int) string {
	text, greatest := "-", 0.0
	for i := range t.series {
		s := &t.series[i]
		v := t.inStep(s, row, at)
		if f := v.asFloat(); s.at[row] >= 0 && (text == "-" || f > greatest) {
			greatest = f
			if own := &s.table.columns[at]; own.text != nil {
				text = own.text(s.table.rows[s.at[row]])
			} else {
				text = string(v.appendText(nil))
			}
		}
	}
	return text
}

// sparkline returns the values of a row in all intervals as signs, each for equally many of them, by the greatest of these.
func (t *rowsOf[R]) sparkline(at, row, n int) string {
	heights, greatest := make([]float64, n), 0.0
	for i := range t.series {
		v := t.inStep(&t.series[i], row, at)
		h := &heights[i*n/len(t.series)]
		*h = max(*h, v.asFloat())
		greatest = max(greatest, *h)
	}
	signs, b := []rune(sparks), strings.Builder{}
	for _, h := range heights {
		sign := 0
		if h > 0 {
			sign = 1 + min(int(h/greatest*float64(len(signs)-1)), len(signs)-2)
		}
		b.WriteRune(signs[sign])
	}
	return b.String()
}
