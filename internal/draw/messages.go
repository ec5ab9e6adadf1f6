package draw

import (
	"fmt"
	"math"
	"strconv"
)

// lines draws the parts of messages that lie in the window, from row to row.
func (c *Chart) lines(to canvas, l *layout) {
	left, right := float64(leftMargin), float64(l.width-rightMargin)
	for i := range c.Lines {
		m := &c.Lines[i]
		x1, y1 := c.x(m.Sent, l), c.middle(m.From, l)
		x2, y2 := c.x(m.Arrived, l), c.middle(m.To, l)
		head := x2 >= left && x2 <= right
		x1, y1, x2, y2 = clip(x1, y1, x2, y2, left, right)
		to.line(x1, y1, x2, y2, 3, halo)
		to.line(x1, y1, x2, y2, 1.2, messages)
		if head {
			to.rect(math.Round(x2)-2, math.Round(y2)-2, 4, 4, messages)
		}
		to.hintLine(x1, y1, x2, y2, c.messageHint(m))
	}
}

// messageHint says who sent how much to whom, when, and how long it took.
func (c *Chart) messageHint(m *Line) string {
	return fmt.Sprintf("message from %s to %s\nsent at %s, under way for %s\n%s bytes", c.rowName(m.From), c.rowName(m.To), c.at(m.Sent),
		seconds(float64(m.Arrived-m.Sent)*c.perTick), grouped(strconv.FormatUint(m.Bytes, 10)))
}

// middle returns the middle of a row.
func (c *Chart) middle(row int, l *layout) float64 {
	return float64(l.top+row*l.row) + float64(l.row)/2 - 0.5
}

// clip returns the part of a line between two x.
func clip(x1, y1, x2, y2, left, right float64) (a, b, c, d float64) {
	at := func(x float64) float64 { return y1 + (y2-y1)*(x-x1)/(x2-x1) }
	a, b, c, d = x1, y1, x2, y2
	if x1 != x2 {
		if a = min(max(x1, left), right); a != x1 {
			b = at(a)
		}
		if c = min(max(x2, left), right); c != x2 {
			d = at(c)
		}
	}
	return a, b, c, d
}

// perSecond returns how many messages per second are sent in a part of the window.
func (c *Chart) perSecond(s *Sending) float64 {
	if s.From >= s.To {
		return 0
	}
	return float64(s.Count) / (float64(s.To-s.From) * c.perTick)
}

// stripOfMessages draws how many messages are sent per second. The height of the strip is the greatest number.
func (c *Chart) stripOfMessages(to canvas, l *layout) {
	if c.Sent == nil {
		return
	}
	most := 0.0
	for i := range c.Sent {
		most = max(most, c.perSecond(&c.Sent[i]))
	}
	bottom := float64(l.strip)
	to.text(leftMargin-10, bottom-stripHeight/2, textStyle, toEnd, ink, "messages sent")
	to.text(leftMargin-10, bottom-stripHeight/2+16, smallStyle, toEnd, grey, "up to "+rate(most))
	for i := range c.Sent {
		s := &c.Sent[i]
		x1, x2 := math.Round(c.x(s.From, l)), math.Round(c.x(s.To, l)) // neighbours touch
		x2 = max(x2, x1+1)
		if h := stripHeight * c.perSecond(s) / most; h > 0 {
			to.rect(x1, bottom-h, x2-x1, h, sent)
		}
		to.hint(x1, bottom-stripHeight, x2-x1, stripHeight, fmt.Sprintf("%s to %s\n%s messages, %s", c.at(s.From), c.at(s.To),
			grouped(strconv.FormatUint(s.Count, 10)), rate(c.perSecond(s))))
	}
}

// rate writes a number per second with three digits, in a unit of time that makes it at least 1.
func rate(perSecond float64) string {
	unit, name := 1.0, "s"
	for i := 1; i < len(units) && perSecond*unit >= 10_000; i++ {
		unit, name = units[i].seconds, units[i].name
	}
	v := perSecond * unit
	if v >= 100 {
		return grouped(strconv.FormatFloat(v, 'f', 0, 64)) + " per " + name
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " per " + name
}
