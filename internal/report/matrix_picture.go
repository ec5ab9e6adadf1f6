package report

import (
	"fmt"
	"math"

	"github.com/pandotrace/pando/internal/draw"
)

// pictureEnds is the number of rows of a picture of a matrix: cells are two pixels wide, or more.
const pictureEnds = 320

// measureNames say what the numbers of a measure are.
var measureNames = map[Measure]string{
	MeasureCount: "messages", MeasureBytes: "bytes sent", MeasureTime: "time under way", MeasureLatency: "mean latency",
}

// Picture returns a picture of a measure: who sent how much to whom. Neighbouring ranks share a row if they are many. The scale is one of
// ratios if the values differ by more than a hundredfold.
func (m *Matrix) Picture(of Measure) *draw.Heatmap {
	g := m.Grouped(pictureEnds)
	n := len(g.Ends)
	h := &draw.Heatmap{RowsAre: "sender", ColumnsAre: "receiver", ValuesAre: measureNames[of], Text: of.Text, Square: true, Values: make([]float64, n*n)}
	for i := range g.Ends {
		h.Rows = append(h.Rows, g.Ends[i].Label)
	}
	h.Columns = h.Rows
	for i := range h.Values {
		h.Values[i] = math.NaN()
	}
	cells, messages := map[int]*MatrixCell{}, uint64(0)
	for i := range g.Cells {
		c := &g.Cells[i]
		at := c.From*n + c.To
		h.Values[at], cells[at] = g.Value(c, of), c
		messages += c.Count
	}
	if s := newScale(g, of); s.ratio {
		h.Scale = draw.Log
	}
	h.Hint = func(row, column int) string { return cells[row*n+column].hint(m) }
	perSecond := float64(max(m.TicksPerSecond, 1))
	h.Subtitle = fmt.Sprintf("%s to %s, %s, %s", Duration(float64(m.From)/perSecond), Duration(float64(m.To)/perSecond),
		Plural(int(messages), "message", "messages"), Plural(len(m.Ends), "rank", "ranks"))
	if n < len(m.Ends) {
		h.Subtitle += fmt.Sprintf(", %d in each row", g.Ends[0].Ranks)
	}
	return h
}

// hint says everything about a cell.
func (c *MatrixCell) hint(m *Matrix) string {
	text := fmt.Sprintf("%s messages, %s bytes", Grouped(c.Count), groupDigits(c.Bytes.String()))
	if m.Timed {
		second := float64(max(m.TicksPerSecond, 1))
		text += fmt.Sprintf("\nlatency %s, from %s to %s", Duration(c.Latency.Mean()/second), Duration(float64(c.Latency.Least)/second), Duration(float64(c.Latency.Greatest)/second))
	}
	return text
}
