package hotspots

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// spread is the ratio of the largest to the median SOS time from which on a map has a logarithmic scale: else one late segment takes all colours.
const spread = 8

// Picture returns the SOS times of all locations and segments as a map of at most a number of rows and columns: where there are more, neighbours
// share a cell, which has their largest time.
func (r *Report) Picture(mostRows, mostColumns int) *draw.Heatmap {
	v := &r.analysis.Level
	columns := r.columns
	rowOf, columnOf := share(len(v.Lines), mostRows), share(len(columns.List), mostColumns)
	h := &draw.Heatmap{
		Title: filepath.Base(r.trace.Path), RowsAre: "location", ColumnsAre: "segment", ValuesAre: "SOS time",
		Text: report.Duration, Scale: draw.Range,
	}
	for i := 0; i < len(v.Lines); i += rowOf {
		h.Rows = append(h.Rows, span(v.Lines[i].Place.Label, v.Lines[min(i+rowOf, len(v.Lines))-1].Place.Label))
	}
	for n := 0; n < len(columns.List); n += columnOf {
		h.Columns = append(h.Columns, fmt.Sprint((columns.First+int64(n))*v.Stride))
	}
	h.Values = make([]float64, len(h.Rows)*len(h.Columns))
	for i := range h.Values {
		h.Values[i] = math.NaN()
	}
	most := 0.0
	for i := range v.Lines {
		l := &v.Lines[i]
		for at, own := range l.Own {
			cell := &h.Values[i/rowOf*len(h.Columns)+(int(l.First-columns.First)+at)/columnOf]
			if s := float64(own) / float64(r.TicksPerSecond); math.IsNaN(*cell) || s > *cell {
				*cell = s
			}
		}
	}
	for _, s := range h.Values {
		if s > most { // not NaN
			most = s
		}
	}
	if most > spread*r.middle() {
		h.Scale = draw.Log
	}
	h.Subtitle = "SOS times of " + r.Segments.Title
	if rowOf > 1 || columnOf > 1 {
		h.Subtitle += "; the largest of " + neighbours(rowOf, columnOf) + " in each cell"
		return h
	}
	h.Hint = func(row, column int) string {
		if at, ok := v.Lines[row].At(columns.First + int64(column)); ok {
			return fmt.Sprintf("z %.1f", columns.List[column].Z(v.Lines[row].Own[at]))
		}
		return ""
	}
	return h
}

// middle returns the mean of the medians of segments, in seconds.
func (r *Report) middle() float64 {
	list, sum := r.columns.List, 0.0
	for i := range list {
		sum += list[i].Median()
	}
	return sum / float64(max(len(list), 1)) / float64(r.TicksPerSecond)
}

// neighbours says what shares a cell.
func neighbours(rows, columns int) string {
	switch {
	case rows == 1:
		return fmt.Sprintf("%d segments", columns)
	case columns == 1:
		return fmt.Sprintf("%d locations", rows)
	}
	return fmt.Sprintf("%d locations by %d segments", rows, columns)
}

// share returns how many neighbours share one of at most a number of places.
func share(n, most int) int { return max((n+most-1)/most, 1) }

// span names neighbours by the first and the last: "rank 0-51".
func span(first, last string) string {
	stem := strings.TrimRight(first, "0123456789")
	switch number, ok := strings.CutPrefix(last, stem); {
	case first == last:
		return first
	case ok && stem != first && strings.Trim(number, "0123456789") == "":
		return first + "-" + number
	}
	return first + " … " + last
}

// Map draws the SOS times with characters.
func (r *Report) Map(t *draw.Terminal) *draw.Heatmap { return r.Picture(t.Lines(), t.Pixels()) }
