package draw

import (
	"fmt"
	"slices"
)

// lines draws the parts of messages that lie in the window, from row to row.
func (c *Chart) lines(to canvas, l *layout) {
	left, right := float64(leftMargin), float64(l.width-rightMargin)
	for _, m := range c.Lines {
		x1, y1 := c.x(m.Sent, l), c.middle(m.From, l)
		x2, y2 := c.x(m.Arrived, l), c.middle(m.To, l)
		head := x2 >= left && x2 <= right
		x1, y1, x2, y2 = clip(x1, y1, x2, y2, left, right)
		to.line(x1, y1, x2, y2, 0.9, messages)
		if head {
			to.rect(x2-1.6, y2-1.6, 3.2, 3.2, messages)
		}
	}
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

// perWhat says what the strip of messages counts.
func (c *Chart) perWhat() string {
	if c.UnderWay {
		return "under way"
	}
	return "per pixel"
}

// stripOfMessages draws how many messages are sent in each pixel, or under way around it.
func (c *Chart) stripOfMessages(to canvas, l *layout) {
	if c.Sent == nil {
		return
	}
	most := max(slices.Max(c.Sent), 1)
	bottom, scale := float64(l.strip), float64(Pixels(l.width))/float64(c.timeline.Pixels)
	to.text(leftMargin-10, bottom-stripHeight/2, textStyle, toEnd, ink, "messages")
	to.text(leftMargin-10, bottom-stripHeight/2+14, smallStyle, toEnd, grey, fmt.Sprintf("up to %s %s", grouped(fmt.Sprint(most)), c.perWhat()))
	for first, end := 0, 0; first < len(c.Sent); first = end {
		for end = first; end < len(c.Sent) && c.Sent[end] == c.Sent[first]; end++ {
		}
		if h := stripHeight * float64(c.Sent[first]) / float64(most); h > 0 {
			to.rect(leftMargin+float64(first)*scale, bottom-h, float64(end-first)*scale, h, sent)
		}
	}
}
