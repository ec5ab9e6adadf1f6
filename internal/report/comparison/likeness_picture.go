package comparison

import (
	"fmt"
	"path/filepath"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/ranges"
)

// likenessEnds is the number of rows of a picture: cells are two pixels wide, or more.
const likenessEnds = 320

// grouped is a matrix in which neighbouring locations may share a row: then it has the mean of their similarities.
type grouped struct {
	rows, columns []string
	values        []float64
	each          int // locations of a row
}

func (r *Likeness) grouped(most int) *grouped {
	each := (max(len(r.LocationsA), len(r.LocationsB)) + most - 1) / most
	g := &grouped{rows: joined(r.LocationsA, each), columns: joined(r.LocationsB, each), each: each}
	g.values = make([]float64, len(g.rows)*len(g.columns))
	counts := make([]int, len(g.values))
	for i := range r.LocationsA {
		for j := range r.LocationsB {
			at := i/each*len(g.columns) + j/each
			s, _ := r.of.At(i, j)
			g.values[at] += s.Lowest
			counts[at]++
		}
	}
	for i, n := range counts {
		g.values[i] /= float64(n)
	}
	return g
}

// joined returns the labels of rows of several locations.
func joined(list []string, each int) (out []string) {
	for from := 0; from < len(list); from += each {
		out = append(out, ranges.Of(list[from:min(from+each, len(list))], mostListed))
	}
	return out
}

// Picture returns a picture of all similarities.
func (r *Likeness) Picture() *draw.Heatmap {
	g := r.grouped(likenessEnds)
	h := &draw.Heatmap{
		Title: filepath.Base(r.A), Rows: g.rows, Columns: g.columns, RowsAre: "location", ColumnsAre: "location", Values: g.values,
		ValuesAre: "similarity", Text: percent, Scale: draw.Range, Square: true,
	}
	if !r.of.Single {
		h.Title = filepath.Base(r.A) + " and " + filepath.Base(r.B)
		h.RowsAre, h.ColumnsAre = "A", "B"
	}
	h.Subtitle = fmt.Sprintf("how alike calls are, times left aside: %s, %s in the mean, least %s", report.Plural(r.of.Pairs, "pair", "pairs"), percent(r.Mean), percent(r.Least))
	if r.ProvenPairs < r.of.Pairs {
		h.Subtitle += fmt.Sprintf("; %s proven", report.Grouped(r.ProvenPairs))
	}
	if g.each > 1 {
		h.Subtitle += fmt.Sprintf(", %d locations in each row", g.each)
		return h
	}
	h.Hint = func(row, column int) string {
		s, c := r.of.At(row, column)
		switch {
		case c.High == 0:
			return "the same calls"
		case c.Proven():
			return "proven: no alignment of level " + r.Level + " is better"
		}
		return fmt.Sprintf("the best alignment of level %s gives %s to %s", r.Level, percent(s.Lowest), percent(s.Highest))
	}
	return h
}
