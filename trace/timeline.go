package trace

import (
	"math/bits"
)

// Timeline says how the locations of a window spent its time, pixel by pixel.
type Timeline struct {
	// From and To are the window, in ticks. Pixel p is the time from the p-th of Pixels borders to the next one, see [Timeline.Pixel].
	From, To int64
	Pixels   int
	// Locations are the ids of the window's locations, in the order of their definitions.
	Locations []uint64
	// Regions are the ids of the regions that occur, in their order.
	Regions []uint64
	// Cells are those of the first location, then those of the second one, and so on: Cells[Starts[i]:Starts[i+1]] are those of
	// location i, ordered by pixel, then region. What they do not have of a pixel is time without any call.
	Cells  []TimelineCell
	Starts []int
	// Errors are for each pixel the ticks that any cell of it may be off: 0 where the pixel's time was read exactly. Sums over
	// all pixels are exact.
	Errors []uint64
}

// TimelineCell is the time that a location spent in a pixel with a call of a region as the innermost one.
type TimelineCell struct {
	Pixel uint32
	// Region is a place in Regions.
	Region uint32
	// Ticks is more than 0, and no more than the pixel has.
	Ticks uint64
}

// Pixel returns the time [from, to) of a pixel, in ticks. It has none if there are more pixels than ticks.
func (t *Timeline) Pixel(p int) (from, to int64) {
	r := Raster{t.From, uint64(t.To - t.From), t.Pixels}
	return r.Border(p), r.Border(p + 1)
}

// Raster divides `length` ticks from `from` on into pixels of about equal length.
type Raster struct {
	From   int64
	Length uint64
	Pixels int
}

// Border returns the time at which a pixel begins, and the one before it ends.
func (r *Raster) Border(p int) int64 {
	hi, lo := bits.Mul64(uint64(p), r.Length)
	q, _ := bits.Div64(hi, lo, uint64(r.Pixels))
	return r.From + int64(q)
}

// Find returns the pixel that has a time of the raster.
func (r *Raster) Find(t int64) int {
	hi, lo := bits.Mul64(uint64(t-r.From)+1, uint64(r.Pixels))
	lo, borrow := bits.Sub64(lo, 1, 0)
	q, _ := bits.Div64(hi-borrow, lo, r.Length)
	return int(q)
}
