// Package icicle draws a tree of calls as an icicle: a box for each node, as wide as its value, below that of its caller. The colour of a box says
// what its region is for, and its shade how many locations have the node. An [Icicle] has all that there is to show.
package icicle

import (
	"image/color"
	"io"
	"math"
	"slices"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/trace"
)

// Icicle is what a picture shows.
type Icicle struct {
	Title, Subtitle string
	// Boxes are in the order of a walk through the tree: each stands behind its parent, those of one parent from left to right.
	Boxes []Box
}

// Box is a node.
type Box struct {
	Parent int // -1 for the outermost ones
	Name   string
	// Value is not less than that of the boxes below together.
	Value    float64
	Activity trace.Activity
	// Share is the part of all locations that have the node, from 0 to 1.
	Share float64
	// Marked boxes have a mark.
	Marked bool
	Hint   string
}

// Sizes in pixels.
const (
	rowHeight   = 24
	mostRows    = 80
	leastWidth  = 0.4 // of a box that is drawn
	mostHints   = 20_000
	legendRow   = 22
	legendEntry = 130
	markSize    = 7
)

// placed is a box with its place.
type placed struct {
	x, width float64
	row      int
}

// PNG writes the picture as PNG of a width.
func (c *Icicle) PNG(w io.Writer, width int) error {
	boxes, rows := c.layOut(width)
	return draw.SheetPNG(w, width, c.height(rows), func(s *draw.Sheet) { c.draw(s, boxes, rows, width) })
}

// SVG writes the picture as SVG of a width.
func (c *Icicle) SVG(w io.Writer, width int) error {
	boxes, rows := c.layOut(width)
	return draw.SheetSVG(w, width, c.height(rows), c.Title, func(s *draw.Sheet) { c.draw(s, boxes, rows, width) })
}

func (c *Icicle) height(rows int) int {
	return draw.SheetTop + max(rows, 1)*rowHeight + 2*legendRow + 20
}

// layOut places the boxes, and returns the number of rows.
func (c *Icicle) layOut(width int) (boxes []placed, rows int) {
	boxes = make([]placed, len(c.Boxes))
	next := make([]float64, len(c.Boxes)) // where the next box below begins
	total := 0.0
	for i := range c.Boxes {
		if c.Boxes[i].Parent < 0 {
			total += c.Boxes[i].Value
		}
	}
	scale := float64(width-2*draw.SheetMargin) / max(total, math.SmallestNonzeroFloat64)
	top := float64(draw.SheetMargin)
	for i := range c.Boxes {
		b, p := &c.Boxes[i], &boxes[i]
		from := &top
		if b.Parent >= 0 {
			from, p.row = &next[b.Parent], boxes[b.Parent].row+1
		}
		p.x, p.width = *from, b.Value*scale
		*from += p.width
		if next[i] = p.x; p.width >= leastWidth && p.row < mostRows {
			rows = max(rows, p.row+1)
		}
	}
	return boxes, rows
}

func (c *Icicle) draw(s *draw.Sheet, boxes []placed, rows, width int) {
	s.Header(c.Title, c.Subtitle)
	hints := 0
	for i := range boxes {
		p, b := &boxes[i], &c.Boxes[i]
		if p.width < leastWidth || p.row >= mostRows {
			continue
		}
		y := float64(draw.SheetTop + p.row*rowHeight)
		fill := shaded(draw.ActivityColour(b.Activity), b.Share)
		gap := min(1, p.width/4)
		s.Rect(p.x, y, p.width-gap, rowHeight-1, fill)
		room := p.width - 8
		if b.Marked {
			room -= markSize
		}
		if room >= 14 {
			s.Text(p.x+4, y+16, room, onColour(fill), b.Name)
		}
		if hints++; hints <= mostHints && b.Hint != "" {
			s.Hint(p.x, y, p.width, rowHeight, b.Hint)
		}
	}
	c.marks(s, boxes)
	c.legend(s, draw.SheetTop+max(rows, 1)*rowHeight+16, width)
}

// marks draws the marks, at the right ends of boxes, or over narrow ones.
func (c *Icicle) marks(s *draw.Sheet, boxes []placed) {
	for i := range boxes {
		p := &boxes[i]
		if !c.Boxes[i].Marked || p.width < leastWidth || p.row >= mostRows {
			continue
		}
		x, y := p.x+max(p.width-markSize-3, (p.width-markSize)/2), float64(draw.SheetTop+p.row*rowHeight)+2
		s.Rect(x-1, y-1, markSize+2, markSize+2, draw.Paper)
		s.Rect(x, y, markSize, markSize, draw.Ink)
	}
}

// legend says what colours, shades and marks stand for.
func (c *Icicle) legend(s *draw.Sheet, top, width int) {
	x, y := float64(draw.SheetMargin), float64(top)
	entry := func(fill color.RGBA, text string) {
		if x > draw.SheetMargin && x+22+s.TextWidth(text) > float64(width-draw.SheetMargin) {
			return // there are few, and pictures are wide
		}
		s.Rect(x, y, 14, 14, draw.Grey)
		s.Rect(x+1, y+1, 12, 12, fill)
		s.Text(x+20, y+11, float64(width), draw.Ink, text)
		x += max(legendEntry, 40+s.TextWidth(text))
	}
	for _, a := range trace.Activities() {
		if slices.ContainsFunc(c.Boxes, func(b Box) bool { return b.Activity == a }) {
			entry(draw.ActivityColour(a), a.String())
		}
	}
	x, y = draw.SheetMargin, y+legendRow
	some := slices.ContainsFunc(c.Boxes, func(b Box) bool { return b.Share < 1 })
	base := draw.ActivityColour(trace.ActivityComputation)
	for _, step := range []struct {
		share float64
		text  string
	}{{1, "all locations have it"}, {0.5, "half of them"}, {0, "few of them"}} {
		if some {
			entry(shaded(base, step.share), step.text)
		}
	}
	if slices.ContainsFunc(c.Boxes, func(b Box) bool { return b.Marked }) {
		s.Rect(x+3, y+4, markSize, markSize, draw.Ink)
		s.Text(x+20, y+11, float64(width), draw.Ink, "a location is far from the others")
	}
}

// palest is how much of its colour a box has that hardly any location has.
const palest = 0.2

// shaded mixes a colour with that of the paper: the fewer locations, the more.
func shaded(c color.RGBA, share float64) color.RGBA {
	part := palest + (1-palest)*min(max(share, 0), 1)
	mix := func(v uint8) uint8 { return uint8(math.Round(float64(v)*part + 255*(1-part))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// onColour returns the colour of text on a colour: the one that is told apart better.
func onColour(c color.RGBA) color.RGBA {
	if contrast(c, draw.Ink) >= contrast(c, draw.Paper) {
		return draw.Ink
	}
	return draw.Paper
}

// contrast returns the contrast of two colours, from 1 to 21.
//
// Source: Web Content Accessibility Guidelines 2.1, relative luminance and contrast ratio.
func contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		part := func(v uint8) float64 {
			if s := float64(v) / 255; s <= 0.03928 {
				return s / 12.92
			} else {
				return math.Pow((s+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
	}
	high, low := max(light(a), light(b)), min(light(a), light(b))
	return (high + 0.05) / (low + 0.05)
}
