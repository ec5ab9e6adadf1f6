package trace

import (
	"math/bits"
)

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
