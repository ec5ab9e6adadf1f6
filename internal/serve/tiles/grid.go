package tiles

import (
	"math"
	"math/bits"
)

// Pixels is the number of pixels of a tile.
const Pixels = 256

// MaxLevel is the largest level: a tile has 2^60 ticks.
const MaxLevel = 52

// Grid divides the time of a trace into pixels of 2^Level ticks, whose borders are multiples of that, and into tiles of [Pixels] pixels.
type Grid struct {
	Level int
	// First is the time of the trace's first event, in ticks. It lies in tile 0.
	First int64
}

// Ticks returns the length of a tile.
func (g Grid) Ticks() int64 { return Pixels << g.Level }

// Tile returns the time [from, to) of a tile; ok is false if it lies beyond what ticks can count.
func (g Grid) Tile(index int64) (from, to int64, ok bool) {
	n := g.Ticks()
	origin := g.First &^ (n - 1)
	if index > (math.MaxInt64-n)/n || index < (math.MinInt64+n)/n {
		return 0, 0, false
	}
	if by := index * n; by > 0 && origin > math.MaxInt64-n-by || by < 0 && origin < math.MinInt64-by {
		return 0, 0, false
	}
	from = origin + index*n
	return from, from + n, from <= math.MaxInt64-n
}

// GridOf returns the grid of a picture of some ticks that has some pixels: those of the grid are as long as they can be and not longer than those of the picture.
func GridOf(first, ticks, pixels int64) Grid {
	return Grid{Level: min(MaxLevel, max(0, bits.Len64(uint64(ticks/pixels))-1)), First: first}
}

// Index returns the index of the tile in which a time lies, in ticks since the trace's first event.
func (g Grid) Index(since int64) int64 {
	n := g.Ticks()
	return int64((uint64(g.First&(n-1)) + uint64(since)) / uint64(n))
}
