package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// The rows of many locations share out the time that the timelines of the locations have.
func TestJoinedRows(t *testing.T) {
	const ranks = 2 * allRows * 3 / 2
	r := stored.Source(t, tracegen.Ring(ranks, 2, 1), store.Options{})
	c, err := NewPicture(r, r.All(), MinWidth, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rows) > allRows || len(c.Rows) < allRows/2 || !strings.Contains(c.Subtitle, fmt.Sprintf("%d in each line", c.Rows[0].Locations)) {
		t.Fatalf("%d rows: %s", len(c.Rows), c.Subtitle)
	}
	single, err := New(r, r.All(), Pixels(MinWidth), nil)
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		row, pixel int
		region     uint64
	}
	left, next := map[key]int64{}, 0
	for i := range c.Rows {
		for _, cell := range c.Rows[i].Cells() {
			left[key{i, int(cell.Pixel), c.Regions[cell.Region].ID}] += int64(cell.Ticks)
		}
		for range c.Rows[i].Locations {
			for _, cell := range single.Rows[next].Cells() {
				left[key{i, int(cell.Pixel), single.Regions[cell.Region].ID}] -= int64(cell.Ticks)
			}
			next++
		}
	}
	for k, ticks := range left {
		if ticks != 0 {
			t.Fatalf("%+v is off by %d ticks", k, ticks)
		}
	}
	if next != ranks || math.Abs(c.idle-single.idle) > 1e-9 {
		t.Errorf("%d locations, %g idle, want %d and %g", next, c.idle, ranks, single.idle)
	}
	drawBoth(t, c)
}

// drawBoth draws a picture as PNG and SVG, checks the form of both, and returns the texts of the SVG.
func drawBoth(t *testing.T, c interface {
	PNG(w io.Writer, width int) error
	SVG(w io.Writer, width int) error
},
) (texts []string) {
	t.Helper()
	var bits, vector bytes.Buffer
	if err := errors.Join(c.PNG(&bits, 700), c.SVG(&vector, 700)); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&bits)
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Width  int `xml:"width,attr"`
		Height int `xml:"height,attr"`
	}
	if err := xml.Unmarshal(vector.Bytes(), &root); err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != root.Width || size.Y != root.Height {
		t.Errorf("the PNG has %v pixels, the SVG %d by %d", size, root.Width, root.Height)
	}
	return textsOf(t, vector.Bytes())
}

// textsOf returns the texts and hints of an SVG.
func textsOf(t *testing.T, b []byte) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	inside := false
	for {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			if inside = token.Name.Local == "text" || token.Name.Local == "title"; inside {
				texts = append(texts, "")
			}
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				texts[len(texts)-1] += string(token)
			}
		}
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// hostile are names that break out of markup, out of fonts, or out of all bounds.
var hostile = []string{
	`</text><script>alert(1)</script>`, `"onload="x`, "]]>", "&amp;<!--", "a\x00b\xff\x1b[2J", "two\nlines", "\u202etfel", strings.Repeat("w", 1<<20), "日本語", "",
}

// Pictures of hostile names are sound, and have no markup but their own.
func TestHostileNames(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	for _, name := range hostile {
		c := chart(t, r, 0.97, 0.99, 700)
		c.Title, c.Subtitle = name, name
		for i := range c.Rows {
			c.Rows[i].Name, c.Rows[i].Process = name, name
		}
		for i := range c.Regions {
			c.Regions[i].Name = name
		}
		drawBoth(t, c)
		var b bytes.Buffer
		if err := c.SVG(&b, 700); err != nil || bytes.Contains(b.Bytes(), []byte("<script")) || bytes.Contains(b.Bytes(), []byte(`"onload`)) {
			t.Errorf("%.40q: %v, or markup in a picture", name, err)
		}
	}
}
