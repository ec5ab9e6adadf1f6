package draw

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
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
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, list := range bands {
		fillRow(img, i*l.row, l.row-gap, list)
	}
	to.image(leftMargin, l.top, 1, img)
}

// order returns in which order regions are stacked: those with most time first. Regions of one colour follow each other.
func (c *Chart) order() []int {
	rank, list, shares := make([]int, len(c.Regions)), make([]int, len(c.Regions)), map[color.RGBA]float64{}
	for i := range list {
		list[i], rank[i] = i, i
		shares[c.Regions[i].Colour] += c.Regions[i].Share
	}
	if c.piled {
		return rank
	}
	first := map[color.RGBA]int{} // a region of each colour, to tell apart colours of equal shares
	for i := range list {
		if _, ok := first[c.Regions[i].Colour]; !ok {
			first[c.Regions[i].Colour] = i
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := &c.Regions[a], &c.Regions[b]
		return cmp.Or(cmp.Compare(shares[y.Colour], shares[x.Colour]), cmp.Compare(first[x.Colour], first[y.Colour]), cmp.Compare(y.Share, x.Share))
	})
	for i, region := range list {
		rank[region] = i
	}
	return rank
}

// bands stacks the cells of each pixel. Pixels that are of one region follow each other in one band.
func (c *Chart) bands(r *Row, order []int) (list []band) {
	var pile []trace.TimelineCell
	low := 0.0
	list = make([]band, 0, len(r.cells))
	for cells := r.cells; len(cells) > 0; {
		n := 1
		for n < len(cells) && cells[n].Pixel == cells[0].Pixel {
			n++
		}
		p := int(cells[0].Pixel)
		from, to := c.timeline.Pixel(p)
		all := float64(to-from) * float64(r.Locations)
		pile, low = append(pile[:0], cells[:n]...), 0
		slices.SortFunc(pile, func(a, b trace.TimelineCell) int { return cmp.Compare(order[a.Region], order[b.Region]) })
		for _, cell := range pile {
			b := band{p, p + 1, low, low + float64(cell.Ticks)/all, c.Regions[cell.Region].Colour}
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

// fillRow draws bands as pixels. Each pixel has the colour of the band that covers most of it, or of no call where that covers more.
func fillRow(img *image.RGBA, top, height int, list []band) {
	for y := range height {
		span(img, top+y, 0, img.Rect.Dx(), nothing)
	}
	var pile []band
	for first := 0; first < len(list); first += len(pile) {
		pile = list[first:]
		for i := range pile {
			if pile[i].first != pile[0].first {
				pile = pile[:i]
				break
			}
		}
		below := 0 // bands that end below the pixel
		for y := height - 1; y >= 0; y-- {
			low, high := 1-float64(y+1)/float64(height), 1-float64(y)/float64(height) // of the pixel, from the bottom
			for below < len(pile) && pile[below].high <= low {
				below++
			}
			span(img, top+y, pile[0].first, pile[0].end, largest(pile[below:], low, high))
		}
	}
}

// largest returns the colour that covers most of the part from low to high of a pile, in which bands of one colour follow each other.
func largest(pile []band, low, high float64) color.RGBA {
	covered, most, colour := 0.0, 0.0, nothing
	run := 0.0 // what the bands of one colour cover
	for i := range pile {
		b := &pile[i]
		if b.low >= high {
			break
		}
		if i > 0 && b.colour != pile[i-1].colour {
			run = 0
		}
		part := max(min(high, b.high)-max(low, b.low), 0)
		covered += part
		if run += part; run > most {
			most, colour = run, b.colour
		}
	}
	if high-low-covered > most {
		return nothing
	}
	return colour
}

// span fills pixels of a line.
func span(img *image.RGBA, y, from, to int, c color.RGBA) {
	if from >= to {
		return
	}
	line := img.Pix[img.PixOffset(from, y) : img.PixOffset(to-1, y)+4]
	line[0], line[1], line[2], line[3] = c.R, c.G, c.B, c.A
	for n := 4; n < len(line); n *= 2 {
		copy(line[n:], line[:n])
	}
}

// leastNote is the height of a row from which on there is room for a note below its name.
const leastNote = 30

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
		if y := max(top+height/2+4, float64(l.top+9)); y-9 >= next-1 {
			x, a := float64(leftMargin-10), toEnd
			if inside {
				x, a = 12, toStart
			}
			if note := c.Rows[first].note; note != "" && l.row >= leastNote {
				to.text(x, y+11, smallStyle, a, grey, l.faces.fit(smallStyle, note, room))
				y -= 5
			}
			to.text(x, y, textStyle, a, ink, l.faces.fit(textStyle, c.Rows[first].Process, room))
			next = y + 8
		}
	}
}

// shortName returns the name of a location without that of its process.
func shortName(r *Row) string {
	name := strings.TrimPrefix(r.Name, r.Process)
	return cmp.Or(strings.TrimLeft(name, " /:,"), r.Name)
}
