package timeline

import (
	"math/bits"

	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// cellPixels says to which pixels the cells of a part belong: those from first to last.
type cellPixels struct {
	from, to    int64
	first, last int
}

// binCells divides the cells of bins among pixels.
func (q *timelineQuery) binCells(p *lanePlan, part *timelinePart) *partRuns {
	b, found := part.bins, &partRuns{}
	cells, skip := q.cellPixels(part)
	for i := range cells {
		found.split(&q.raster, &cells[i])
	}
	n := b.Cells()
	for first, end := 0, 0; first < len(b.lines); first = end {
		place := b.lines[first].Place
		for end < len(b.lines) && b.lines[end].Place == place {
			end++
		}
		if p.chosen[place] {
			f := binFolder{raster: &q.raster, lines: b.lines[first:end], ticks: b.Ticks[first*n : end*n], stride: n, out: found, sums: make([]uint64, end-first)}
			for i := range cells {
				f.cell(&cells[i], skip+i)
			}
			f.flush()
			found.add(place)
		}
	}
	return found
}

// cellPixels returns the cells that a part has, and the number of those before.
func (q *timelineQuery) cellPixels(part *timelinePart) (cells []cellPixels, skip int) {
	for i := range part.bins.Cells() {
		from, to := part.bins.Cell(i)
		switch {
		case to <= part.from:
			skip++
		case from < part.to:
			cells = append(cells, cellPixels{from, to, q.raster.Find(from), q.raster.Find(to - 1)})
		}
	}
	return cells, skip
}

// split notes by how much the pixels of a cell may be off: a cell of some ticks, of which a pixel has n, may have all of a
// region's time there, or none.
func (p *partRuns) split(r *trace.Raster, c *cellPixels) {
	for pixel := c.first; pixel <= c.last && c.first < c.last; pixel++ {
		if has := uint64(min(c.to, r.Border(pixel+1)) - max(c.from, r.Border(pixel))); has > 0 {
			p.errors = append(p.errors, pixelError{uint32(pixel), min(has, uint64(c.to-c.from)-has)})
		}
	}
}

// binFolder adds up the cells of one location, whose lines are all of one length.
type binFolder struct {
	raster *trace.Raster
	lines  []read.TableLine
	ticks  []uint64
	stride int
	sums   []uint64 // by line: of the pixel at hand
	rest   []uint64 // by line: of a cell that is divided
	pixel  int
	out    *partRuns
}

func (f *binFolder) cell(c *cellPixels, at int) {
	if c.first != f.pixel {
		f.flush()
		f.pixel = c.first
	}
	if c.first == c.last {
		for i := range f.sums {
			f.sums[i] += f.ticks[i*f.stride+at]
		}
		return
	}
	f.rest = f.rest[:0]
	for i := range f.sums {
		f.rest = append(f.rest, f.ticks[i*f.stride+at])
	}
	left := uint64(c.to - c.from)
	for pixel := c.first; pixel <= c.last; pixel++ {
		if pixel > c.first {
			f.flush()
			f.pixel = pixel
		}
		has := uint64(min(c.to, f.raster.Border(pixel+1)) - max(c.from, f.raster.Border(pixel)))
		f.take(has, left)
		left -= has
	}
}

// take moves the first `has` of the `left` ticks of a cell to the pixel at hand: of each line in proportion. What has been moved is
// rounded after each line, so that no pixel gets more than it has room for.
func (f *binFolder) take(has, left uint64) {
	if has == 0 {
		return
	}
	sum, before := uint64(0), uint64(0)
	for i, v := range f.rest {
		sum += v
		hi, lo := bits.Mul64(sum, has)
		moved, _ := bits.Div64(hi, lo, left)
		f.sums[i] += moved - before
		f.rest[i] -= moved - before
		before = moved
	}
}

// flush completes a pixel.
func (f *binFolder) flush() {
	for i, v := range f.sums {
		if v > 0 {
			f.out.runs = append(f.out.runs, Run{Pixel: uint32(f.pixel), Pixels: 1, Region: f.lines[i].Number, Ticks: v})
			f.sums[i] = 0
		}
	}
}
