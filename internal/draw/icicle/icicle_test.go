package icicle_test

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/draw/icicle"
	"github.com/pandotrace/pando/trace"
)

var picture = &icicle.Icicle{Title: "run", Boxes: []icicle.Box{
	{Parent: -1, Name: "main", Value: 100, Share: 1, Hint: "main hint"},
	{Parent: 0, Name: "MPI_Init", Value: 25, Share: 1, Activity: trace.ActivityMPI, Hint: "init hint"},
	{Parent: 0, Name: "<loop>", Value: 50, Share: 0.5, Marked: true, Hint: "loop hint"},
	{Parent: 2, Name: "inner", Value: 1e-9, Share: 0.5, Hint: "invisible"},
}}

// rect is a hint of an SVG picture, which lies on its box.
type rect struct {
	X, Width float64
	Title    string
}

func rects(t *testing.T, text string) (list []rect) {
	t.Helper()
	var document struct {
		Rects []struct {
			X     string `xml:"x,attr"`
			Width string `xml:"width,attr"`
			Title string `xml:"title"`
		} `xml:"rect"`
	}
	if err := xml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	for _, r := range document.Rects {
		if r.Title != "" {
			x, _ := strconv.ParseFloat(r.X, 64)
			width, _ := strconv.ParseFloat(r.Width, 64)
			list = append(list, rect{x, width, r.Title})
		}
	}
	return list
}

// Boxes are as wide as their values, beside each other below the one around them; those too narrow to be seen are left out.
func TestBoxes(t *testing.T) {
	var b bytes.Buffer
	if err := picture.SVG(&b, 832); err != nil {
		t.Fatal(err)
	}
	want := []rect{{16, 800, "main hint"}, {16, 200, "init hint"}, {216, 400, "loop hint"}}
	got := rects(t, b.String())
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if math.Abs(got[i].X-want[i].X) > 0.01 || math.Abs(got[i].Width-want[i].Width) > 0.01 || got[i].Title != want[i].Title {
			t.Errorf("%+v, not %+v", got[i], want[i])
		}
	}
	for _, text := range []string{"&lt;loop&gt;", "computation", "MPI", "half of them", "a location is far from the others"} {
		if !strings.Contains(b.String(), ">"+text+"<") {
			t.Errorf("the picture does not say %s", text)
		}
	}
}

// Pixels have the size that was asked for; no boxes, or boxes without a value, are no error.
func TestPixels(t *testing.T) {
	for _, p := range []*icicle.Icicle{picture, {}, {Boxes: []icicle.Box{{Parent: -1, Name: "main"}}}} {
		var b bytes.Buffer
		if err := p.PNG(&b, 500); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&b)
		if err != nil || img.Bounds().Dx() != 500 || img.Bounds().Dy() < 100 {
			t.Errorf("%v, %v", img.Bounds(), err)
		}
	}
}
