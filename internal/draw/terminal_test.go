package draw

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// striped returns a chart of rows in which row i, pixel p is all of region (i+p)%3, and no call where that is 2.
func striped(rows, pixels int) *Chart {
	const ticks = 10 // of a pixel
	c := &Chart{Title: "t", Subtitle: "s", perTick: 1e-3, idle: 1. / 3}
	c.timeline = &trace.Timeline{From: 0, To: int64(ticks * pixels), Pixels: pixels, Regions: []uint64{7, 8}}
	for i, name := range []string{"alpha", "beta"} {
		c.Regions = append(c.Regions, Region{ID: uint64(7 + i), Name: name, Colour: colourOf(name, trace.ActivityComputation), Share: 0.4 - 0.1*float64(i)})
	}
	for i := range rows {
		r := Row{Location: uint64(i), Process: fmt.Sprintf("rank %d", i), Name: "main"}
		for p := range pixels {
			if region := (i + p) % 3; region < 2 {
				r.cells = append(r.cells, trace.TimelineCell{Pixel: uint32(p), Region: uint32(region), Ticks: ticks})
			}
		}
		c.Rows = append(c.Rows, r)
	}
	return c
}

func drawn(t *testing.T, c *Chart, to *Terminal) []string {
	t.Helper()
	var b strings.Builder
	if err := c.Terminal(&b, to); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// TestTerminalLetters: each pixel has the letter of its region.
func TestTerminalLetters(t *testing.T) {
	to := NewTerminal(60, 0, NoColours)
	lines := drawn(t, striped(3, to.Pixels()), to)
	for i, line := range lines[2:5] {
		label, plot := line[:16], line[16:]
		want := strings.Repeat("AB.", 20)[i : i+to.Pixels()]
		if strings.TrimSpace(label) != fmt.Sprintf("rank %d", i) || plot != want {
			t.Errorf("%q, want rank %d with %s", line, i, want)
		}
	}
	text := strings.Join(lines, "\n")
	for _, want := range []string{"A  40.0 % alpha", "B  30.0 % beta", ".  33.3 % no call"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", text, want)
		}
	}
	for _, line := range lines {
		if n := width(line); n > 60 {
			t.Errorf("%q is %d wide", line, n)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// width counts the cells of a line.
func width(line string) (n int) {
	for _, r := range escapes.ReplaceAllString(line, "") {
		n += cells(r)
	}
	return n
}

// TestTerminalColours: with colours a character has two pixels, and no line leaves a colour behind.
func TestTerminalColours(t *testing.T) {
	for _, colours := range []Colours{Colours256, TrueColours} {
		to := NewTerminal(60, 30, colours)
		lines := drawn(t, striped(3, to.Pixels()), to)
		if to.Pixels() != 2*44 {
			t.Errorf("%d pixels", to.Pixels())
		}
		for _, line := range lines {
			if n := width(line); n > 60 {
				t.Errorf("%q is %d wide", line, n)
			}
			if all := escapes.FindAllString(line, -1); len(all) > 0 && all[len(all)-1] != reset {
				t.Errorf("%q leaves a colour", line)
			}
		}
		alpha := to.escape(38, colourOf("alpha", trace.ActivityComputation)) + to.escape(48, colourOf("beta", trace.ActivityComputation)) + "▌"
		if strings.Count(lines[2], alpha) < 10 || width(lines[2]) != 60 {
			t.Errorf("%q has no %q", lines[2], alpha)
		}
	}
}

// TestTerminalRows: many locations share lines, as many as fit, and all of them are in one.
func TestTerminalRows(t *testing.T) {
	for _, tt := range []struct{ rows, height, most int }{{1000, 0, usualLines}, {1000, 40, 40 - fixedLines}, {70, 4, leastLines + 3}, {5, 40, 5}} {
		to := NewTerminal(80, tt.height, NoColours)
		var shown []string
		for _, line := range drawn(t, striped(tt.rows, to.Pixels()), to) {
			if strings.HasPrefix(line, "rank ") {
				shown = append(shown, line)
			}
		}
		if len(shown) > tt.most || len(shown) < min(tt.rows, tt.most/2) || !strings.HasPrefix(shown[0], "rank 0") {
			t.Errorf("%d rows in %d lines: %d lines, %q", tt.rows, tt.height, len(shown), shown[0])
		}
	}
}

// TestPalette: a colour of the palette is the nearest one, found by looking at all.
func TestPalette(t *testing.T) {
	value := func(n int) [3]float64 {
		if n >= 232 {
			v := float64(8 + 10*(n-232))
			return [3]float64{v, v, v}
		}
		step := func(i int) float64 { return []float64{0, 95, 135, 175, 215, 255}[i] }
		n -= 16
		return [3]float64{step(n / 36), step(n / 6 % 6), step(n % 6)}
	}
	far := func(c color.RGBA, n int) float64 {
		v := value(n)
		return math.Pow(v[0]-float64(c.R), 2) + math.Pow(v[1]-float64(c.G), 2) + math.Pow(v[2]-float64(c.B), 2)
	}
	for i := range 2000 {
		c := color.RGBA{uint8(i * 7), uint8(i * 31), uint8(i * 13), 255}
		best := 16
		for n := 16; n < 256; n++ {
			if far(c, n) < far(c, best) {
				best = n
			}
		}
		if got := palette(c); far(c, got) != far(c, best) {
			t.Errorf("%v: %d, want %d", c, got, best)
		}
	}
}

// TestFit: texts keep within their width, and nothing of them moves the cursor.
func TestFit(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", "exactly10!": "exactly10!", "longer than that": "longer th…", "a\x1b[31mb": "a�[31mb", "漢字漢字漢字": "漢字漢字…", "x\u0301y": "x\u0301y", "\xff": "�",
	} {
		if got := fit(text, 10); got != want || width(got) > 10 {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
