package column

import (
	"math"
	"math/bits"
)

// # Bins and tables
//
// A table has 1 to 256 bins, and each bin a frequency. A bin with k offset bits, 0 <= k <= 57, is the 2^k numbers from its
// begin on, but not those from the begin of the next bin on; so it can have any width, and an exact value is a bin with
// no offset bits. Begins rise strictly, and the offset bits reach no further than 2^64-1. Numbers may lie in no bin: they
// are exceptions.
//
// A bin's weight w < 2^20 stands for a mass of 4w²+1, so that the error of rounding costs about as many bits whatever the
// frequency. With n bins, M(i) the sum of the masses of the bins before bin i, and M the sum of all, the frequencies are
// made thus:
//
//	L        = 0 if n = 1, else max(digits(n-1), min(digits(M) - 1, 12))   (digits(v): how many binary digits v has, 0 for 0)
//	start(i) = i + floor((2^L - n)·M(i)/M)
//	freq(i)  = start(i+1) - start(i)
//
// They add up to 2^L, and none is 0.

const (
	maxLog    = 12      // most digits of a frequency total
	maxBins   = 256     // bins of a table: a bin's number fits into a byte
	maxWeight = 1 << 20 // keeps the arithmetic of frequencies within 64 bits
	slack     = 8       // bytes behind slots that filling them may overwrite
)

// maxBits is the largest number of offset bits: a load of eight bytes at any bit position holds as many.
const maxBits = 57

// bin is a range of numbers with a common symbol.
type bin struct {
	lo     uint64
	weight uint32
	bits   uint8
}

// table is the bins of one or more contexts, and what coding needs.
type table struct {
	bins   []bin
	log    uint8 // log2 of the sum of freqs
	common uint8 // the heaviest bin, the first one of several
	exact  bool  // no bin has offset bits
	freqs  []frequency
	slots  []byte   // bin by slot, and slack
	los    []uint64 // begins, padded to a power of two with the greatest number
	low    []byte   // bin by value, of small values; only to encode
	reach  []reach  // by bin
}

// reach is what decoding needs of a bin: its begin, the greatest offset, and the offset bits, which are those of the mask.
type reach struct{ lo, last, mask, bits uint64 }

// frequency is the interval [start, start+freq) of slots: 16 bits of freq, 16 of start. One load gets both.
type frequency uint32

func (f frequency) freq() uint32  { return uint32(f >> 16) }
func (f frequency) start() uint32 { return uint32(f & 0xffff) }

// coding reports whether the table's symbols are entropy-coded: one alone needs no code.
func (t *table) coding() bool { return t.log > 0 }

// prepare makes what coding needs of all tables. Their slices share memory; behind slots, freqs and reach there is always room for the
// largest table, so that loops can treat them as arrays of that size, whose bounds need no check.
func prepare(tables []table) {
	var bins, slots, los int
	for i := range tables {
		t := &tables[i]
		t.log = tableLog(t.bins)
		bins += len(t.bins)
		slots += 1 << t.log
		los += padded(len(t.bins))
	}
	freqs, numbers, bytes := make([]frequency, bins+maxBins), make([]uint64, los), make([]byte, slots+slack+1<<maxLog)
	reaches := make([]reach, bins+maxBins)
	for i := range tables {
		t := &tables[i]
		n := len(t.bins)
		t.freqs, freqs = freqs[:n], freqs[n:]
		t.reach, reaches = reaches[:n], reaches[n:]
		t.los, numbers = numbers[:padded(n):padded(n)], numbers[padded(n):]
		t.slots, bytes = bytes[:1<<t.log+slack], bytes[1<<t.log:]
		t.prepare()
	}
}

// padded returns the power of two that is not below n.
func padded(n int) int { return 1 << bits.Len(uint(n-1)) }

func (t *table) prepare() {
	t.exact = true
	for i, b := range t.bins {
		t.exact = t.exact && b.bits == 0
		t.los[i] = b.lo
		t.reach[i] = reach{b.lo, 1<<b.bits - 1, 1<<b.bits - 1, uint64(b.bits)}
		if i > 0 {
			t.reach[i-1].last = min(t.reach[i-1].last, b.lo-1-t.los[i-1])
		}
		if b.weight > t.bins[t.common].weight {
			t.common = uint8(i)
		}
	}
	for i := len(t.bins); i < len(t.los); i++ {
		t.los[i] = math.MaxUint64
	}
	setFrequencies(t.freqs, t.bins, t.log)
	t.setSlots()
}

// setFrequencies divides 2^log slots among bins.
func setFrequencies(freqs []frequency, bins []bin, log uint8) {
	total := totalMass(bins)
	share := 1<<log - uint64(len(bins))
	before, start := uint64(0), uint64(0)
	for i, b := range bins {
		before += mass(b.weight)
		next := uint64(i+1) + before*share/total
		freqs[i] = frequency((next-start)<<16 | start)
		start = next
	}
}

func (t *table) setSlots() {
	at := 0
	for i, f := range t.freqs {
		fillSlots(t.slots[at:], f.freq(), uint8(i))
		at += int(f.freq())
	}
}

// fillSlots gives a bin n slots. It writes eight at a time: what one bin writes beyond its end the next one corrects.
func fillSlots(slots []byte, n uint32, bin uint8) {
	eight := uint64(bin) * 0x0101010101010101
	for s := slots[:int(n)+slack]; len(s) > slack; s = s[8:] {
		put64(s, eight)
	}
}

// mass is the number of values with a weight.
func mass(weight uint32) uint64 { return 4*uint64(weight)*uint64(weight) + 1 }

func totalMass(bs []bin) (total uint64) {
	for _, b := range bs {
		total += mass(b.weight)
	}
	return total
}

// tableLog returns log2 of the sum of the bins' frequencies.
func tableLog(bs []bin) uint8 {
	if len(bs) == 1 {
		return 0
	}
	return uint8(max(min(bits.Len64(totalMass(bs))-1, maxLog), bits.Len(uint(len(bs)-1))))
}

// find returns the last bin that begins at or before v, or bin 0.
func (t *table) find(v uint64) uint8 {
	if v < uint64(len(t.low)) {
		return t.low[v]
	}
	return search(t.los, v, len(t.bins)-1)
}

// search returns the last of `last`+1 numbers that is not above v, or 0.
func search(los []uint64, v uint64, last int) uint8 {
	i := 0
	for step := len(los) / 2; step > 0; step /= 2 {
		_, before := bits.Sub64(v, los[i+step], 0) // no branch: it could not be predicted
		i += step &^ -int(before)
	}
	return uint8(min(i, last))
}

// findAll finds the bins of values.
func (t *table) findAll(symbols []byte, values []uint64) {
	low, los, last := t.low, t.los, len(t.bins)-1
	symbols = symbols[:len(values)]
	for k, v := range values {
		if v < uint64(len(low)) {
			symbols[k] = low[v]
			continue
		}
		symbols[k] = search(los, v, last)
	}
}

// lowValues is the number of small values whose bins are looked up.
const lowValues = 1 << 10

// setLows makes the tables ready to encode many values.
func setLows(tables []table) {
	for i := range tables {
		t := &tables[i]
		t.low = make([]byte, 0, min(t.bins[len(t.bins)-1].lo+1, lowValues))
		for b := range t.bins {
			end := uint64(cap(t.low))
			if b+1 < len(t.bins) {
				end = min(end, t.bins[b+1].lo)
			}
			for uint64(len(t.low)) < end {
				t.low = append(t.low, uint8(b))
			}
		}
	}
}
