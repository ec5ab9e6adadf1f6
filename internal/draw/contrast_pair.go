package draw

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// pair draws the timelines of two locations, and what is between them.
func (c *Contrast) pair(to canvas, l *contrastLayout, i int, order [2][]int) {
	p := &c.Pairs[i]
	top := l.pairs + contrastBlock*i
	tops := [2]int{top, top + contrastRow + contrastBand}
	middle := float64(top + contrastRow + contrastBand/2)
	to.text(leftMargin-28, middle-1, textStyle, toEnd, ink, l.faces.fit(textStyle, p.Label, leftMargin-44))
	to.text(leftMargin-28, middle+14, smallStyle, toEnd, grey, l.faces.fit(smallStyle, p.Note, leftMargin-44))
	for side, chart := range c.Charts {
		to.text(leftMargin-8, float64(tops[side])+12, textStyle, toEnd, ink, [2]string{"A", "B"}[side])
		chart.single(to, p.Rows[side], tops[side], order[side])
		strip := top + contrastRow + 1
		if side == 1 {
			strip = tops[1] - 1 - stateStrip
		}
		c.states(to, p.States[side], strip, [2]color.RGBA{onlyA, onlyB}[side])
	}
	c.links(to, p, float64(top+contrastRow+1+stateStrip), float64(tops[1]-1-stateStrip))
	for side, chart := range c.Charts {
		chart.singleHints(to, p.Rows[side], tops[side], contrastRow, len(c.Pairs)*2)
	}
	c.linkHints(to, p, top+contrastRow)
}

// single draws a row by itself: in vectors if it has few bands.
func (c *Chart) single(to canvas, row, top int, order []int) {
	bands := c.bands(&c.Rows[row], order)
	if _, vector := to.(*svg); vector && len(bands) < manyBands/16 {
		to.rect(leftMargin, float64(top), float64(c.timeline.Pixels), contrastRow, nothing)
		for _, b := range bands {
			to.rect(leftMargin+float64(b.first), float64(top)+(1-b.high)*contrastRow, float64(b.end-b.first), (b.high-b.low)*contrastRow, b.colour)
		}
		return
	}
	img := image.NewRGBA(image.Rect(0, 0, c.timeline.Pixels, contrastRow))
	fillRow(img, 0, contrastRow, bands)
	to.image(leftMargin, top, 1, img)
}

// colour returns the colour of a pixel's calls; full says that most of them have it.
func (s *CallStates) colour(alone color.RGBA) color.RGBA {
	mixed := func(c color.RGBA, part int) color.RGBA {
		if 2*part >= s.All() {
			return c
		}
		half := func(x, y uint8) uint8 { return uint8((int(x) + int(y)) / 2) }
		return color.RGBA{half(c.R, equalState.R), half(c.G, equalState.G), half(c.B, equalState.B), 255}
	}
	switch {
	case s.Alone > 0 && s.Alone >= s.Different:
		return mixed(alone, s.Alone)
	case s.Different > 0:
		return mixed(differentState, s.Different)
	}
	return equalState
}

// states draws a strip of states. A pixel in which no call begins has that of the one before.
func (c *Contrast) states(to canvas, list []CallStates, top int, alone color.RGBA) {
	colour := nothing
	first := 0
	end := func(at int) {
		if at > first {
			to.rect(leftMargin+float64(first), float64(top), float64(at-first), stateStrip, colour)
		}
		first = at
	}
	for x := range list {
		s := &list[x]
		if s.All() == 0 {
			continue
		}
		if next := s.colour(alone); next != colour {
			end(x)
			colour = next
		}
	}
	end(len(list))
}

// bentLink is how many times as long one side takes between two links from which on they are coloured, if that is bentPixels more at least.
const (
	bentLink   = 1.4
	bentPixels = 4
)

// links draws which calls belong together: where one side takes longer, the field between two of them is coloured.
func (c *Contrast) links(to canvas, p *ContrastPair, top, bottom float64) {
	for i := 1; i < len(p.Links); i++ {
		a, b := p.Links[i-1], p.Links[i]
		da, db := b[0]-a[0], b[1]-a[1]
		colour := paper
		switch {
		case db > da*bentLink && db > da+bentPixels:
			colour = slowerLink
		case da > db*bentLink && da > db+bentPixels:
			colour = fasterLink
		}
		if colour != paper {
			to.quad(leftMargin+a[0], leftMargin+b[0], top, leftMargin+a[1], leftMargin+b[1], bottom, colour)
		}
	}
	for _, k := range p.Links {
		to.line(leftMargin+k[0], top, leftMargin+k[1], bottom, 0.8, faint)
	}
}

// linkHints say how far B is behind.
func (c *Contrast) linkHints(to canvas, p *ContrastPair, top int) {
	if _, none := to.(*bitmap); none {
		return
	}
	for i := 1; i < len(p.Links); i++ {
		a, b := p.Links[i-1], p.Links[i]
		behind := func(k [2]float64) string { return signedSeconds((k[1] - k[0]) * c.seconds()) }
		to.hint(leftMargin+a[0], float64(top), max(b[0]-a[0], 1), contrastBand, fmt.Sprintf("%s, A %s to %s, B %s to %s\nfrom here to there A takes %s, B %s\nB is behind by %s, then by %s", brief(p.Label),
			seconds(a[0]*c.seconds()), seconds(b[0]*c.seconds()), seconds(a[1]*c.seconds()), seconds(b[1]*c.seconds()),
			seconds((b[0]-a[0])*c.seconds()), seconds((b[1]-a[1])*c.seconds()), behind(a), behind(b)))
	}
}

// skew draws how far B is behind, from the least to the most of each pixel.
func (c *Contrast) skew(to canvas, l *contrastLayout) {
	scale := colourScale{kind: Linear}
	for i := range c.Skew {
		for x := range c.Skew[i].Least {
			if v := c.Skew[i].Least[x]; !math.IsNaN(v) {
				scale.least, scale.top = min(scale.least, v), max(scale.top, c.Skew[i].Most[x])
			}
		}
	}
	if scale.top == scale.least {
		scale.top += c.seconds()
	}
	bottom := float64(l.skew + skewHeight)
	y := func(v float64) float64 { return bottom - (v-scale.least)/(scale.top-scale.least)*skewHeight }
	partHead(to, l, l.skew-14, "How far B is behind A", "begins of calls that belong together: time since the begin in B less that in A, over the time of A")
	c.grid(to, l, l.skew, l.skew+skewHeight)
	for _, v := range scale.marks(4) {
		colour := faint
		if v == 0 {
			colour = grey
		}
		to.line(leftMargin, math.Round(y(v)), leftMargin+float64(c.pixels()), math.Round(y(v)), 1, colour)
		to.text(leftMargin-8, y(v)+4.5, textStyle, toEnd, ink, signedSeconds(v))
	}
	for i := range c.Skew {
		c.curve(to, &c.Skew[i], LineColour(i), y)
	}
	c.times(to, l, l.skew+skewHeight)
	c.skewNames(to, l)
	c.skewHints(to, l)
}

// curve draws one curve. Pixels without a call have the value of the last one.
func (c *Contrast) curve(to canvas, s *SkewCurve, colour color.RGBA, y func(float64) float64) {
	last, at := math.NaN(), 0
	for x := range s.Least {
		low, high := s.Least[x], s.Most[x]
		if math.IsNaN(low) {
			continue
		}
		if !math.IsNaN(last) && x > at+1 {
			to.line(leftMargin+float64(at)+0.5, y(last), leftMargin+float64(x)+0.5, y((low+high)/2), 1.4, colour)
		}
		to.rect(leftMargin+float64(x), y(high)-0.7, 1.4, y(low)-y(high)+1.4, colour)
		last, at = (low+high)/2, x
	}
}

// skewNames names the curves, at the right end of the title's line.
func (c *Contrast) skewNames(to canvas, l *contrastLayout) {
	x, y := float64(l.width-rightMargin), float64(l.skew-14)
	for i := len(c.Skew) - 1; i >= 0; i-- {
		name := l.faces.fit(smallStyle, c.Skew[i].Name, 120)
		w := l.faces.width(smallStyle, name)
		if x -= w + 32; x < float64(l.width)/2 {
			return
		}
		to.line(x, y-4, x+12, y-4, 3, LineColour(i))
		to.text(x+16, y, smallStyle, toStart, ink, name)
	}
}

func (c *Contrast) skewHints(to canvas, l *contrastLayout) {
	if _, none := to.(*bitmap); none || len(c.Skew) == 0 {
		return
	}
	const step = 6
	for x := 0; x < len(c.Skew[0].Least); x += step {
		text := seconds(float64(x)*c.seconds()) + " of A: B is behind by"
		for i := range c.Skew {
			low, high := math.Inf(1), math.Inf(-1)
			for k := x; k < min(x+step, len(c.Skew[i].Least)); k++ {
				if v := c.Skew[i].Least[k]; !math.IsNaN(v) {
					low, high = min(low, v), max(high, c.Skew[i].Most[k])
				}
			}
			if low <= high {
				text += fmt.Sprintf("\n%s to %s, %s", signedSeconds(low), signedSeconds(high), brief(c.Skew[i].Name))
			}
		}
		to.hint(leftMargin+float64(x), float64(l.skew), step, skewHeight, text)
	}
}
