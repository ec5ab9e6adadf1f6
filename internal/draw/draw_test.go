package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// open converts a bundled trace.
func open(t *testing.T, name string) *store.Reader {
	t.Helper()
	return stored.Trace(t, tracetest.Anchor(t, name))
}

// chart reads the part of a trace between two shares of its time.
func chart(t *testing.T, r *store.Reader, from, to float64, width int) *Chart {
	t.Helper()
	first, span := r.Info().First, float64(r.Info().Last-r.Info().First+1)
	w := r.Window(first+int64(from*span), first+int64(to*span))
	c, err := New(r, w, Pixels(width), nil)
	if err == nil {
		err = c.AddMessages(w)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Title = `<a> & "b"`
	return c
}

// Pictures depend on nothing but the trace, PNG files have the size asked for, and SVG files are XML.
func TestPictures(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.8.snapmark", "otf2.ez.hello.4.io", "otf2.synthetic.allrecords"} {
		r := open(t, name)
		for _, part := range [][2]float64{{0, 1}, {0.5, 0.501}, {0.3, 0.4}} {
			var first, again, drawn bytes.Buffer
			for _, to := range []*bytes.Buffer{&first, &again} {
				if err := chart(t, r, part[0], part[1], 700).SVG(to, 700); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(first.Bytes(), again.Bytes()) {
				t.Errorf("%s: two pictures of one thing differ", name)
			}
			checkXML(t, first.Bytes())
			if err := chart(t, r, part[0], part[1], 700).PNG(&drawn, 700); err != nil {
				t.Fatal(err)
			}
			if img, err := png.Decode(&drawn); err != nil || img.Bounds().Dx() != 700 {
				t.Errorf("%s: %v, %v", name, err, img.Bounds())
			}
		}
	}
}

func checkXML(t *testing.T, b []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	texts := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 5 || !bytes.Contains(b, []byte("&lt;a&gt; &amp; &#34;b&#34;")) {
		t.Errorf("%d texts in %s", texts, b)
	}
}

// A column of a picture shows the shares of its pixel, from the bottom up.
func TestColumns(t *testing.T) {
	r := open(t, "otf2.mg.S.8.snapmark")
	c := chart(t, r, 0, 1, 700)
	var b bytes.Buffer
	if err := c.PNG(&b, 700); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	l, checked := c.layout(700), 0
	for i := range c.Rows {
		for _, cell := range c.Rows[i].cells {
			from, to := c.timeline.Pixel(int(cell.Pixel))
			if cell.Ticks != uint64(to-from) {
				continue
			}
			want := c.Regions[cell.Region].Colour
			for _, y := range []int{l.top + i*l.row, l.top + i*l.row + l.row - 3} {
				if got := color.RGBAModel.Convert(img.At(leftMargin+int(cell.Pixel), y)); got != want {
					t.Fatalf("row %d, pixel %d: %v, want %v", i, cell.Pixel, got, want)
				}
			}
			checked++
		}
	}
	if checked < 500 {
		t.Errorf("only %d columns of one region", checked)
	}
}

// Axes are divided into steps of 1, 2 or 5, within the window, and in a unit that keeps labels short.
func TestAxis(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		unit     string
		texts    string
	}{
		{0, 20.66, "s", "0 5 10 15 20"},
		{0.465, 0.495, "ms", "470 480 490"},
		{8.2640001, 8.2640019, "µs", "8,264,000.5 8,264,001.0 8,264,001.5"},
		{0, 3e-8, "ns", "0 10 20 30"},
		{-1e-3, 1e-3, "ms", "-1.0 -0.5 0.0 0.5 1.0"},
		{1, 1, "s", ""},
	} {
		a := newAxis(c.from, c.to, 5)
		var texts []string
		for _, m := range a.marks {
			if m.at < c.from-1e-12 || m.at > c.to+1e-12 {
				t.Errorf("%v: a mark at %g", c, m.at)
			}
			if m.text != "" {
				texts = append(texts, m.text)
			}
		}
		if got := strings.Join(texts, " "); got != c.texts || a.unit != c.unit {
			t.Errorf("%g to %g: %s [%s], want %s [%s]", c.from, c.to, got, a.unit, c.texts, c.unit)
		}
	}
}

func TestPlainName(t *testing.T) {
	for symbol, want := range map[string]string{
		"main": "main", "_ZL20CalcPressureForElemsPdS_S_": "CalcPressureForElems", "_Z3foov": "foo", "_ZN3foo3barEi": "foo::bar",
		"_ZNK3foo3barEv": "foo::bar", "_Z9": "_Z9", "_Zoops": "_Zoops", "_ZN3fooIiE3barEv": "_ZN3fooIiE3barEv", "_Z99999999999999999999x": "_Z99999999999999999999x",
	} {
		if got := plainName(symbol); got != want {
			t.Errorf("%s becomes %s, want %s", symbol, got, want)
		}
	}
}
