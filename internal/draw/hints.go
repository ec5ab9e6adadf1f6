package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	// mostHints bounds the hints of a picture, leastHint the width of one in pixels.
	mostHints = 8_000
	leastHint = 6
	// hintRegions is the number of regions that a hint names.
	hintRegions = 4
)

// hints adds a hint to each part of a row: which location and what time that is, and which regions took most of it.
func (c *Chart) hints(to canvas, l *layout) {
	if _, none := to.(*bitmap); none || len(c.Rows) == 0 {
		return
	}
	scale := float64(Pixels(l.width)) / float64(c.timeline.Pixels)
	for i := range c.Rows {
		c.rowHints(to, i, float64(l.top+i*l.row), float64(l.row), scale, mostHints/len(c.Rows))
	}
}

// singleHints adds hints to a row that is one of several in a picture.
func (c *Chart) singleHints(to canvas, row, top, height, rows int) {
	if _, none := to.(*bitmap); !none {
		c.rowHints(to, row, float64(top), float64(height), 1, mostHints/rows)
	}
}

// rowHints adds hints to a row at a place, at most a number.
func (c *Chart) rowHints(to canvas, i int, y, height, scale float64, most int) {
	pixels := c.timeline.Pixels
	parts := max(1, min(pixels, int(float64(pixels)*scale)/leastHint, most))
	ticks := make([]uint64, len(c.Regions))
	cells := c.Rows[i].cells
	for p := range parts {
		first, end := pixels*p/parts, pixels*(p+1)/parts
		clear(ticks)
		for ; len(cells) > 0 && int(cells[0].Pixel) < end; cells = cells[1:] {
			ticks[cells[0].Region] += cells[0].Ticks
		}
		to.hint(leftMargin+float64(first)*scale, y, float64(end-first)*scale, height, c.hint(i, first, end, ticks))
	}
}

// hint writes what happened on a row between two pixels; ticks are those of each region.
func (c *Chart) hint(row, first, end int, ticks []uint64) string {
	if own := c.Rows[row].hint; own != nil {
		return own(first, end)
	}
	from, _ := c.timeline.Pixel(first)
	_, to := c.timeline.Pixel(end - 1)
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s to %s", c.rowName(row), c.at(from), c.at(to))
	var most []int
	for region, n := range ticks {
		if n > 0 {
			most = append(most, region)
		}
	}
	slices.SortStableFunc(most, func(i, j int) int { return cmp.Compare(ticks[j], ticks[i]) })
	for _, region := range most[:min(len(most), hintRegions)] {
		fmt.Fprintf(&b, "\n%.1f %% %s", 100*float64(ticks[region])/max(float64(to-from)*float64(c.Rows[row].Locations), 1), brief(plainName(c.Regions[region].Name)))
	}
	if n := len(most) - hintRegions; n > 0 {
		fmt.Fprintf(&b, "\nand %d more", n)
	}
	if len(most) == 0 {
		b.WriteString("\nno call")
	}
	return b.String()
}

// rowName returns what a row is called in hints.
func (c *Chart) rowName(row int) string { return brief(cmp.Or(c.Rows[row].Name, c.Rows[row].Process)) }
