package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// heat are the signs of the cells of a matrix in text: without messages, then from the least to the greatest.
const heat = "·░▒▓█"

// heatSteps is the number of signs for cells with messages.
const heatSteps = 4

// usualWidth is the width of text, in characters, where nothing is known of the terminal.
const usualWidth = 100

// scale divides the values of a matrix into steps of equal length, or of equal ratio if they differ by more than a hundredfold.
type scale struct {
	least, greatest float64
	ratio           bool
}

func newScale(m *Matrix, of Measure) scale {
	s := scale{least: math.Inf(1), greatest: math.Inf(-1)}
	for i := range m.Cells {
		v := m.Value(&m.Cells[i], of)
		s.least, s.greatest = min(s.least, v), max(s.greatest, v)
	}
	s.ratio = s.least > 0 && s.greatest > 100*s.least
	return s
}

// step returns the step of a value, from 0.
func (s *scale) step(v float64) int {
	if s.greatest <= s.least {
		return heatSteps - 1
	}
	part := (v - s.least) / (s.greatest - s.least)
	if s.ratio {
		part = math.Log(v/s.least) / math.Log(s.greatest/s.least)
	}
	return min(int(part*heatSteps), heatSteps-1)
}

// end returns the greatest value of a step.
func (s *scale) end(step int) float64 {
	part := float64(step+1) / heatSteps
	if s.ratio {
		return s.least * math.Pow(s.greatest/s.least, part)
	}
	return s.least + part*(s.greatest-s.least)
}

// WriteText writes the matrix as a map of a measure: a sign for each cell, darker for more, and a legend. Neighbouring ranks are taken
// together if there are more than fit into a width, in characters; 0 is the usual width.
func (m *Matrix) WriteText(w io.Writer, of Measure, width int) {
	if len(m.Cells) == 0 {
		fmt.Fprintln(w, "no messages")
		return
	}
	if width <= 0 {
		width = usualWidth
	}
	labels := 0
	for _, e := range m.Ends {
		labels = max(labels, min(utf8.RuneCountInString(e.Label), widestLabel))
	}
	g := m.Grouped(max(width-max(labels, len("ranks 0000-0000"))-2, 8))
	h := heatMap{g, of, newScale(g, of), 0, 1}
	for _, e := range g.Ends {
		h.labels = max(h.labels, min(utf8.RuneCountInString(e.Label), widestLabel))
	}
	if h.labels+2+2*len(g.Ends) <= width {
		h.wide = 2
	}
	h.write(w)
	h.legend(w)
}

// heatMap is a matrix as text.
type heatMap struct {
	*Matrix
	of     Measure
	scale  scale
	labels int // width of the labels
	wide   int // width of a cell
}

func (h *heatMap) write(w io.Writer) {
	fmt.Fprintf(w, "%s from (lines) to (columns)\n", h.title())
	h.columns(w)
	signs, cells := []rune(heat), h.Cells
	for from, e := range h.Ends {
		line := make([]rune, 0, h.wide*len(h.Ends))
		for to := range h.Ends {
			sign := signs[0]
			if len(cells) > 0 && cells[0].From == from && cells[0].To == to {
				sign = signs[1+h.scale.step(h.Value(&cells[0], h.of))]
				cells = cells[1:]
			}
			line = append(line, sign)
			if h.wide == 2 {
				line = append(line, sign)
			}
		}
		fmt.Fprintf(w, "%s  %s\n", padRight(Shortened(e.Label, h.labels), h.labels), string(line))
	}
}

func (h *heatMap) title() string {
	switch h.of {
	case MeasureBytes:
		return "bytes"
	case MeasureTime:
		return "time of messages, added up,"
	case MeasureLatency:
		return "mean time of a message"
	}
	return "messages"
}

// columns writes the numbers of the first rank of some columns above them.
func (h *heatMap) columns(w io.Writer) {
	line := []byte(strings.Repeat(" ", h.labels+2+h.wide*len(h.Ends)+8))
	for i, free := 0, 0; i < len(h.Ends); i++ {
		at, number := h.labels+2+h.wide*i, strconv.FormatInt(h.Ends[i].Rank, 10)
		if h.Ends[i].Rank < 0 || at < free || len(h.Ends) > 10 && i%5 > 0 || at+len(number) > len(line) {
			continue
		}
		copy(line[at:], number)
		free = at + len(number) + 1
	}
	fmt.Fprintf(w, "%s\n", strings.TrimRight(string(line), " "))
}

// legend says which values the signs stand for, and what all cells add up to.
func (h *heatMap) legend(w io.Writer) {
	signs := []rune(heat)
	fmt.Fprintf(w, "\n%c none", signs[0])
	if h.scale.least == h.scale.greatest {
		fmt.Fprintf(w, "  %c %s", signs[heatSteps], h.of.Text(h.scale.greatest))
	} else {
		for step := range heatSteps {
			fmt.Fprintf(w, "  %c up to %s", signs[1+step], h.of.Text(h.scale.end(step)))
		}
		fmt.Fprintf(w, "  (least %s)", h.of.Text(h.scale.least))
	}
	var all MatrixCell
	for i := range h.Cells {
		c := &h.Cells[i]
		all.Count, all.Bytes = all.Count+c.Count, all.Bytes.Plus(c.Bytes)
		all.Latency.Join(&c.Latency)
	}
	fmt.Fprintf(w, "\n%s, %s", Plural(all.Count, "message", "messages"), MeasureBytes.Text(all.Bytes.Float()))
	if h.Timed {
		fmt.Fprintf(w, ", %s each", MeasureLatency.Text(h.Value(&all, MeasureLatency)))
	}
	if size := h.Ends[0].Ranks; size > 1 {
		fmt.Fprintf(w, "; each line and column is %d ranks", size)
	}
	fmt.Fprintln(w)
}
