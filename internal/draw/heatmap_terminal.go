package draw

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// shades are the signs of cells without colours, from the least to the largest value.
const shades = ".:-=+*#%@"

// Lines returns how many lines there are for rows.
func (t *Terminal) Lines() int { return t.lines }

// Terminal draws with characters: a line for each row, and with colours two pixels in a character. The map should have at most as many rows as
// the terminal has lines, and as many columns as it has pixels, for of more columns some are not shown; of less, each has several pixels.
func (h *Heatmap) Terminal(to io.Writer, t *Terminal) error {
	if err := h.check(); err != nil {
		return err
	}
	w := bufio.NewWriter(to)
	scale := newScale(h.Scale, h.Values)
	fmt.Fprintf(w, "%s\n%s\n", t.bold(fit(h.Title, t.width)), fit(h.Subtitle, t.width))
	for row := range h.Rows {
		w.WriteString(pad(fit(h.Rows[row], t.labels), t.labels) + " ")
		cells := h.Values[row*len(h.Columns) : (row+1)*len(h.Columns)]
		t.cells(w, cells, &scale)
	}
	h.terminalAxis(w, t)
	h.terminalScale(w, t, &scale)
	return w.Flush()
}

// cells writes the cells of a row in the whole width.
func (t *Terminal) cells(w *bufio.Writer, cells []float64, scale *colourScale) {
	n := t.Pixels()
	if t.colours == NoColours {
		for x := range n {
			w.WriteByte(shade(scale, cells[x*len(cells)/n]))
		}
		w.WriteString("\n")
		return
	}
	before := ""
	for x := 0; x+1 < n; x += 2 {
		left, right := scale.colour(cells[x*len(cells)/n]), scale.colour(cells[(x+1)*len(cells)/n])
		if style := t.escape(38, left) + t.escape(48, right); style != before {
			w.WriteString(style)
			before = style
		}
		w.WriteString("▌")
	}
	w.WriteString(reset + "\n")
}

// shade returns the sign of a value.
func shade(scale *colourScale, v float64) byte {
	share, ok := scale.at(v)
	if !ok {
		return ' '
	}
	return shades[int(math.Round(share*float64(len(shades)-1)))]
}

// terminalAxis writes the names of the first and the last column below them.
func (h *Heatmap) terminalAxis(w io.Writer, t *Terminal) {
	if len(h.Columns) == 0 {
		return
	}
	first, last := brief(h.Columns[0]), brief(h.Columns[len(h.Columns)-1])
	gap := max(t.plot()-len([]rune(first))-len([]rune(last)), 1)
	if len(h.Columns) == 1 {
		last, gap = "", 0
	}
	fmt.Fprintf(w, "%s %s%s%s\n", pad(fit(h.ColumnsAre, t.labels), t.labels), first, strings.Repeat(" ", gap), last)
}

// terminalScale writes what the colours or signs mean.
func (h *Heatmap) terminalScale(w *bufio.Writer, t *Terminal, scale *colourScale) {
	if scale.empty {
		return
	}
	w.WriteString(pad(fit(h.ValuesAre, t.labels), t.labels) + " " + h.text(scale.least) + " ")
	const width = 18
	for i := range width {
		if t.colours == NoColours {
			if i%2 == 0 {
				w.WriteByte(shades[i/2])
			}
			continue
		}
		w.WriteString(t.escape(48, scale.ramp(float64(i)/(width-1))) + " ")
	}
	if t.colours != NoColours {
		w.WriteString(reset)
	}
	fmt.Fprintf(w, " %s", h.text(scale.top))
	if h.Scale == Log {
		w.WriteString(", logarithmic")
	}
	w.WriteString("\n")
}
