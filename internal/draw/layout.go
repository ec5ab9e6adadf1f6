package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"io"
)

// layout says where the parts of a timeline are, in pixels.
type layout struct {
	width, height int
	top           int // of the rows
	row           int // height of one
	bottom        int // of the rows
	strip         int // bottom of the strip of messages; as bottom if there is none
	axis          int // top of the axis
	legend        legend
	legendTop     int
	faces         faces
}

// Distances, in pixels.
const (
	leftMargin  = 172
	rightMargin = 24
	topMargin   = 66
	stripHeight = 44
	axisHeight  = 36
	allRows     = 620 // that the rows take together, if they are many: the greatest number of rows
	highestRow  = 26
)

// MinWidth and MaxWidth bound the width of a picture.
const (
	MinWidth = 400
	MaxWidth = 1 << 15
)

// MaxRows is the number of locations up to which the data of a timeline has a row for each.
const MaxRows = 8192

var (
	ink      = color.RGBA{26, 26, 26, 255}
	grey     = color.RGBA{89, 89, 89, 255} // 7 : 1 against paper
	faint    = color.RGBA{215, 215, 215, 255}
	paper    = color.RGBA{255, 255, 255, 255}
	nothing  = color.RGBA{240, 240, 240, 255} // no call
	others   = color.RGBA{190, 190, 190, 255}
	messages = color.RGBA{20, 20, 20, 255}
	halo     = color.RGBA{255, 255, 255, 130} // around messages, which lie on light and dark colours
	sent     = color.RGBA{84, 98, 140, 255}
)

var (
	titleStyle = style{18, true}
	textStyle  = style{13, false}
	smallStyle = style{12, false}
)

// Pixels returns how many pixels of time a picture of a width has.
func Pixels(width int) int { return width - leftMargin - rightMargin }

// PNG writes the picture as PNG, width by height pixels.
func (c *Chart) PNG(w io.Writer, width int) error {
	l := c.layout(width)
	return writePNG(w, l.width, l.height, func(to canvas) { c.draw(to, l) })
}

// SVG writes the picture as SVG, width by height pixels.
func (c *Chart) SVG(w io.Writer, width int) error {
	l := c.layout(width)
	return writeSVG(w, l.width, l.height, c.Title, func(to canvas) { c.draw(to, l) })
}

func (c *Chart) layout(width int) *layout {
	l := &layout{width: width, top: topMargin, faces: faces{}}
	l.row = min(max(allRows/max(len(c.Rows), 1), 1), cmp.Or(c.highest, highestRow))
	l.bottom = l.top + l.row*len(c.Rows)
	l.strip = l.bottom
	if c.Sent != nil {
		l.strip += stripHeight + 8
	}
	l.axis = l.strip + 4
	l.legend = newLegend(c.legend(), width)
	l.legendTop = l.axis + axisHeight + 12
	l.height = l.legendTop + l.legend.height() + 10
	return l
}

// draw draws everything.
func (c *Chart) draw(to canvas, l *layout) {
	drawHeader(to, l.faces, l.width, c.Title, c.Subtitle+c.messageText(), l.height)
	c.grid(to, l)
	c.cells(to, l)
	c.labels(to, l)
	c.hints(to, l)
	c.lines(to, l)
	c.marks(to, l)
	c.stripOfMessages(to, l)
	c.times(l).draw(to, l.faces, l.place(c), l.axis, l.width)
	l.legend.draw(to, l.faces, l.legendTop)
}

// drawHeader draws the paper with a title and what is below it.
func drawHeader(to canvas, f faces, width int, title, subtitle string, height int) {
	to.rect(0, 0, float64(width), float64(height), paper)
	to.text(16, 29, titleStyle, toStart, ink, f.fit(titleStyle, title, float64(width-32)))
	to.text(16, 50, textStyle, toStart, grey, f.fit(textStyle, subtitle, float64(width-32)))
}

func (c *Chart) messageText() string {
	switch {
	case c.Messages == 0:
		return ""
	case c.Messages == 1:
		return ", 1 message"
	}
	return fmt.Sprintf(", %s messages", grouped(fmt.Sprint(c.Messages)))
}

// x returns where a time is.
func (c *Chart) x(t int64, l *layout) float64 {
	return leftMargin + c.pixel(t)*float64(Pixels(l.width))/float64(c.timeline.Pixels)
}

// times divides the axis.
func (c *Chart) times(l *layout) axis {
	t := c.timeline
	return newAxis(float64(t.From-c.first)*c.perTick, float64(t.To-c.first)*c.perTick, Pixels(l.width)/110)
}

// place returns a function that says where a time of the axis is, in seconds since the trace's first event.
func (l *layout) place(c *Chart) func(seconds float64) float64 {
	from, span := float64(c.timeline.From-c.first)*c.perTick, float64(c.timeline.To-c.timeline.From)*c.perTick
	return func(s float64) float64 { return leftMargin + (s-from)/span*float64(Pixels(l.width)) }
}

// grid draws faint lines for the times of the axis behind the strip of messages.
func (c *Chart) grid(to canvas, l *layout) {
	if l.strip == l.bottom {
		return
	}
	place := l.place(c)
	for _, m := range c.times(l).marks {
		if m.text != "" {
			to.line(place(m.at), float64(l.bottom), place(m.at), float64(l.axis), 1, faint)
		}
	}
}
