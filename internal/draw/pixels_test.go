package draw

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Each pixel of a column has the colour with the largest share of the pixel's height.
func TestFillRow(t *testing.T) {
	palette := []color.RGBA{{10, 0, 0, 255}, {20, 0, 0, 255}, {30, 0, 0, 255}, {40, 0, 0, 255}}
	rapid.Check(t, func(t *rapid.T) {
		height, low := rapid.IntRange(1, 26).Draw(t, "height"), 0.0
		var pile []band
		for _, c := range palette[:rapid.IntRange(0, len(palette)).Draw(t, "bands")] {
			high := min(low+rapid.Float64Range(0.001, 0.6).Draw(t, "share"), 1)
			if high > low {
				pile = append(pile, band{1, 3, low, high, c})
			}
			low = high
		}
		img := image.NewRGBA(image.Rect(0, 0, 4, height))
		fillRow(img, 0, height, pile)
		for y := range height {
			got := img.RGBAAt(2, y)
			covers := map[color.RGBA]float64{} // measured in a thousand places
			for i := range 1000 {
				at, c := 1-(float64(y)+(float64(i)+0.5)/1000)/float64(height), nothing
				for _, b := range pile {
					if at >= b.low && at < b.high {
						c = b.colour
					}
				}
				covers[c]++
			}
			for c, n := range covers {
				if n > covers[got]+2 {
					t.Fatalf("line %d of %d is %v with %g, but %v has %g; %v", y, height, got, covers[got], c, n, pile)
				}
			}
			if img.RGBAAt(0, y) != nothing || img.RGBAAt(3, y) != nothing {
				t.Fatal("neighbouring columns are coloured")
			}
		}
	})
}

// Rectangles cover as much of pixels as their area says.
func TestRectangles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBitmap(12, 12)
		x, y := rapid.Float64Range(0, 9).Draw(t, "x"), rapid.Float64Range(0, 9).Draw(t, "y")
		w, h := rapid.Float64Range(0, 3).Draw(t, "w"), rapid.Float64Range(0, 3).Draw(t, "h")
		b.rect(0, 0, 12, 12, color.RGBA{0, 0, 0, 255})
		b.rect(x, y, w, h, color.RGBA{255, 255, 255, 255})
		area := 0.0
		for i := 0; i < len(b.img.Pix); i += 4 {
			area += float64(b.img.Pix[i]) / 255
		}
		if math.Abs(area-w*h) > 0.08*(w+h)+0.15 { // edges are rounded to fifteenths
			t.Fatalf("%g pixels are covered, want %g", area, w*h)
		}
	})
}

// A picture is the same in a palette, and has its colours where they are too many for one.
func TestPicturesOfManyColours(t *testing.T) {
	for _, colours := range []int{1, 2, 255, 256, 257, 5000} {
		img := image.NewRGBA(image.Rect(0, 0, 100, 60))
		for i := range 6000 {
			c := i * 7919 % colours
			img.SetRGBA(i%100, i/100, color.RGBA{uint8(c), uint8(c >> 8), 7, 255})
		}
		var b bytes.Buffer
		if err := encodePNG(&b, img); err != nil {
			t.Fatal(err)
		}
		back, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := back.(*image.Paletted); ok != (colours <= 256) {
			t.Errorf("%d colours become a %T", colours, back)
		}
		for i := range 6000 {
			if got, want := color.RGBAModel.Convert(back.At(i%100, i/100)), img.RGBAAt(i%100, i/100); got != want {
				t.Fatalf("%d colours: pixel %d is %v, want %v", colours, i, got, want)
			}
		}
	}
}
