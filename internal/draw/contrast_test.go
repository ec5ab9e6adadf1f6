package draw

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

// twoRuns is a picture of one location of a trace beside itself, of which B is half as long and lacks some calls.
func twoRuns(t *testing.T) *Contrast {
	t.Helper()
	r := open(t, "otf2.mg.S.8.snapmark")
	c := &Contrast{Title: "a & b", Subtitle: "two runs"}
	pixels := [2]int{Pixels(700), Pixels(700) / 2}
	p := ContrastPair{Label: "rank 0", Note: "slower"}
	for side, n := range pixels {
		c.Charts[side] = chart(t, r, 0, 1, n+leftMargin+rightMargin)
		p.States[side] = make([]CallStates, n)
	}
	p.States[0][10] = CallStates{Equal: 3}
	p.States[0][20] = CallStates{Alone: 2, Equal: 1}
	p.States[0][30] = CallStates{Different: 2}
	p.States[1][5] = CallStates{Alone: 1}
	p.Links = [][2]float64{{10, 5}, {100, 10}, {120, 200}}
	c.Pairs = []ContrastPair{p}
	curve := SkewCurve{Name: "rank 0"}
	m := ContrastMap{Title: "map", ValuesAre: "what", Rows: []string{"rank 0", "rank 1"}, Cell: 4, Scale: Diverging, Text: plain}
	for x := range pixels[0] {
		v := math.NaN()
		if x%7 == 0 {
			v = float64(x) * 1e-6
		}
		curve.Least, curve.Most = append(curve.Least, v), append(curve.Most, 2*v)
	}
	for range 2 * ((pixels[0] + 3) / 4) {
		m.Values = append(m.Values, math.NaN())
	}
	m.Values[3] = -2
	c.Skew, c.Maps = []SkewCurve{curve}, []ContrastMap{m}
	return c
}

// Strips have the colours of states, fields between links those of the side that takes longer, and cells that of their value.
func TestContrastPixels(t *testing.T) {
	c := twoRuns(t)
	var b bytes.Buffer
	if err := c.PNG(&b, 700); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	l := c.layout(700)
	strips := [2]int{l.pairs + contrastRow + 2, l.pairs + contrastRow + contrastBand - 3}
	middle := l.pairs + contrastRow + contrastBand/2
	scale := newScale(Diverging, c.Maps[0].Values)
	for _, want := range []struct {
		x, y int
		is   any
	}{
		{5, strips[0], nothing}, {12, strips[0], equalState}, {25, strips[0], onlyA}, {40, strips[0], differentState}, {8, strips[1], onlyB},
		{35, middle, fasterLink}, {107, middle, slowerLink}, {13, l.maps[0] + 1, scale.colour(-2)}, {17, l.maps[0] + 1, nothing},
	} {
		got := img.At(leftMargin+want.x, want.y)
		r, g, bl, _ := got.RGBA()
		wr, wg, wb, _ := want.is.(interface{ RGBA() (r, g, b, a uint32) }).RGBA()
		if r != wr || g != wg || bl != wb {
			t.Errorf("pixel %d, %d is %v, not %v", want.x, want.y, got, want.is)
		}
	}
}

// The SVG is XML, shows what the PNG does, and says more below the pointer.
func TestContrastSVG(t *testing.T) {
	c := twoRuns(t)
	var b bytes.Buffer
	if err := c.SVG(&b, 700); err != nil {
		t.Fatal(err)
	}
	drawBoth(t, c)
	for _, want := range []string{
		"a &amp; b", ">calls that A alone has</text>", ">calls of different regions</text>", "<polygon ", "B is behind by", "of A: B is behind by", "of A&#xA;-2</title>", ">How far B is behind A</text>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
	c.Pairs[0].States, c.Maps[0].Values = [2][]CallStates{}, nil
	c.Maps[0].Rows = nil
	b.Reset()
	if err := c.SVG(&b, 700); err != nil || strings.Contains(b.String(), "alone has") {
		t.Errorf("%v, or the legend has what is not there", err)
	}
}
