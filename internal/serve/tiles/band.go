package tiles

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/store"
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

// Band appends the tile of the bands of a lane. The window is [from, to), and of the lane's locations.
func (v *Rows) Band(dst []byte, w *store.Window, g Grid, index int64, lane uint32) ([]byte, error) {
	t, err := w.Timeline(Pixels)
	if err != nil {
		return nil, err
	}
	b := newBander(v, t, uint64(1)<<g.Level)
	for row := range t.Locations {
		b.row(t.Cells[t.Starts[row]:t.Starts[row+1]])
	}
	return b.append(g.head(dst, laneBands, index, lane, len(t.Locations)), len(dst)), nil
}

// Group appends the tile of the band of a group: the mean of its locations. They are read some at a time. The window is of the
// group's locations.
func (v *Rows) Group(dst []byte, w *store.Window, g Grid, index int64, group uint32) ([]byte, error) {
	const atOnce = 1024
	sum, locations := grouped{at: map[uint64]uint64{}}, 0
	for t, err := range w.Timelines(store.TimelineOptions{Pixels: Pixels, Locations: atOnce}) {
		if err != nil {
			return nil, err
		}
		locations += len(t.Locations)
		sum.add(v, t)
	}
	t := sum.timeline()
	b := newBander(v, t, uint64(max(1, locations))<<g.Level)
	b.places = sum.places
	b.pixel = uint64(1) << g.Level
	b.row(t.Cells)
	return b.append(g.head(dst, groupBand, index, group, 1), len(dst)), nil
}

// grouped adds up timelines of the same pixels.
type grouped struct {
	at     map[uint64]uint64 // ticks by pixel and place of a region
	errors [Pixels]uint64
	places []uint32
}

func (s *grouped) add(v *Rows, t *trace.Timeline) {
	for i := range t.Cells {
		c := &t.Cells[i]
		s.at[uint64(c.Pixel)<<32|uint64(v.place(t.Regions[c.Region]))] += c.Ticks
	}
	for i, e := range t.Errors {
		s.errors[i] = max(s.errors[i], e)
	}
}

// timeline returns the sums as the timeline of one location.
func (s *grouped) timeline() *trace.Timeline {
	keys := make([]uint64, 0, len(s.at))
	for k := range s.at {
		keys = append(keys, k)
		s.places = append(s.places, uint32(k))
	}
	slices.Sort(keys)
	slices.Sort(s.places)
	s.places = slices.Compact(s.places)
	t := &trace.Timeline{Errors: s.errors[:]}
	for _, k := range keys {
		region, _ := slices.BinarySearch(s.places, uint32(k))
		t.Cells = append(t.Cells, trace.TimelineCell{Pixel: uint32(k >> 32), Region: uint32(region), Ticks: s.at[k]})
	}
	return t
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
	share uint64
	rest  uint64
	order int
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

// divide rounds the shares of a pixel.
func (b *bander) divide(cells []trace.TimelineCell) {
	b.parts = b.parts[:0]
	idle, left := b.whole, uint64(full)
	take := func(ticks uint64) {
		hi, lo := bits.Mul64(ticks, full)
		share, rest := bits.Div64(hi, lo, b.whole)
		left -= share
		b.parts = append(b.parts, part{share, rest, len(b.parts)})
	}
	for i := range cells {
		idle -= min(idle, cells[i].Ticks)
		take(cells[i].Ticks)
	}
	take(idle)
	if left > 0 {
		slices.SortFunc(b.parts, func(a, o part) int {
			if a.rest != o.rest {
				return int(btoi(a.rest < o.rest)) - int(btoi(a.rest > o.rest))
			}
			return a.order - o.order
		})
		for i := range b.parts[:left] {
			b.parts[i].share++
		}
		slices.SortFunc(b.parts, func(a, o part) int { return a.order - o.order })
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

func btoi(b bool) byte {
	if b {
		return 1
	}
	return 0
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
