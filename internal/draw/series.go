package draw

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Series is a picture of how some numbers change with time: as areas on top of each other, or as lines.
type Series struct {
	Title, Subtitle string
	// Times are the borders of the intervals in seconds since the trace's begin, one more than there are intervals, rising.
	Times []float64
	// Curves are drawn from the bottom up.
	Curves []Curve
	// Stacked draws areas on top of each other; else each curve is a line.
	Stacked bool
	// ValuesAre says what the values are: "share of the time".
	ValuesAre string
	// Percent says that values are shares, which are written in percent. Stacked ones have an axis up to 100 %.
	Percent bool
	// Text writes a value with its unit, nil for four digits, or percents.
	Text func(v float64) string
}

// Curve is a number for each interval. NaN stands for no value.
type Curve struct {
	Name   string
	Colour color.RGBA
	Values []float64
}

// RegionColours returns the colour that regions have in all pictures, by their names.
func RegionColours(d *trace.Definitions) map[string]color.RGBA {
	of := map[string]color.RGBA{}
	for _, id := range d.Regions() {
		r := regionOf(d, id)
		of[r.Name] = r.Colour
	}
	return of
}

// ActivityColour returns the colour of an activity where regions are coloured by what they do.
func ActivityColour(a trace.Activity) color.RGBA { return activityColours[a] }

// lineColours are those of Masataka Okabe and Kei Ito that are dark enough for lines on paper.
var lineColours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {26, 26, 26, 255}, {86, 180, 233, 255}, {230, 159, 0, 255},
}

// LineColour returns the n-th of some colours that are told apart by everyone. After seven they repeat.
func LineColour(n int) color.RGBA { return lineColours[n%len(lineColours)] }

const (
	plotHeight = 300
	// mostSteps bounds the hints of a picture of series.
	mostSteps = 4000
)

// seriesLayout says where the parts are, in pixels.
type seriesLayout struct {
	width, height int
	top, bottom   int
	least, most   float64 // of the axis of values
	legend        legend
	faces         faces
}

func (s *Series) check() error {
	for i := range s.Curves {
		if len(s.Curves[i].Values) != len(s.Times)-1 {
			return fmt.Errorf("draw: curve %d has %d values for %d borders of intervals", i, len(s.Curves[i].Values), len(s.Times))
		}
	}
	if len(s.Times) < 2 || !slices.IsSorted(s.Times) || !(s.Times[len(s.Times)-1] > s.Times[0]) {
		return fmt.Errorf("draw: %d borders of intervals do not rise", len(s.Times))
	}
	return nil
}

// PNG writes the picture as PNG of a width.
func (s *Series) PNG(w io.Writer, width int) error {
	if err := s.check(); err != nil {
		return err
	}
	l := s.layout(width)
	return writePNG(w, l.width, l.height, func(to canvas) { s.draw(to, l) })
}

// SVG writes the picture as SVG of a width.
func (s *Series) SVG(w io.Writer, width int) error {
	if err := s.check(); err != nil {
		return err
	}
	l := s.layout(width)
	return writeSVG(w, l.width, l.height, s.Title, func(to canvas) { s.draw(to, l) })
}

func (s *Series) layout(width int) *seriesLayout {
	l := &seriesLayout{width: width, top: topMargin + 20, bottom: topMargin + 20 + plotHeight, faces: faces{}}
	l.least, l.most = s.bounds()
	l.legend = newLegend(s.entries(), width)
	l.height = l.bottom + 4 + axisHeight + 12 + l.legend.height() + 10
	return l
}

// bounds returns the least and the greatest value of the axis, which has 0.
func (s *Series) bounds() (least, most float64) {
	for i := range len(s.Times) - 1 {
		low, high := 0.0, 0.0
		for j := range s.Curves {
			v := s.Curves[j].Values[i]
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if !s.Stacked {
				low, high = min(low, v), max(high, v)
			} else {
				high += max(v, 0) // areas of negative numbers make no sense
			}
		}
		least, most = min(least, low), max(most, high)
	}
	if s.Stacked && s.Percent && most > 0.5 {
		most = max(most, 1)
	}
	if most <= least {
		most = least + 1
	}
	return least, most
}

// entries lists the curves with most first, and with their mean over time.
func (s *Series) entries() (list []entry) {
	for i := range s.Curves {
		c := &s.Curves[i]
		if i == maxEntries && len(s.Curves) > maxEntries+1 {
			return append(list, entry{colour: others, name: fmt.Sprintf("%d others", len(s.Curves)-i)})
		}
		list = append(list, entry{colour: c.Colour, name: plainName(c.Name), amount: s.text(s.mean(c)), line: !s.Stacked})
	}
	return list
}

// mean returns the mean of a curve over time, NaN of none.
func (s *Series) mean(c *Curve) float64 {
	sum, length := 0.0, 0.0
	for i, v := range c.Values {
		if d := s.Times[i+1] - s.Times[i]; !math.IsNaN(v) {
			sum, length = sum+v*d, length+d
		}
	}
	return sum / length
}

// text writes a value.
func (s *Series) text(v float64) string {
	switch {
	case math.IsNaN(v):
		return "none"
	case s.Text != nil:
		return s.Text(v)
	case s.Percent:
		return percent(v)
	}
	return plain(v)
}

func (s *Series) draw(to canvas, l *seriesLayout) {
	drawHeader(to, l.faces, l.width, s.Title, s.Subtitle, l.height)
	s.values(to, l)
	if s.Stacked {
		s.areas(to, l)
	} else {
		s.lines(to, l)
	}
	newAxis(s.Times[0], s.Times[len(s.Times)-1], Pixels(l.width)/110).draw(to, l.faces, func(t float64) float64 { return s.x(t, l) }, l.bottom+4, l.width)
	s.hints(to, l)
	l.legend.draw(to, l.faces, l.bottom+4+axisHeight+12)
}

// x returns where a time is, y where a value is.
func (s *Series) x(t float64, l *seriesLayout) float64 {
	from, to := s.Times[0], s.Times[len(s.Times)-1]
	return leftMargin + (t-from)/(to-from)*float64(Pixels(l.width))
}

func (l *seriesLayout) y(v float64) float64 {
	return float64(l.bottom) - (v-l.least)/(l.most-l.least)*float64(l.bottom-l.top)
}

// values draws the axis of values, with faint lines.
func (s *Series) values(to canvas, l *seriesLayout) {
	scale := colourScale{kind: Linear, least: l.least, top: l.most}
	for _, v := range scale.marks(5) {
		y := math.Round(l.y(v))
		to.line(leftMargin, y, float64(l.width-rightMargin), y, 1, faint)
		text := s.text(v)
		if s.Text == nil && s.Percent {
			text = strconv.FormatFloat(100*v, 'g', 6, 64) + " %"
		}
		to.text(leftMargin-8, y+4.5, textStyle, toEnd, ink, text)
	}
	to.text(16, float64(l.top)-12, textStyle, toStart, grey, l.faces.fit(textStyle, s.ValuesAre, float64(l.width-32)))
}

// areas draws each curve on top of those before.
func (s *Series) areas(to canvas, l *seriesLayout) {
	for i := range len(s.Times) - 1 {
		x1, x2, low := math.Round(s.x(s.Times[i], l)), math.Round(s.x(s.Times[i+1], l)), 0.0
		for j := range s.Curves {
			v := s.Curves[j].Values[i]
			if !(v > 0) || math.IsInf(v, 0) {
				continue
			}
			y1, y2 := l.y(low), l.y(low+v)
			to.rect(x1, y2, max(x2-x1, 1), y1-y2, s.Curves[j].Colour)
			low += v
		}
	}
}

// lines draws each curve as steps: a value holds for all of its interval.
func (s *Series) lines(to canvas, l *seriesLayout) {
	for j := range s.Curves {
		c := &s.Curves[j]
		before := math.NaN()
		for i, v := range c.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				before = math.NaN()
				continue
			}
			x1, x2, y := s.x(s.Times[i], l), s.x(s.Times[i+1], l), l.y(v)
			if !math.IsNaN(before) && y != before {
				to.line(x1, before, x1, y, 2, c.Colour)
			}
			to.line(x1, y, x2, y, 2, c.Colour)
			before = y
		}
	}
}

// hints adds a hint to each interval, or to several together if they are many.
func (s *Series) hints(to canvas, l *seriesLayout) {
	if _, none := to.(*bitmap); none {
		return
	}
	n := len(s.Times) - 1
	each := (n + mostSteps - 1) / mostSteps
	for i := 0; i < n; i += each {
		x1, x2 := s.x(s.Times[i], l), s.x(s.Times[min(i+each, n)], l)
		to.hint(x1, float64(l.top), x2-x1, float64(l.bottom-l.top), s.hint(i))
	}
}

// hint lists the largest values of an interval.
func (s *Series) hint(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s", seconds(s.Times[i]), seconds(s.Times[i+1]))
	order := make([]int, 0, len(s.Curves))
	for j := range s.Curves {
		if v := s.Curves[j].Values[i]; !math.IsNaN(v) && v != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		if a, b := s.Curves[x].Values[i], s.Curves[y].Values[i]; a > b {
			return -1
		} else if a < b {
			return 1
		}
		return 0
	})
	for n, j := range order {
		if n == 2*hintRegions {
			fmt.Fprintf(&b, "\nand %d more", len(order)-n)
			break
		}
		fmt.Fprintf(&b, "\n%s %s", s.text(s.Curves[j].Values[i]), brief(plainName(s.Curves[j].Name)))
	}
	return b.String()
}
