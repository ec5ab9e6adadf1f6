package draw

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strconv"
)

// svg is a canvas that writes SVG 1.1.
type svg struct {
	b   bytes.Buffer
	err error
}

// writeSVG draws a picture as SVG. Its title is read out where pictures are not seen.
func writeSVG(w io.Writer, width, height int, title string, draw func(canvas)) error {
	s := &svg{}
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%d" height="%d" viewBox="0 0 %d %d" font-family="Go, 'Helvetica Neue', Arial, sans-serif" role="img" aria-label="`, width, height, width, height)
	s.escape(brief(title))
	s.b.WriteString("\">\n")
	draw(s)
	s.b.WriteString("</svg>\n")
	if s.err != nil {
		return s.err
	}
	_, err := w.Write(s.b.Bytes())
	return err
}

// escape writes a text.
func (s *svg) escape(text string) {
	if err := xml.EscapeText(&s.b, []byte(text)); err != nil {
		s.err = err
	}
}

// number writes a coordinate in hundredths.
func number(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64)
}

// opacity writes what a colour lets through.
func opacity(what string, c color.RGBA) string {
	if c.A == 255 {
		return ""
	}
	return fmt.Sprintf(` %s-opacity="%s"`, what, number(float64(c.A)/255))
}

func (s *svg) rect(x, y, w, h float64, c color.RGBA) {
	fmt.Fprintf(&s.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"%s/>`+"\n", number(x), number(y), number(w), number(h), CSS(c), opacity("fill", c))
}

func (s *svg) line(x1, y1, x2, y2, width float64, c color.RGBA) {
	fmt.Fprintf(&s.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"%s/>`+"\n",
		number(x1), number(y1), number(x2), number(y2), CSS(c), number(width), opacity("stroke", c))
}

func (s *svg) quad(x1, x2, y1, x3, x4, y2 float64, c color.RGBA) {
	fmt.Fprintf(&s.b, `<polygon points="%s,%s %s,%s %s,%s %s,%s" fill="%s"/>`+"\n", number(x1), number(y1), number(x2), number(y1), number(x4), number(y2), number(x3), number(y2), CSS(c))
}

func (s *svg) text(x, y float64, st style, a anchor, c color.RGBA, text string) {
	weight := ""
	if st.bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(&s.b, `<text x="%s" y="%s" font-size="%s"%s text-anchor="%s" fill="%s">`, number(x), number(y), number(st.size), weight,
		[]string{"start", "middle", "end"}[a], CSS(c))
	s.escape(text)
	s.b.WriteString("</text>\n")
}

// hint implements canvas by a rectangle that cannot be seen.
func (s *svg) hint(x, y, w, h float64, text string) {
	fmt.Fprintf(&s.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="none" pointer-events="all"><title>`, number(x), number(y), number(w), number(h))
	s.escape(text)
	s.b.WriteString("</title></rect>\n")
}

// hintLine implements canvas by a wide line that cannot be seen.
func (s *svg) hintLine(x1, y1, x2, y2 float64, text string) {
	fmt.Fprintf(&s.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="none" stroke-width="5" pointer-events="stroke"><title>`, number(x1), number(y1), number(x2), number(y2))
	s.escape(text)
	s.b.WriteString("</title></line>\n")
}

func (s *svg) image(x, y, scale int, img *image.RGBA) {
	var p bytes.Buffer
	if err := encodePNG(&p, img); err != nil {
		s.err = err
		return
	}
	fmt.Fprintf(&s.b, `<image x="%d" y="%d" width="%d" height="%d" preserveAspectRatio="none" style="image-rendering:pixelated" xlink:href="data:image/png;base64,%s"/>`+"\n",
		x, y, img.Rect.Dx()*scale, img.Rect.Dy()*scale, base64.StdEncoding.EncodeToString(p.Bytes()))
}
