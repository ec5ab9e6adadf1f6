package draw

import (
	"image"
	"image/color"
)

// canvas is what pictures are drawn on. Coordinates are in pixels, y goes down.
type canvas interface {
	// rect fills a rectangle.
	rect(x, y, w, h float64, c color.RGBA)
	// line draws a line; lines may be drawn on others.
	line(x1, y1, x2, y2, width float64, c color.RGBA)
	// quad fills the field between two lines: from x1 to x2 at y1, and from x3 to x4 at y2.
	quad(x1, x2, y1, x3, x4, y2 float64, c color.RGBA)
	// text writes a text whose base line begins, has its middle, or ends at a point.
	text(x, y float64, s style, a anchor, c color.RGBA, text string)
	// hint is shown when the pointer is above a rectangle, where the kind of picture can do that.
	hint(x, y, w, h float64, text string)
	// hintLine is shown when the pointer is near a line.
	hintLine(x1, y1, x2, y2 float64, text string)
	// image draws pixels one by one, each as a square of scale by scale pixels.
	image(x, y, scale int, img *image.RGBA)
}

type anchor int

const (
	toStart anchor = iota
	toMiddle
	toEnd
)
