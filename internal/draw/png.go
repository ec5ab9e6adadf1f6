package draw

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// bitmap is a canvas of pixels.
type bitmap struct {
	img   *image.RGBA
	faces faces
}

// PNG writes the picture as PNG, width by height pixels.
func (c *Chart) PNG(w io.Writer, width int) error {
	l := c.layout(width)
	b := &bitmap{image.NewRGBA(image.Rect(0, 0, l.width, l.height)), faces{}}
	c.draw(b, l)
	encoder := png.Encoder{CompressionLevel: png.BestSpeed} // the best one is 5 % smaller, and takes 20 times as long
	return encoder.Encode(w, b.img)
}

// fill fills a polygon; x and y are those of its corners in turn.
func (b *bitmap) fill(c color.RGBA, corners ...float64) {
	box := image.Rectangle{Min: image.Pt(math.MaxInt32, math.MaxInt32), Max: image.Pt(math.MinInt32, math.MinInt32)}
	for i := 0; i < len(corners); i += 2 {
		x, y := corners[i], corners[i+1]
		box.Min.X, box.Min.Y = min(box.Min.X, int(math.Floor(x))), min(box.Min.Y, int(math.Floor(y)))
		box.Max.X, box.Max.Y = max(box.Max.X, int(math.Ceil(x))), max(box.Max.Y, int(math.Ceil(y)))
	}
	if box = box.Intersect(b.img.Rect); box.Empty() {
		return
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(i int) (x, y float32) {
		return float32(corners[i] - float64(box.Min.X)), float32(corners[i+1] - float64(box.Min.Y))
	}
	z.MoveTo(at(0))
	for i := 2; i < len(corners); i += 2 {
		z.LineTo(at(i))
	}
	z.ClosePath()
	a := uint32(c.A)
	premultiplied := color.RGBA{uint8(uint32(c.R) * a / 255), uint8(uint32(c.G) * a / 255), uint8(uint32(c.B) * a / 255), c.A}
	z.Draw(b.img, box, image.NewUniform(premultiplied), image.Point{})
}

func (b *bitmap) rect(x, y, w, h float64, c color.RGBA) { b.fill(c, x, y, x+w, y, x+w, y+h, x, y+h) }

func (b *bitmap) line(x1, y1, x2, y2, width float64, c color.RGBA) {
	dx, dy := x2-x1, y2-y1
	n := math.Hypot(dx, dy)
	if n == 0 {
		return
	}
	dx, dy = dx/n*width/2, dy/n*width/2
	b.fill(c, x1-dy, y1+dx, x2-dy, y2+dx, x2+dy, y2-dx, x1+dy, y1-dx)
}

func (b *bitmap) text(x, y float64, s style, a anchor, c color.RGBA, text string) {
	x -= b.faces.width(s, text) * float64(a) / 2
	d := font.Drawer{Dst: b.img, Src: image.NewUniform(c), Face: b.faces.face(s), Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(text)
}

// hint implements canvas: pixels have no texts to show.
func (b *bitmap) hint(x, y, w, h float64, text string) {}

func (b *bitmap) image(x, y int, img *image.RGBA) {
	draw.Draw(b.img, img.Rect.Sub(img.Rect.Min).Add(image.Pt(x, y)), img, img.Rect.Min, draw.Over)
}
