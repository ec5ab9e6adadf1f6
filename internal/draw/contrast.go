package draw

import (
	"fmt"
	"image/color"
	"io"
	"slices"
)

// Contrast is a picture of two runs: timelines of some locations of both, one above the other, between them which calls belong together, and below
// how far B is behind, and all locations as maps. Times begin with the windows of both sides; a pixel is as long on both.
type Contrast struct {
	Title, Subtitle string
	// Charts are of A and B, and have a row for each location that is shown. The pixels of both are equally long.
	Charts [2]*Chart
	Pairs  []ContrastPair
	// Skew is how far B is behind A on these pairs, Maps are of all pairs of locations. A curve has a value for each pixel of A.
	Skew []SkewCurve
	Maps []ContrastMap
}

// ContrastPair is two locations that belong together.
type ContrastPair struct {
	Label, Note string
	// Rows are the places of its rows in both charts.
	Rows [2]int
	// States are of the calls that begin in each pixel of both sides.
	States [2][]CallStates
	// Links are times of calls that belong together, in pixels of both sides, rising.
	Links [][2]float64
}

// CallStates are numbers of calls that the other side has, that it has with another region, and that it lacks.
type CallStates struct{ Equal, Different, Alone int }

// All returns the number of all calls.
func (s CallStates) All() int { return s.Equal + s.Different + s.Alone }

// SkewCurve is by how many seconds B is behind A: least and most in each pixel, NaN for none.
type SkewCurve struct {
	Name        string
	Least, Most []float64
}

// ContrastMap is a map of all locations over the time of A.
type ContrastMap struct {
	Title, ValuesAre string
	Rows             []string
	Values           []float64 // row by row
	Cell             int       // width of a cell, in pixels
	Scale            Scale
	Text             func(v float64) string
}

// contrastLayout says where the parts are, in pixels.
type contrastLayout struct {
	width, height int
	pairs, axis   int
	skew          int
	maps          []int
	legend        legend
	legendTop     int
	faces         faces
}

// Sizes of the parts, in pixels.
const (
	contrastRow   = 16 // of a timeline
	contrastBand  = 24 // between two timelines
	contrastBlock = 2*contrastRow + contrastBand + 12
	skewHeight    = 150
	partTitle     = 34
	contrastMap   = 200 // of a map with many rows
	stateStrip    = 4
)

// The colours of states. In timelines nothing is like them.
var (
	equalState     = color.RGBA{222, 222, 222, 255}
	differentState = color.RGBA{240, 180, 0, 255}
	onlyA          = color.RGBA{60, 60, 200, 255}
	onlyB          = color.RGBA{200, 0, 120, 255}
	slowerLink     = color.RGBA{240, 150, 90, 255}
	fasterLink     = color.RGBA{130, 175, 235, 255}
)

// PNG writes the picture as PNG of a width.
func (c *Contrast) PNG(w io.Writer, width int) error {
	l := c.layout(width)
	return writePNG(w, l.width, l.height, func(to canvas) { c.draw(to, l) })
}

// SVG writes the picture as SVG of a width.
func (c *Contrast) SVG(w io.Writer, width int) error {
	l := c.layout(width)
	return writeSVG(w, l.width, l.height, c.Title, func(to canvas) { c.draw(to, l) })
}

// pixels returns how many pixels of time the picture has.
func (c *Contrast) pixels() int {
	return max(c.Charts[0].timeline.Pixels, c.Charts[1].timeline.Pixels)
}

func (c *Contrast) layout(width int) *contrastLayout {
	l := &contrastLayout{width: width, pairs: topMargin, faces: faces{}}
	l.axis = l.pairs + contrastBlock*len(c.Pairs) - 4
	l.skew = l.axis + axisHeight + partTitle
	y := l.skew + skewHeight + axisHeight
	for i := range c.Maps {
		y += partTitle
		l.maps = append(l.maps, y)
		y += c.Maps[i].rowHeight()*len(c.Maps[i].Rows) + 32
	}
	l.legend = newLegend(c.legend(), width)
	l.legendTop = y + 12
	l.height = l.legendTop + l.legend.height() + 10
	return l
}

func (c *Contrast) draw(to canvas, l *contrastLayout) {
	drawHeader(to, l.faces, l.width, c.Title, c.Subtitle, l.height)
	c.grid(to, l, l.pairs, l.axis)
	var order [2][]int
	for side := range 2 {
		order[side] = c.Charts[side].order()
	}
	for i := range c.Pairs {
		c.pair(to, l, i, order)
	}
	c.times(to, l, l.axis)
	c.skew(to, l)
	for i := range c.Maps {
		c.mapOf(to, l, &c.Maps[i], l.maps[i])
	}
	l.legend.draw(to, l.faces, l.legendTop)
}

// seconds returns how long a pixel is.
func (c *Contrast) seconds() float64 {
	t := c.Charts[0].timeline
	return float64(t.To-t.From) * c.Charts[0].perTick / float64(max(t.Pixels, 1))
}

func (c *Contrast) newAxis() axis {
	return newAxis(0, float64(c.pixels())*c.seconds(), c.pixels()/110)
}

func (c *Contrast) place(s float64) float64 { return leftMargin + s/c.seconds() }

// times draws an axis.
func (c *Contrast) times(to canvas, l *contrastLayout, top int) {
	c.newAxis().draw(to, l.faces, c.place, top, l.width)
}

// grid draws faint lines for the times of the axis.
func (c *Contrast) grid(to canvas, _ *contrastLayout, top, bottom int) {
	for _, m := range c.newAxis().marks {
		if m.text != "" {
			to.line(c.place(m.at), float64(top), c.place(m.at), float64(bottom), 1, faint)
		}
	}
}

// partHead writes the title of a part.
func partHead(to canvas, l *contrastLayout, top int, title, note string) {
	bold := style{13, true}
	to.text(16, float64(top), bold, toStart, ink, title)
	at := 28 + 1.15*l.faces.width(bold, title) // other programs have wider fonts
	to.text(at, float64(top), textStyle, toStart, grey, l.faces.fit(textStyle, note, float64(l.width)-at-16))
}

// legend lists regions with their shares on both sides, and what else is to be seen.
func (c *Contrast) legend() (list []entry) {
	list = c.stateLegend()
	var both []Region
	shares := map[string][2]float64{}
	for side, chart := range c.Charts {
		for _, r := range chart.Regions {
			s, ok := shares[r.Name]
			if s[side] += r.Share; !ok {
				both = append(both, r)
			}
			shares[r.Name] = s
		}
	}
	for i := range both {
		s := shares[both[i].Name]
		both[i].Share = (s[0] + s[1]) / 2
	}
	regions := legendOf(both, "regions")
	for i := range regions {
		r := &regions[i]
		if at := slices.IndexFunc(both, func(b Region) bool { return plainName(b.Name) == r.name }); at >= 0 {
			s := shares[both[at].Name]
			r.amount, r.name = percent(s[0]), fmt.Sprintf("%s (B %s)", r.name, percent(s[1]))
		}
	}
	return append(list, regions...)
}

// stateLegend lists what is between the timelines.
func (c *Contrast) stateLegend() (list []entry) {
	var all [2]CallStates
	for i := range c.Pairs {
		for side, states := range c.Pairs[i].States {
			for _, s := range states {
				all[side].Different, all[side].Alone = all[side].Different+s.Different, all[side].Alone+s.Alone
			}
		}
	}
	list = []entry{
		{colour: slowerLink, name: "B takes longer between two calls"}, {colour: fasterLink, name: "B takes less"}, {colour: equalState, name: "both sides have the call"},
	}
	if all[0].Different+all[1].Different > 0 {
		list = append(list, entry{colour: differentState, name: "calls of different regions"})
	}
	for side, s := range all {
		if s.Alone > 0 {
			list = append(list, entry{colour: [2]color.RGBA{onlyA, onlyB}[side], name: "calls that " + [2]string{"A", "B"}[side] + " alone has"})
		}
	}
	return list
}

// signedSeconds writes a time with its sign.
func signedSeconds(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 0:
		return "-" + seconds(-s)
	}
	return "+" + seconds(s)
}
