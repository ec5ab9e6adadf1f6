package draw

import (
	"fmt"
	"image/color"
	"io"
)

// Sheet is what pictures of other packages are drawn on, with the fonts and the look of those of this one. Coordinates are in pixels, y goes down.
type Sheet struct {
	to     canvas
	faces  faces
	width  int
	height int
}

// The colours of text, and of the sheet.
var (
	Ink, Grey, Paper = ink, grey, paper
)

// SheetPNG draws a picture as PNG.
func SheetPNG(w io.Writer, width, height int, draw func(*Sheet)) error {
	return writePNG(w, width, height, func(to canvas) { draw(&Sheet{to, faces{}, width, height}) })
}

// SheetSVG draws a picture as SVG. Its title is read out where pictures are not seen.
func SheetSVG(w io.Writer, width, height int, title string, draw func(*Sheet)) error {
	return writeSVG(w, width, height, title, func(to canvas) { draw(&Sheet{to, faces{}, width, height}) })
}

// SheetMargin is the room at the left and the right of a sheet, SheetTop that above what is below its title.
const (
	SheetMargin = 16
	SheetTop    = topMargin
)

// Header draws the paper with a title and what is below it. It comes first.
func (s *Sheet) Header(title, subtitle string) {
	drawHeader(s.to, s.faces, s.width, title, subtitle, s.height)
}

// Rect fills a rectangle.
func (s *Sheet) Rect(x, y, w, h float64, c color.RGBA) { s.to.rect(x, y, w, h, c) }

// Text writes as much of a text as fits into a width; its base line begins at a point.
func (s *Sheet) Text(x, y, width float64, c color.RGBA, text string) {
	s.to.text(x, y, textStyle, toStart, c, s.faces.fit(textStyle, text, width))
}

// TextWidth returns the width of a text.
func (s *Sheet) TextWidth(text string) float64 { return s.faces.width(textStyle, head(text, 200)) }

// Hint is shown when the pointer is above a rectangle, where the kind of picture can do that.
func (s *Sheet) Hint(x, y, w, h float64, text string) { s.to.hint(x, y, w, h, text) }

// CSS returns a colour as CSS has it.
func CSS(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
