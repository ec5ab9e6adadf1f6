package draw

import "bufio"

// Mark is a call that stands out on a location, in ticks. Text says why.
type Mark struct {
	Location uint64
	From, To int64
	Text     string
}

// markSize is half the width of the sign of a mark, and its height, in pixels.
const markSize = 4

// rowOf returns the row of a mark; ok is false if it lies outside of the window, or its location has none.
func (c *Chart) rowOf(m *Mark) (row int, ok bool) {
	row, ok = c.row[m.Location]
	return row, ok && m.To > c.timeline.From && m.From < c.timeline.To
}

// marks draws a sign where each marked call begins, and a frame around those that are wide enough. Marks outside of the window are left out.
func (c *Chart) marks(to canvas, l *layout) {
	for i := range c.Marks {
		m := &c.Marks[i]
		row, ok := c.rowOf(m)
		if !ok {
			continue
		}
		x1, x2 := c.x(max(m.From, c.timeline.From), l), c.x(min(m.To, c.timeline.To), l)
		y1, y2 := float64(l.top+row*l.row), float64(l.top+(row+1)*l.row-2)
		if x2-x1 > 2*markSize && l.row > 2*markSize {
			for _, y := range []float64{y1, y2} {
				to.line(x1, y, x2, y, 1.4, ink)
			}
			to.line(x1, y1, x1, y2, 1.4, ink)
			to.line(x2, y1, x2, y2, 1.4, ink)
		}
		to.quad(x1-markSize-1, x1+markSize+1, y1-2, x1-0.5, x1+0.5, y1+markSize+2, paper)
		to.quad(x1-markSize, x1+markSize, y1-1, x1, x1, y1+markSize, ink)
		to.hint(x1-markSize, y1-1, max(x2-x1, 0)+2*markSize, y2-y1, m.Text)
	}
}

// markLine writes a line with a sign below each marked call of some rows, nothing without any.
func (t *Terminal) markLine(w *bufio.Writer, c *Chart, first, end int) {
	signs, any := make([]byte, t.plot()), false
	for i := range signs {
		signs[i] = ' '
	}
	for i := range c.Marks {
		m := &c.Marks[i]
		row, ok := c.rowOf(m)
		if !ok || row < first || row >= end {
			continue
		}
		x := int(c.pixel(max(m.From, c.timeline.From)) * float64(len(signs)) / float64(c.timeline.Pixels))
		signs[min(x, len(signs)-1)], any = '^', true
	}
	if any {
		w.WriteString(pad("", t.labels) + " " + string(signs) + "\n")
	}
}
