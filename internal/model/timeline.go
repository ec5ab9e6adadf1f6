package model

import (
	"math/big"

	"github.com/pandotrace/pando/trace"
)

// TimelineCell names a part of a timeline.
type TimelineCell struct {
	Location uint64
	Pixel    int
	Region   uint64
}

// Border returns the time at which a pixel of a window begins: its share of the window's time, rounded down.
func (w *Window) Border(pixel, pixels int) int64 {
	v := new(big.Int).Sub(big.NewInt(w.To), big.NewInt(w.From))
	v.Mul(v, big.NewInt(int64(pixel))).Div(v, big.NewInt(int64(pixels)))
	return v.Add(v, big.NewInt(w.From)).Int64()
}

// Timeline returns the ticks that locations spent in calls of regions, but not in calls within these, pixel by pixel of the
// window. calls are all those of the trace.
func (t *Trace) Timeline(w *Window, calls []trace.Call, pixels int) map[TimelineCell]int64 {
	cells := map[TimelineCell]int64{}
	borders := make([]int64, pixels+1)
	for p := range borders {
		borders[p] = w.Border(p, pixels)
	}
	regions := map[EventID]uint64{}
	for i := range calls {
		regions[EventID{calls[i].Location, calls[i].Ordinal}] = calls[i].Region
	}
	for i := range calls {
		c := &calls[i]
		for p := range pixels {
			ticks := clipped(c, borders[p], borders[p+1])
			if ticks == 0 {
				continue
			}
			cells[TimelineCell{c.Location, p, c.Region}] += ticks
			if c.Parent != trace.Undefined {
				cells[TimelineCell{c.Location, p, regions[EventID{c.Location, c.Parent}]}] -= ticks
			}
		}
	}
	for c, ticks := range cells {
		if ticks == 0 || !passes(w.Locations, c.Location) || !passes(w.Regions, c.Region) {
			delete(cells, c)
		}
	}
	return cells
}
