package draw

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// manyBands is the number of bands up to which a picture can have each as a rectangle of its own. Else they are an image.
const manyBands = 20_000

// band is the part of some pixels of a row that one region has: from `low` to `high`, which are shares of the row's height from the
// bottom.
type band struct {
	first, end int // pixels
	low, high  float64
	colour     color.RGBA
}

// cells draws the rows.
func (c *Chart) cells(to canvas, l *layout) {
	n, bands := 0, make([][]band, len(c.Rows))
	order := c.order()
	for i := range c.Rows {
		bands[i] = c.bands(&c.Rows[i], order)
		n += len(bands[i])
	}
	gap := 0
	if l.row >= 8 {
		gap = 2
	} else if l.row >= 4 {
		gap = 1
	}
	scale := float64(Pixels(l.width)) / float64(c.timeline.Pixels)
	if _, vector := to.(*svg); vector && n <= manyBands || scale != 1 {
		for i, list := range bands {
			y, h := float64(l.top+i*l.row), float64(l.row-gap)
			to.rect(leftMargin, y, float64(Pixels(l.width)), h, nothing)
			for _, b := range list {
				to.rect(leftMargin+float64(b.first)*scale, y+(1-b.high)*h, float64(b.end-b.first)*scale, (b.high-b.low)*h, b.colour)
			}
		}
		return
	}
	img := image.NewRGBA(image.Rect(0, 0, c.timeline.Pixels, l.row*len(c.Rows)))
	for i, list := range bands {
		fillRow(img, i*l.row, l.row-gap, list)
	}
	to.image(leftMargin, l.top, img)
}

// order returns in which order regions are stacked: those with most time first.
func (c *Chart) order() []int {
	rank, list := make([]int, len(c.Regions)), make([]int, len(c.Regions))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(c.Regions[b].Share, c.Regions[a].Share) })
	for i, region := range list {
		rank[region] = i
	}
	return rank
}

// bands stacks the cells of each pixel. Pixels that are of one region follow each other in one band.
func (c *Chart) bands(r *Row, order []int) (list []band) {
	for cells := r.cells; len(cells) > 0; {
		n := 1
		for n < len(cells) && cells[n].Pixel == cells[0].Pixel {
			n++
		}
		p := int(cells[0].Pixel)
		from, to := c.timeline.Pixel(p)
		pile, low := slices.Clone(cells[:n]), 0.0
		slices.SortFunc(pile, func(a, b trace.TimelineCell) int { return cmp.Compare(order[a.Region], order[b.Region]) })
		for _, cell := range pile {
			b := band{p, p + 1, low, low + float64(cell.Ticks)/float64(to-from), c.Regions[cell.Region].Colour}
			low = b.high
			if last := len(list) - 1; n == 1 && last >= 0 && list[last].end == p && list[last].low == 0 && list[last].high == b.high && list[last].colour == b.colour {
				list[last].end++
				continue
			}
			list = append(list, b)
		}
		cells = cells[n:]
	}
	return list
}

// fillRow draws bands as pixels: each gets as much of a colour as the band covers of it.
func fillRow(img *image.RGBA, top, height int, list []band) {
	width := img.Rect.Dx()
	sums := make([][3]float64, width*height)
	for i := range sums {
		sums[i] = [3]float64{float64(nothing.R), float64(nothing.G), float64(nothing.B)}
	}
	for _, b := range list {
		low, high := float64(height)*(1-b.high), float64(height)*(1-b.low) // from the top
		for y := int(low); y < height && float64(y) < high; y++ {
			cover := min(high, float64(y+1)) - max(low, float64(y))
			for x := b.first; x < b.end; x++ {
				s := &sums[y*width+x]
				s[0] += cover * (float64(b.colour.R) - float64(nothing.R))
				s[1] += cover * (float64(b.colour.G) - float64(nothing.G))
				s[2] += cover * (float64(b.colour.B) - float64(nothing.B))
			}
		}
	}
	level := func(v float64) uint8 { return uint8(min(max(v+0.5, 0), 255)) }
	for i, s := range sums {
		img.SetRGBA(i%width, top+i/width, color.RGBA{level(s[0]), level(s[1]), level(s[2]), 255})
	}
}

// labels names the rows: processes, and their locations if there is room.
func (c *Chart) labels(to canvas, l *layout) {
	next := float64(l.top) // where there is room for another label
	for first, end := 0, 0; first < len(c.Rows); first = end {
		for end = first; end < len(c.Rows) && c.Rows[end].Process == c.Rows[first].Process; end++ {
		}
		top, height := float64(l.top+first*l.row), float64((end-first)*l.row)
		if end-first > 1 && height >= 6 {
			to.line(leftMargin-5, top, leftMargin-5, top+height-2, 1.5, grey)
			if end < len(c.Rows) {
				to.line(leftMargin-5, top+height-1, float64(l.width-rightMargin), top+height-1, 0.75, grey)
			}
		}
		inside := end-first > 1 && l.row >= 14
		room := float64(leftMargin - 26)
		if inside {
			room = 70
			for i := first; i < end; i++ {
				y := float64(l.top+i*l.row) + float64(l.row)/2 + 3
				to.text(leftMargin-9, y, smallStyle, toEnd, grey, l.faces.fit(smallStyle, shortName(&c.Rows[i]), 82))
			}
		}
		y := top + height/2 + 4
		if y-9 >= next-1 {
			x, a := float64(leftMargin-10), toEnd
			if inside {
				x, a = 12, toStart
			}
			to.text(x, y, textStyle, a, ink, l.faces.fit(textStyle, c.Rows[first].Process, room))
			next = y + 5
		}
	}
}

// shortName returns the name of a location without that of its process.
func shortName(r *Row) string {
	name := strings.TrimPrefix(r.Name, r.Process)
	return cmp.Or(strings.TrimLeft(name, " /:,"), r.Name)
}
