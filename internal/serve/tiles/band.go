package tiles

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// What a tile has.
const (
	laneBands byte = iota
	groupBand
	laneCalls
)

// Flags of tiles.
const (
	wideRegions = 1
	hasBlur     = 2
)

// full is the sum of the shares of a pixel.
const full = 255

// head appends the head of a tile, without the list of regions.
func (g Grid) head(dst []byte, kind byte, index int64, of uint32, rows int) []byte {
	dst = append(dst, 'P', 'T', 'L', 1, kind, byte(g.Level), 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(index))
	dst = binary.LittleEndian.AppendUint32(dst, of)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(rows))
	return append(binary.LittleEndian.AppendUint16(dst, Pixels), make([]byte, 16)...)
}

// Places of fields of the head.
const (
	atFlags   = 6
	atRegions = 24
	atCells   = 28
	atLeast   = 32
)

// fillIn sets the numbers of the head of the tile that begins at a place.
func fillIn(tile []byte, flags uint16, regions, cells int, least int64) {
	binary.LittleEndian.PutUint16(tile[atFlags:], flags)
	binary.LittleEndian.PutUint32(tile[atRegions:], uint32(regions))
	binary.LittleEndian.PutUint32(tile[atCells:], uint32(cells))
	binary.LittleEndian.PutUint64(tile[atLeast:], uint64(least))
}

// pad makes the length of the tile that begins at a place a multiple of 4.
func pad(dst []byte, from int) []byte {
	for (len(dst)-from)%4 != 0 {
		dst = append(dst, 0)
	}
	return dst
}

// Band appends the tile of the bands of a lane, of which the timeline has the locations. It has Pixels pixels.
func (v *Rows) Band(dst []byte, t *trace.Timeline, g Grid, index int64, lane uint32) []byte {
	b := newBander(v, t, uint64(1)<<g.Level)
	for row := range t.Locations {
		b.row(t.Cells[t.Starts[row]:t.Starts[row+1]])
	}
	return b.append(g.head(dst, laneBands, index, lane, len(t.Locations)), len(dst))
}

// Group appends the tile of the band of a group: the mean of its locations, of which there are some. The timeline has them, or is their sum.
func (v *Rows) Group(dst []byte, t *trace.Timeline, g Grid, index int64, group uint32, locations int) []byte {
	b := newBander(v, t, uint64(max(1, locations))<<g.Level)
	b.pixel = uint64(1) << g.Level
	b.row(together(t))
	return b.append(g.head(dst, groupBand, index, group, 1), len(dst))
}

// together adds up the cells of all rows of a timeline.
func together(t *trace.Timeline) (sum []trace.TimelineCell) {
	if len(t.Starts) == 2 {
		return t.Cells
	}
	ticks, next := make([]uint64, len(t.Regions)), slices.Clone(t.Starts)
	for p := range uint32(t.Pixels) {
		for i, end := range t.Starts[1:] {
			for ; next[i] < end && t.Cells[next[i]].Pixel == p; next[i]++ {
				ticks[t.Cells[next[i]].Region] += t.Cells[next[i]].Ticks
			}
		}
		for r := range ticks {
			if ticks[r] > 0 {
				sum = append(sum, trace.TimelineCell{Pixel: p, Region: uint32(r), Ticks: ticks[r]})
				ticks[r] = 0
			}
		}
	}
	return sum
}

// bander makes bands of cells.
type bander struct {
	places         []uint32
	whole          uint64 // ticks of a pixel, of all locations together
	pixel          uint64 // of one
	errors         []uint64
	counts, shares []byte
	regions        []uint16
	parts          []part
}

// part is a cell of the pixel at hand, or the time without a call.
type part struct {
	share, rest uint64
}

func newBander(v *Rows, t *trace.Timeline, whole uint64) *bander {
	b := &bander{whole: whole, pixel: whole, errors: t.Errors}
	for _, id := range t.Regions {
		b.places = append(b.places, v.place(id))
	}
	return b
}

// place returns the place of a region in the list of /rows.
func (v *Rows) place(region uint64) uint32 {
	if p, ok := v.places[region]; ok {
		return p
	}
	return 1<<32 - 1
}

// row adds a row: cells in order of pixels, then regions.
func (b *bander) row(cells []trace.TimelineCell) {
	for pixel := uint32(0); pixel < Pixels; pixel++ {
		n := 0
		for n < len(cells) && cells[n].Pixel == pixel {
			n++
		}
		b.divide(cells[:n])
		cells = cells[n:]
	}
}

// divide rounds the shares of a pixel: what is left of the whole goes, one by one, to the parts that lost most by rounding down, the first of equal ones.
func (b *bander) divide(cells []trace.TimelineCell) {
	if len(cells) == 0 {
		b.counts = append(b.counts, 0)
		return
	}
	b.parts = b.parts[:0]
	idle, left := b.whole, uint64(full)
	for i := range cells {
		idle -= min(idle, cells[i].Ticks)
		left -= b.take(cells[i].Ticks)
	}
	for left -= b.take(idle); left > 0; left-- {
		most := 0
		for i := range b.parts {
			if b.parts[i].rest > b.parts[most].rest {
				most = i
			}
		}
		b.parts[most].share++
		b.parts[most].rest = 0
	}
	n := 0
	for i := range cells {
		if s := b.parts[i].share; s > 0 {
			b.regions, b.shares = append(b.regions, uint16(cells[i].Region)), append(b.shares, byte(s))
			n++
		}
	}
	b.counts = append(b.counts, byte(n))
}

// take adds a part of some ticks, rounded down, and returns its share.
func (b *bander) take(ticks uint64) uint64 {
	hi, lo := bits.Mul64(ticks, full)
	share, rest := bits.Div64(hi, lo, b.whole)
	b.parts = append(b.parts, part{share, rest})
	return share
}

// append appends what follows the head of the tile that begins at a place.
func (b *bander) append(dst []byte, from int) []byte {
	for _, p := range b.places {
		dst = binary.LittleEndian.AppendUint32(dst, p)
	}
	dst = append(dst, b.counts...)
	flags := uint16(0)
	if len(b.places) > 256 {
		flags |= wideRegions
		for _, r := range b.regions {
			dst = binary.LittleEndian.AppendUint16(dst, r)
		}
	} else {
		for _, r := range b.regions {
			dst = append(dst, byte(r))
		}
	}
	dst = append(dst, b.shares...)
	if slices.Max(b.errors) > 0 {
		flags |= hasBlur
		for _, e := range b.errors {
			hi, lo := bits.Mul64(min(e, b.pixel), full)
			lo, carry := bits.Add64(lo, b.pixel-1, 0)
			blur, _ := bits.Div64(hi+carry, lo, b.pixel)
			dst = append(dst, byte(blur))
		}
	}
	fillIn(dst[from:], flags, len(b.places), len(b.shares), 0)
	return pad(dst, from)
}
