package tiles

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Bounds of the work for the calls of a tile: slices that are decoded, and calls. Where there are more, only longer calls are in the tile.
const (
	maxSlices = 16
	maxCalls  = 1 << 15
)

// Flags of calls.
const (
	beginsBefore = 1
	endsBehind   = 2
	neverLeft    = 4
)

// drawn is a call in a tile.
type drawn struct {
	row, depth, region, begin, end uint16
	flags                          byte
	ticks                          int64
}

// Calls appends the tile of the calls of a lane of at least a pixel, or of at least what the tile says if these are too many to be found at
// once; with exact, no slice is left out. The window is [from, to), and of the lane's locations, whose ids are given in order.
func (v *Rows) Calls(dst []byte, w *store.Window, g Grid, index int64, lane uint32, ids []uint64, exact bool) ([]byte, error) {
	from, _ := w.Bounds()
	c := caller{rows: v, from: from, level: g.Level, least: int64(1) << g.Level, row: make(map[uint64]uint16, len(ids)), regions: map[uint64]uint16{}}
	for i, id := range ids {
		c.row[id] = uint16(i)
	}
	for !exact {
		n, err := w.WithMinDuration(c.least).LongSlices()
		if err != nil {
			return nil, err
		}
		if n <= maxSlices || c.least > math.MaxInt64/2 {
			break
		}
		c.least *= 2
	}
	for call, err := range w.WithMinDuration(c.least).Calls() {
		if err != nil {
			return nil, err
		}
		c.add(&call)
	}
	return c.append(g.head(dst, laneCalls, index, lane, len(ids)), len(dst)), nil
}

// caller collects the calls of a tile.
type caller struct {
	rows    *Rows
	from    int64
	level   int
	least   int64
	row     map[uint64]uint16
	regions map[uint64]uint16
	places  []uint32
	calls   []drawn
}

func (c *caller) add(call *trace.Call) {
	if call.Duration() < c.least {
		return
	}
	region, ok := c.regions[call.Region]
	if !ok {
		region = uint16(min(len(c.places), math.MaxUint16))
		if len(c.places) <= math.MaxUint16 {
			c.regions[call.Region] = region
			c.places = append(c.places, c.rows.place(call.Region))
		}
	}
	d := drawn{row: c.row[call.Location], depth: uint16(min(call.Depth, math.MaxUint16)), region: region, ticks: call.Duration()}
	var before, behind bool
	d.begin, before, _ = c.at(call.Start)
	d.end, _, behind = c.at(call.End)
	if before {
		d.flags |= beginsBefore
	}
	if behind {
		d.flags |= endsBehind
	}
	if call.Flags&trace.CallOpen != 0 {
		d.flags |= neverLeft
	}
	if c.calls = append(c.calls, d); len(c.calls) > maxCalls {
		c.least *= 2
		c.calls = slices.DeleteFunc(c.calls, func(d drawn) bool { return d.ticks < c.least })
	}
}

// at returns the place of a time in the tile, in 64ths of a pixel, and whether it lies outside.
func (c *caller) at(t int64) (at uint16, before, behind bool) {
	const parts = 6 // bits of a 64th
	switch {
	case t < c.from:
		return 0, true, false
	case t-c.from > Pixels<<c.level:
		return Pixels << parts, false, true
	case c.level >= parts:
		return uint16((t - c.from) >> (c.level - parts)), false, false
	}
	return uint16((t - c.from) << (parts - c.level)), false, false
}

// append appends what follows the head of the tile that begins at a place.
func (c *caller) append(dst []byte, from int) []byte {
	slices.SortStableFunc(c.calls, func(a, b drawn) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.depth, b.depth), cmp.Compare(a.begin, b.begin))
	})
	for _, p := range c.places {
		dst = binary.LittleEndian.AppendUint32(dst, p)
	}
	for _, column := range []func(*drawn) uint16{
		func(d *drawn) uint16 { return d.row }, func(d *drawn) uint16 { return d.depth }, func(d *drawn) uint16 { return d.region },
		func(d *drawn) uint16 { return d.begin }, func(d *drawn) uint16 { return d.end },
	} {
		for i := range c.calls {
			dst = binary.LittleEndian.AppendUint16(dst, column(&c.calls[i]))
		}
	}
	for i := range c.calls {
		dst = append(dst, c.calls[i].flags)
	}
	fillIn(dst[from:], 0, len(c.places), len(c.calls), c.least)
	return pad(dst, from)
}
