package draw

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// layout says where things are, in pixels.
type layout struct {
	width, height int
	top           int // of the rows
	row           int // height of one
	bottom        int // of the rows
	strip         int // bottom of the strip of messages; as bottom if there is none
	axis          int // top of the axis
	legend        int
	entries       []entry
	columns       int
	faces         faces
}

// Distances, in pixels.
const (
	leftMargin   = 172
	rightMargin  = 24
	topMargin    = 62
	stripHeight  = 40
	axisHeight   = 34
	legendRow    = 20
	legendColumn = 230
	allRows      = 620 // that the rows take together, if they are many
	highestRow   = 26
)

// MinWidth and MaxWidth bound the width of a picture, MaxRows the number of its rows.
const (
	MinWidth = 400
	MaxWidth = 1 << 15
	MaxRows  = 8192
)

var (
	ink      = color.RGBA{34, 34, 34, 255}
	grey     = color.RGBA{110, 110, 110, 255}
	faint    = color.RGBA{215, 215, 215, 255}
	paper    = color.RGBA{255, 255, 255, 255}
	nothing  = color.RGBA{244, 244, 244, 255} // no call
	others   = color.RGBA{190, 190, 190, 255}
	messages = color.RGBA{20, 20, 20, 200}
	sent     = color.RGBA{84, 98, 140, 255}
)

var (
	titleStyle  = style{17, true}
	textStyle   = style{12.5, false}
	smallStyle  = style{11, false}
	legendStyle = style{12, false}
)

// Pixels returns how many pixels of time a picture of a width has.
func Pixels(width int) int { return width - leftMargin - rightMargin }

// entry is an entry of the legend.
type entry struct {
	colour color.RGBA
	name   string
	share  float64
}

// Bounds of the legend: its number of entries, and the least share of the time that has one.
const (
	maxEntries = 20
	minShare   = 0.0005
)

func (c *Chart) layout(width int) *layout {
	l := &layout{width: width, top: topMargin, faces: faces{}}
	l.row = min(max(allRows/max(len(c.Rows), 1), 1), highestRow)
	l.bottom = l.top + l.row*len(c.Rows)
	l.strip = l.bottom
	if c.Sent != nil {
		l.strip += stripHeight + 8
	}
	l.axis = l.strip + 4
	l.legend = l.axis + axisHeight + 12
	l.entries = c.legend()
	l.columns = max(1, (width-rightMargin-16)/legendColumn)
	l.height = l.legend + (len(l.entries)+l.columns-1)/l.columns*legendRow + 10
	return l
}

// named returns the regions as the legend names them: each, or all of an activity as one.
func (c *Chart) named() []Region {
	if !c.byActivity {
		return slices.Clone(c.Regions)
	}
	var list []Region
	place := map[trace.Activity]int{}
	for _, r := range c.Regions {
		i, ok := place[r.Activity]
		if !ok {
			i = len(list)
			place[r.Activity] = i
			list = append(list, Region{Name: r.Activity.String(), Activity: r.Activity, Colour: r.Colour})
		}
		list[i].Share += r.Share
	}
	return list
}

// legend lists the regions with most time, the largest first.
func (c *Chart) legend() (list []entry) {
	order := c.named()
	slices.SortStableFunc(order, func(a, b Region) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	rest := 0.0
	for i, r := range order {
		if i >= maxEntries || r.Share < minShare && i > 0 {
			rest += r.Share
			continue
		}
		list = append(list, entry{r.Colour, plainName(r.Name), r.Share})
	}
	if n := len(order) - len(list); n > 0 {
		list = append(list, entry{others, fmt.Sprintf("%d other regions", n), rest})
	}
	if c.idle > minShare {
		list = append(list, entry{nothing, "no call", c.idle})
	}
	return list
}

// draw draws everything.
func (c *Chart) draw(to canvas, l *layout) {
	to.rect(0, 0, float64(l.width), float64(l.height), paper)
	to.text(16, 28, titleStyle, toStart, ink, l.faces.fit(titleStyle, c.Title, float64(l.width-32)))
	to.text(16, 47, textStyle, toStart, grey, c.Subtitle+c.messageText())
	c.grid(to, l)
	c.cells(to, l)
	c.labels(to, l)
	c.lines(to, l)
	c.hints(to, l)
	c.stripOfMessages(to, l)
	c.axis(to, l)
	c.legendEntries(to, l)
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

// markAt returns where a mark of the axis is.
func (c *Chart) markAt(m axisMark, l *layout) float64 {
	t := c.timeline
	span := float64(t.To-t.From) * c.perTick
	return leftMargin + (m.at-float64(t.From-c.first)*c.perTick)/span*float64(Pixels(l.width))
}

// axis draws the axis of time.
func (c *Chart) axis(to canvas, l *layout) {
	a, y, right := c.times(l), float64(l.axis), float64(l.width-rightMargin)
	to.line(leftMargin, y, right, y, 1, ink)
	to.text(leftMargin-46, y+19, textStyle, toEnd, ink, "time ["+a.unit+"]")
	for _, m := range a.marks {
		x := c.markAt(m, l)
		if m.text == "" {
			to.line(x, y, x, y+3, 1, grey)
			continue
		}
		to.line(x, y, x, y+6, 1, ink)
		half := l.faces.width(textStyle, m.text) / 2
		to.text(min(x, float64(l.width)-half-4), y+19, textStyle, toMiddle, ink, m.text)
	}
}

// grid draws faint lines for the times of the axis behind the strip of messages.
func (c *Chart) grid(to canvas, l *layout) {
	if l.strip == l.bottom {
		return
	}
	for _, m := range c.times(l).marks {
		if m.text != "" {
			to.line(c.markAt(m, l), float64(l.bottom), c.markAt(m, l), float64(l.axis), 1, faint)
		}
	}
}

// legendEntries draws the legend, column by column.
func (c *Chart) legendEntries(to canvas, l *layout) {
	width := float64(l.width-rightMargin-16) / float64(l.columns)
	rows := (len(l.entries) + l.columns - 1) / l.columns
	for i, e := range l.entries {
		x, y := 16+width*float64(i/rows), float64(l.legend+i%rows*legendRow)
		to.rect(x, y, 14, 13, grey)
		to.rect(x+0.75, y+0.75, 12.5, 11.5, e.colour)
		share := fmt.Sprintf("%.1f %%", 100*e.share)
		to.text(x+63, y+11, legendStyle, toEnd, ink, share)
		to.text(x+71, y+11, legendStyle, toStart, ink, l.faces.fit(legendStyle, e.name, width-92))
	}
}
