package draw

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// A mark is where its call begins, and a wide call has a frame; what is outside of the window, or of another location, has none.
func TestMarkedCalls(t *testing.T) {
	c := &Chart{
		timeline: &trace.Timeline{From: 1000, To: 2000, Pixels: Pixels(800)}, perTick: 1, MarksAre: "a call that stands out", row: map[uint64]int{3: 0, 5: 1},
		Rows:  []Row{{Location: 3, Locations: 1, Process: "rank 3"}, {Location: 5, Locations: 1, Process: "rank 5"}},
		Marks: []Mark{{5, 1500, 1750, "late <again>"}, {3, 500, 1000, "before"}, {7, 1500, 1600, "elsewhere"}},
	}
	var b, svg, text bytes.Buffer
	if err := c.PNG(&b, 800); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	l := c.layout(800)
	inked := func(x int, row int) bool {
		return color.RGBAModel.Convert(img.At(x, l.top+row*l.row+1)) == color.RGBA(ink)
	}
	begin, end := int(c.x(1500, l)), int(c.x(1750, l))
	if !inked(begin, 1) || inked(begin, 0) || inked(int(leftMargin)+20, 0) || inked(int(leftMargin)+20, 1) {
		t.Errorf("the mark is elsewhere: %t %t", inked(begin, 1), inked(begin, 0))
	}
	darkest := func(from, to int) (least float64) {
		least = 1
		for x := from; x <= to; x++ {
			least = min(least, luminance(color.RGBAModel.Convert(img.At(x, l.top+l.row+l.row/2)).(color.RGBA)))
		}
		return least
	}
	if at, inside := darkest(end-2, end+2), darkest((begin+end)/2, end-5); at > 0.5 || inside < 0.8 {
		t.Errorf("the frame of a wide call has a luminance of %.2f, and what is inside %.2f", at, inside)
	}
	if err := c.SVG(&svg, 800); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svg.String(), "late &lt;again&gt;"); n != 1 || strings.Contains(svg.String(), "elsewhere") {
		t.Errorf("%d hints of the mark", n)
	}
	terminal := NewTerminal(80, 24, NoColours)
	if err := c.Terminal(&text, terminal); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	if at := strings.IndexByte(lines[4], '^') - terminal.labels - 1; strings.Count(text.String(), "^") != 1 || at != terminal.plot()/2 {
		t.Errorf("the sign is at %d of %d:\n%s", at, terminal.plot(), text.String())
	}
}
