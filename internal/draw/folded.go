package draw

import (
	"image/color"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Folded is what a chart of rows that stand for many locations is made of.
type Folded struct {
	// From and To are the window in ticks, which is divided into pixels.
	From, To int64
	Pixels   int
	// What says what rows show: "64 locations by node, the region with most time".
	What string
	// Regions are what cells name; they may be others than those of the trace. Piled ones are piled up in their order in each pixel.
	Regions []Region
	Piled   bool
	// Rest is what a part of a pixel without a cell is called: "no call".
	Rest string
	Rows []FoldedRow
}

// FoldedRow is a row with its name, and smaller text below it.
type FoldedRow struct {
	Name, Note string
	// Cells are ordered by pixel. Their ticks are heights: those of the pixel are all of it.
	Cells []trace.TimelineCell
	// Hint says what happened from one pixel up to another.
	Hint func(first, end int) string
}

// highestFolded is the greatest height of a row, in pixels: rows are few, and their cells have heights.
const highestFolded = 56

// NewFolded makes a chart of rows of a trace.
func NewFolded(r *store.Reader, f *Folded) *Chart {
	t := &trace.Timeline{From: f.From, To: f.To, Pixels: f.Pixels}
	c := newChart(r, t)
	c.Subtitle = c.extent(r.Info()) + ", " + f.What
	c.rest, c.piled, c.highest, c.row = f.Rest, f.Piled, highestFolded, map[uint64]int{}
	c.Regions, c.idle = f.Regions, 1
	all := float64(f.To-f.From) * float64(len(f.Rows))
	for i := range f.Rows {
		row := &f.Rows[i]
		c.Rows = append(c.Rows, Row{Locations: 1, Process: row.Name, note: row.Note, cells: row.Cells, hint: row.Hint})
		for _, cell := range row.Cells {
			c.Regions[cell.Region].Share += float64(cell.Ticks) / all
		}
	}
	for i := range c.Regions {
		c.idle -= c.Regions[i].Share
	}
	return c
}

// RegionOf returns a region of a trace as pictures show it, without a share.
func RegionOf(d *trace.Definitions, id uint64) Region { return regionOf(d, id) }

// At writes a time as the axis has it, with as many digits as the window needs.
func (c *Chart) At(t int64) string { return c.at(t) }

// MostRows is the greatest number of rows of a picture.
const MostRows = allRows

// Unlike is the colour of time without a call where that is told apart from nothing.
var Unlike = color.RGBA{90, 90, 90, 255}

// Steps returns n colours of one hue from light to dark, which everyone tells apart.
func Steps(n int) (list []color.RGBA) {
	for i := range n {
		share := float64(i) / float64(max(n-1, 1))
		list = append(list, oklch(0.88-0.55*share, 0.06+0.06*share, 250))
	}
	return list
}
