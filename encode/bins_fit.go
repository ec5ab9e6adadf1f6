package encode

import (
	"math"
	"math/bits"
	"sort"
)

// Builder collects the values of the blocks that will share a model.
type Builder struct {
	counts []map[uint64]int
}

// NewBuilder makes a builder of models with a number of contexts.
func NewBuilder(contexts int) *Builder {
	b := &Builder{counts: make([]map[uint64]int, contexts)}
	for c := range b.counts {
		b.counts[c] = map[uint64]int{}
	}
	return b
}

// Add takes a block: counts[c] values of context c, in order.
func (b *Builder) Add(counts []int, values []uint64) {
	for c, n := range counts {
		for _, v := range values[:n] {
			lo, k := fixedBin(v)
			if k <= maxBits {
				b.counts[c][lo]++
			}
		}
		values = values[n:]
	}
}

// fixedBin returns begin and offset bits of the bin with v: exact below 8, then four an octave.
func fixedBin(v uint64) (lo uint64, offsetBits uint8) {
	k := uint8(max(bits.Len64(v), 3) - 3)
	return v >> k << k, k
}

// Build makes the model of the values collected.
func (b *Builder) Build() *Model {
	m := &Model{tableOf: make([]uint16, len(b.counts)), tables: make([]table, 1)}
	rest := map[uint64]int{0: 1}
	for c, h := range b.counts {
		n := 0
		for _, k := range h {
			n += k
		}
		if n < 64 {
			for lo, k := range h {
				rest[lo] += k
			}
			continue
		}
		m.tableOf[c] = uint16(len(m.tables))
		m.tables = append(m.tables, table{bins: fixedBins(h)})
	}
	m.tables[0].bins = fixedBins(rest)
	return m
}

func fixedBins(h map[uint64]int) []bin {
	bs := make([]bin, 0, len(h))
	for lo, n := range h {
		_, k := fixedBin(lo)
		bs = append(bs, bin{lo, weightOf(n), k})
	}
	sort.Slice(bs, func(i, j int) bool { return bs[i].lo < bs[j].lo })
	return bs
}

// weightOf returns the weight for a number of values.
func weightOf(n int) uint32 {
	return uint32(math.Round(math.Sqrt(float64(n-1) / 4)))
}

// Contexts returns the number of contexts.
func (b *Builder) Contexts() int { return len(b.counts) }
