package draw

import (
	"fmt"
	"image"
	"image/color"
	"io"
)

// Heatmaps are pictures of tables below each other, each with a title and a scale of its own.
type Heatmaps []*Heatmap

// PNG writes the pictures as one PNG of a width.
func (h Heatmaps) PNG(w io.Writer, width int) error {
	layouts, width, height, err := h.layouts(width)
	if err != nil {
		return err
	}
	return writePNG(w, width, height, func(to canvas) { h.draw(to, layouts) })
}

// SVG writes the pictures as one SVG of a width.
func (h Heatmaps) SVG(w io.Writer, width int) error {
	layouts, width, height, err := h.layouts(width)
	if err != nil {
		return err
	}
	return writeSVG(w, width, height, h[0].Title, func(to canvas) { h.draw(to, layouts) })
}

// Terminal draws one after the other with characters.
func (h Heatmaps) Terminal(to io.Writer, t *Terminal) error {
	for i, m := range h {
		if i > 0 {
			fmt.Fprintln(to)
		}
		if err := m.Terminal(to, t); err != nil {
			return err
		}
	}
	return nil
}

// layouts returns how the pictures are laid out, all of the width of the widest, and how high they are together.
func (h Heatmaps) layouts(width int) (list []*heatLayout, widest, height int, err error) {
	if len(h) == 0 {
		return nil, 0, 0, fmt.Errorf("draw: there are no heat maps")
	}
	for _, m := range h {
		if err := m.check(); err != nil {
			return nil, 0, 0, err
		}
		l := m.layout(width)
		list, widest, height = append(list, l), max(widest, l.width), height+l.height
	}
	for _, l := range list {
		l.width = widest
	}
	return list, widest, height, nil
}

func (h Heatmaps) draw(to canvas, layouts []*heatLayout) {
	top := 0
	for i, m := range h {
		m.draw(&lowered{to, float64(top)}, layouts[i])
		top += layouts[i].height
	}
}

// lowered is a canvas that begins some pixels down on another one.
type lowered struct {
	to  canvas
	top float64
}

func (l *lowered) rect(x, y, w, h float64, c color.RGBA) { l.to.rect(x, y+l.top, w, h, c) }

func (l *lowered) line(x1, y1, x2, y2, width float64, c color.RGBA) {
	l.to.line(x1, y1+l.top, x2, y2+l.top, width, c)
}

func (l *lowered) quad(x1, x2, y1, x3, x4, y2 float64, c color.RGBA) {
	l.to.quad(x1, x2, y1+l.top, x3, x4, y2+l.top, c)
}

func (l *lowered) text(x, y float64, s style, a anchor, c color.RGBA, text string) {
	l.to.text(x, y+l.top, s, a, c, text)
}

func (l *lowered) hint(x, y, w, h float64, text string) { l.to.hint(x, y+l.top, w, h, text) }

func (l *lowered) hintLine(x1, y1, x2, y2 float64, text string) {
	l.to.hintLine(x1, y1+l.top, x2, y2+l.top, text)
}

func (l *lowered) image(x, y, scale int, img *image.RGBA) { l.to.image(x, y+int(l.top), scale, img) }
