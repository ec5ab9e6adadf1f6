package draw

import (
	"fmt"
	"image"
	"math"
)

// rowHeight returns the height of a row, in pixels.
func (m *ContrastMap) rowHeight() int { return min(max(contrastMap/max(len(m.Rows), 1), 1), 14) }

// mapOf draws a map over the time of A.
func (c *Contrast) mapOf(to canvas, l *contrastLayout, m *ContrastMap, top int) {
	scale := newScale(m.Scale, m.Values)
	pixels, h := c.Charts[0].timeline.Pixels, m.rowHeight()
	bottom := top + h*len(m.Rows)
	partHead(to, l, top-12, m.Title, m.ValuesAre)
	if len(m.Rows) == 0 {
		return
	}
	img := image.NewRGBA(image.Rect(0, 0, pixels, h*len(m.Rows)))
	columns := len(m.Values) / max(len(m.Rows), 1)
	for row := range m.Rows {
		for x := range pixels {
			colour := scale.colour(m.Values[row*columns+x/m.Cell])
			for y := range h {
				if y == h-1 && h >= 8 {
					colour = paper
				}
				img.SetRGBA(x, row*h+y, colour)
			}
		}
	}
	to.image(leftMargin, top, 1, img)
	for i := 0; i < len(m.Rows); i += stride(12, float64(h)) {
		to.text(leftMargin-8, float64(top+i*h)+float64(h)/2+4, smallStyle, toEnd, ink, l.faces.fit(smallStyle, m.Rows[i], leftMargin-30))
	}
	m.scale(to, l, &scale, bottom+8)
	m.hints(to, c, &scale, top)
}

// scale draws the scale of colours below the map.
func (m *ContrastMap) scale(to canvas, l *contrastLayout, scale *colourScale, top int) {
	if scale.empty {
		return
	}
	x, y := float64(leftMargin), float64(top)
	low, high := m.Text(scale.least), m.Text(scale.top)
	to.text(x, y+11, smallStyle, toStart, ink, low)
	x += l.faces.width(smallStyle, low) + 8
	for i := range 100 {
		to.rect(x+2*float64(i), y+1, 2, 11, scale.ramp(float64(i)/99))
	}
	to.text(x+208, y+11, smallStyle, toStart, ink, high)
}

// Hints of a map: those of cells that have at least a share of the largest value, and at most a number.
const (
	hintShare = 0.02
	mapHints  = 4000
)

func (m *ContrastMap) hints(to canvas, c *Contrast, scale *colourScale, top int) {
	if _, none := to.(*bitmap); none || scale.empty {
		return
	}
	columns, h := len(m.Values)/max(len(m.Rows), 1), m.rowHeight()
	left := mapHints
	for i, v := range m.Values {
		if math.IsNaN(v) || math.Abs(v) < hintShare*max(math.Abs(scale.top), math.Abs(scale.least)) || left == 0 {
			continue
		}
		left--
		row, x := i/columns, i%columns
		from, end := float64(x*m.Cell)*c.seconds(), float64((x+1)*m.Cell)*c.seconds()
		to.hint(leftMargin+float64(x*m.Cell), float64(top+row*h), float64(m.Cell), float64(h), fmt.Sprintf("%s, %s to %s of A\n%s", brief(m.Rows[row]), seconds(from), seconds(end), m.Text(v)))
	}
}
