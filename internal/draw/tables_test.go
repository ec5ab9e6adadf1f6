package draw

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawHeat makes a heat map of some size.
func drawHeat(t *rapid.T) *Heatmap {
	rows, columns := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 60).Draw(t, "columns")
	h := &Heatmap{Title: "t", RowsAre: "sender", ColumnsAre: "receiver", ValuesAre: "messages", Square: rapid.Bool().Draw(t, "square")}
	h.Scale = rapid.SampledFrom([]Scale{Linear, Log, Diverging}).Draw(t, "scale")
	for i := range rows {
		h.Rows = append(h.Rows, fmt.Sprintf("rank %d", i))
	}
	for i := range columns {
		h.Columns = append(h.Columns, fmt.Sprintf("rank %d", i))
	}
	if rapid.Bool().Draw(t, "times") {
		for i := range columns + 1 {
			h.Times = append(h.Times, float64(i)/8)
		}
	}
	value := rapid.OneOf(rapid.Float64Range(-10, 1e6), rapid.Just(math.NaN()), rapid.Just(0.0), rapid.Just(math.MaxFloat64))
	for range rows * columns {
		h.Values = append(h.Values, value.Draw(t, "value"))
	}
	return h
}

// The middle of each cell of a PNG has the colour of its value; the SVG has a hint with each value.
func TestHeatmap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHeat(rt)
		var b, v bytes.Buffer
		if err := h.PNG(&b, 480); err != nil {
			rt.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			rt.Fatal(err)
		}
		l, hints := h.layout(480), 0
		for i, value := range h.Values {
			row, column := i/len(h.Columns), i%len(h.Columns)
			x, y := float64(l.left)+l.cellW*(float64(column)+0.4), float64(l.top)+l.cellH*(float64(row)+0.4)
			if got, want := color.RGBAModel.Convert(img.At(int(x), int(y))), l.scale.colour(value); got != want {
				rt.Fatalf("cell %d, %d of %g is %v, want %v", row, column, value, got, want)
			}
			if !math.IsNaN(value) {
				hints++
			}
		}
		if err := h.SVG(&v, 480); err != nil {
			rt.Fatal(err)
		}
		if got := strings.Count(v.String(), "<title>"); got != hints {
			rt.Fatalf("%d hints for %d cells with a value", got, hints)
		}
	})
}

// Greater values are darker, on a scale of ratios by ratios; values without a place on the scale have no colour.
func TestScales(t *testing.T) {
	values := []float64{1, 10, 100, 1000, 10_000, 0, math.NaN()}
	for _, kind := range []Scale{Linear, Log} {
		s := newScale(kind, values)
		for i := range 4 {
			if a, b := luminance(s.colour(values[i])), luminance(s.colour(values[i+1])); a < b {
				t.Errorf("scale %d: %g is darker than %g", kind, values[i], values[i+1])
			}
		}
		if s.colour(math.NaN()) != nothing || kind == Log && s.colour(0) != nothing || s.colour(10_000) == nothing {
			t.Errorf("scale %d: what has no value has a colour", kind)
		}
	}
	s := newScale(Log, values)
	for i, v := range values[:5] {
		if share, _ := s.at(v); math.Abs(share-float64(i)/4) > 1e-12 {
			t.Errorf("%g is at %g", v, share)
		}
	}
	for i := range steps - 1 {
		if a, b := s.ramp(float64(i)/(steps-1)), s.ramp(float64(i+1)/(steps-1)); luminance(a) <= luminance(b) {
			t.Errorf("step %d is not lighter than the next one: %v, %v", i, a, b)
		}
	}
	d := newScale(Diverging, []float64{-3, 1})
	if far, who := apart(d.colour(-3), d.ramp(1)); far < 0.15 {
		t.Errorf("the ends of a diverging scale are %.3f apart with %s", far, who)
	}
	if a, _ := d.at(0); a != 0.5 {
		t.Errorf("0 is at %g", a)
	}
}

// Marks of a scale lie on it, rise, and are a few.
func TestMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64(), 1, 5).Draw(t, "values")
		s := newScale(rapid.SampledFrom([]Scale{Linear, Log, Diverging}).Draw(t, "scale"), values)
		marks := s.marks(4)
		if len(marks) > 24 || len(marks) == 0 != s.empty {
			t.Fatalf("%d marks for %v", len(marks), values)
		}
		for i, m := range marks {
			if slack := 1e-6 * max(math.Abs(s.top), math.Abs(s.least)); m < s.least-slack || m > s.top+slack || i > 0 && m <= marks[i-1] {
				t.Fatalf("marks %v from %g to %g", marks, s.least, s.top)
			}
		}
	})
}

func TestShortNames(t *testing.T) {
	for _, c := range []struct{ names, are, want, title string }{
		{"rank 0,rank 1,rank 2", "sender", "0,1,2", "sender (rank)"}, {"ranks 0-7,ranks 8-15,rank 16", "sender", "0-7,8-15,16", "sender (rank)"},
		{"main,foo", "", "main,foo", ""}, {"rank 0,gpu 1", "x", "rank 0,gpu 1", "x"}, {"rank 0", "x", "rank 0", "x"},
	} {
		if list, title := shortNames(strings.Split(c.names, ","), c.are); strings.Join(list, ",") != c.want || title != c.title {
			t.Errorf("%s: %v of %s", c.names, list, title)
		}
	}
}

// Areas on top of each other are as high as their values.
func TestSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "intervals")
		s := &Series{Title: "t", Stacked: true, Percent: true, ValuesAre: "share"}
		for i := range n + 1 {
			s.Times = append(s.Times, float64(i))
		}
		for j := range 3 {
			c := Curve{Name: fmt.Sprint("curve ", j), Colour: color.RGBA{uint8(60 * j), 30, 99, 255}}
			for range n {
				c.Values = append(c.Values, rapid.Float64Range(0, 0.33).Draw(t, "share"))
			}
			s.Curves = append(s.Curves, c)
		}
		var b, v bytes.Buffer
		if err := s.PNG(&b, 480); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		l := s.layout(480)
		for i := range n {
			x, count := int(s.x(s.Times[i]+0.5, l)), map[color.Color]float64{}
			for y := l.top; y < l.bottom; y++ {
				count[color.RGBAModel.Convert(img.At(x, y))]++
			}
			for j := range s.Curves {
				if want := s.Curves[j].Values[i] / l.most * plotHeight; math.Abs(count[s.Curves[j].Colour]-want) > 2 {
					t.Fatalf("curve %d of interval %d is %g pixels high, want %g", j, i, count[s.Curves[j].Colour], want)
				}
			}
		}
		if err := s.SVG(&v, 480); err != nil || strings.Count(v.String(), "<title>") != n {
			t.Fatalf("%v, or not %d hints", err, n)
		}
	})
}

// Maps and series of hostile names, sizes and values are sound, or are refused.
func TestHostileTables(t *testing.T) {
	for _, name := range hostile {
		h := &Heatmap{Title: name, Subtitle: name, Rows: []string{name, name}, Columns: []string{name}, RowsAre: name, ColumnsAre: name, ValuesAre: name, Values: []float64{1, math.Inf(1)}}
		drawBoth(t, h)
		s := &Series{Title: name, Subtitle: name, Times: []float64{0, 1}, Curves: []Curve{{name, ink, []float64{math.Inf(1)}}, {name, ink, []float64{-2}}}, ValuesAre: name}
		drawBoth(t, s)
		s.Stacked = true
		drawBoth(t, s)
	}
	drawBoth(t, &Heatmap{})
	for _, h := range []*Heatmap{
		{Rows: make([]string, MaxCells+1)}, {Rows: []string{"a"}, Columns: []string{"b"}}, {Columns: []string{"b"}, Times: []float64{1}},
	} {
		if h.PNG(nil, 800) == nil || h.SVG(nil, 800) == nil {
			t.Errorf("%+v is drawn", h)
		}
	}
	for _, s := range []*Series{{}, {Times: []float64{1, 1}}, {Times: []float64{2, 1}}, {Times: []float64{0, 1}, Curves: make([]Curve, 1)}, {Times: []float64{0, math.NaN()}}} {
		if s.PNG(nil, 800) == nil || s.SVG(nil, 800) == nil {
			t.Errorf("%+v is drawn", s)
		}
	}
}
