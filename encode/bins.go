package encode

import (
	"math"
	"math/bits"
	"sync"
)

// # Bins and tables
//
// A table divides numbers into bins and gives each bin a frequency. Bin i begins at lo and reaches as far as an offset of
// `bits` raw bits can, but not beyond the begin of bin i+1 nor beyond 2^64-1; so a bin can have any width, and an exact
// value is a bin with no offset bits. Begins rise strictly. Numbers may lie in no bin: they are exceptions.
//
// A bin's weight w stands for a mass of 4w²+1, so that the error of rounding costs the same number of bits whatever the
// frequency. With n bins, M(i) the sum of the masses of the bins before bin i, and M the sum of all, the
// frequencies are made thus:
//
//	L        = 0 if n = 1, else the number of binary digits of M, but at most 12 and at least that of n-1
//	start(i) = i + floor((2^L - n)·M(i)/M)
//	freq(i)  = start(i+1) - start(i)
//
// They add up to 2^L, and none is 0.

const (
	maxLog     = 12      // most digits of a frequency total
	maxBins    = 256     // bins of a table: a bin's number fits into a byte
	maxBits    = 56      // offset bits: a load of eight bytes at any bit position holds as many
	maxWeight  = 1 << 20 // keeps the arithmetic of frequencies within 64 bits
	slotsSlack = 8       // bytes behind a table of slots that filling it may overwrite
)

// bin is a range of numbers with a common symbol.
type bin struct {
	lo     uint64
	weight uint32
	bits   uint8
}

// table is the bins of one or more contexts, and what coding needs, made when first needed.
type table struct {
	bins []bin

	once  sync.Once
	log   uint8
	freqs []frequency
	slots []byte   // bin number by slot: 1<<log of them and slack
	los   []uint64 // begins, padded to a power of two with the greatest number
	lasts []uint64 // greatest offset by bin
}

// frequency is the interval [start, start+freq) of slots.
type frequency struct{ freq, start uint16 }

// coding reports whether the table's symbols are entropy-coded: one alone needs no code.
func (t *table) coding() bool { return len(t.bins) > 1 }

// prepare makes the tables of coding. It may be called from many goroutines.
func (t *table) prepare() { t.once.Do(t.build) }

func (t *table) build() {
	n := len(t.bins)
	t.los = make([]uint64, 1<<bits.Len(uint(n-1)))
	t.lasts = make([]uint64, n)
	for i := range t.los {
		t.los[i] = math.MaxUint64
	}
	for i, b := range t.bins {
		t.los[i], t.lasts[i] = b.lo, t.lastOffset(i)
	}
	t.log, t.freqs = frequencies(t.bins)
	t.slots = slotsOf(t.log, t.freqs)
}

// lastOffset returns the greatest offset in bin i.
func (t *table) lastOffset(i int) uint64 {
	b := t.bins[i]
	room := math.MaxUint64 - b.lo
	if i+1 < len(t.bins) {
		room = t.bins[i+1].lo - 1 - b.lo
	}
	return min(room, 1<<b.bits-1)
}

// frequencies returns log2 of the frequencies' total, and the frequencies.
func frequencies(bs []bin) (uint8, []frequency) {
	var total, before uint64
	for _, b := range bs {
		total += mass(b.weight)
	}
	log := tableLog(len(bs), total)
	share := 1<<log - uint64(len(bs))
	fs := make([]frequency, len(bs))
	for i, b := range bs {
		start := uint64(i) + before*share/total
		before += mass(b.weight)
		fs[i] = frequency{uint16(uint64(i+1) + before*share/total - start), uint16(start)}
	}
	return log, fs
}

// mass is the number of values that a weight stands for.
func mass(weight uint32) uint64 { return 4*uint64(weight)*uint64(weight) + 1 }

// tableLog returns log2 of the frequencies' total for n bins of some mass.
func tableLog(n int, total uint64) uint8 {
	if n == 1 {
		return 0
	}
	return uint8(max(min(bits.Len64(total), maxLog), bits.Len(uint(n-1))))
}

// slotsOf returns the bin of each slot, filled eight at a time: what one bin writes beyond its end the next one corrects.
func slotsOf(log uint8, fs []frequency) []byte {
	slots := make([]byte, 1<<log+slotsSlack)
	for i, f := range fs {
		eight := uint64(i) * 0x0101010101010101
		for at := int(f.start); at < int(f.start+f.freq); at += 8 {
			put64(slots[at:], eight)
		}
	}
	return slots
}

// find returns the last bin that begins at or before v, or bin 0, and the offset of v in it. If v lies in no bin the offset is
// greater than the bin's last.
func (t *table) find(v uint64) (symbol uint8, offset uint64) {
	i := 0
	for step := len(t.los) / 2; step > 0; step /= 2 {
		if j := i + step; t.los[j] <= v {
			i = j
		}
	}
	i = min(i, len(t.bins)-1)
	return uint8(i), v - t.bins[i].lo
}

// common returns the number of the heaviest bin, the first one of several.
func (t *table) common() int {
	best := 0
	for i, b := range t.bins {
		if b.weight > t.bins[best].weight {
			best = i
		}
	}
	return best
}
