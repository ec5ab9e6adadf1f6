package draw

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Heat maps below each other are the pixels of each by itself, and paper where one is not as wide as others.
func TestHeatmaps(t *testing.T) {
	decoded := func(t *rapid.T, draw func(w io.Writer, width int) error) image.Image {
		var b bytes.Buffer
		if err := draw(&b, 480); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	rapid.Check(t, func(t *rapid.T) {
		var all Heatmaps
		for range rapid.IntRange(1, 3).Draw(t, "maps") {
			all = append(all, drawHeat(t))
		}
		whole, top := decoded(t, all.PNG), 0
		for _, h := range all {
			part := decoded(t, h.PNG)
			size := part.Bounds().Size()
			for y := range size.Y {
				for x := range size.X {
					if got, want := color.RGBAModel.Convert(whole.At(x, top+y)), color.RGBAModel.Convert(part.At(x, y)); got != want {
						t.Fatalf("pixel %d, %d of the part from %d on is %v, want %v", x, y, top, got, want)
					}
				}
			}
			top += size.Y
		}
		if top != whole.Bounds().Dy() {
			t.Errorf("parts of %d pixels in a picture of %d", top, whole.Bounds().Dy())
		}
		var svg, text bytes.Buffer
		if err := all.SVG(&svg, 480); err != nil {
			t.Fatal(err)
		}
		if err := all.Terminal(&text, NewTerminal(80, 24, NoColours)); err != nil {
			t.Fatal(err)
		}
		for _, h := range all {
			if !strings.Contains(text.String(), fit(h.Title, 80)) {
				t.Errorf("the text lacks %q", h.Title)
			}
		}
		if !strings.HasSuffix(strings.TrimSpace(svg.String()), "</svg>") {
			t.Error("the SVG has no end")
		}
	})
	if err := (Heatmaps{}).PNG(new(bytes.Buffer), 480); err == nil {
		t.Error("a picture of nothing")
	}
}
