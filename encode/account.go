package encode

import (
	"math"

	"github.com/pandotrace/pando/format"
)

// Sizes says how many bytes the parts of a slice block have; they add up to the block.
type Sizes struct{ Head, Text, Tokens, Values int }

// costBits is the number of binary digits behind the point of costs, which are counted in bits.
const costBits = 16

// logarithms are those of the frequencies to base 2, as costs. They are rounded, so that sums do not depend on their order.
var logarithms = func() (l [1<<maxLog + 1]uint64) {
	for f := 1; f < len(l); f++ {
		l[f] = uint64(math.Round(math.Log2(float64(f)) * (1 << costBits)))
	}
	return l
}()

// ColumnCosts returns what the values of each column cost in the slice, in units of 2^-16 bits: minus the logarithm of the
// frequency of the value's bin, and its offset bits; of an exception, what stands in its place, and its bytes. To that comes
// one unit for each value, so that columns that cost nothing else still differ from those without values.
func (e *Events) ColumnCosts(t *Statistics) []uint64 {
	costs := make([]uint64, e.contexts.columns)
	a := accountant{symbols: make([]uint8, len(e.values)), values: e.values}
	for context := range e.contexts.all {
		column := uint32(context)
		if context >= e.contexts.columns {
			column = t.Pairs[context-e.contexts.columns].Column
		}
		costs[column] += a.cost(t.Values.table(context), e.starts[context], e.starts[context+1])
	}
	return costs
}

// accountant adds up what the values of a block cost.
type accountant struct {
	symbols []uint8
	values  []uint64
	next    int // the value after the latest exception
}

// cost returns what the values [from, to), all of one table, cost.
func (a *accountant) cost(t *table, from, to int) (sum uint64) {
	symbols, values := a.symbols[from:to], a.values[from:to]
	t.findAll(symbols, values)
	sum = uint64(len(values))
	for i, v := range values {
		b := &t.bins[symbols[i]]
		if (v-b.lo)>>(b.bits&63) != 0 {
			sum += a.exception(from+i, v) << costBits
			symbols[i] = t.common
		}
	}
	for _, s := range symbols {
		sum += uint64(t.log+t.bins[s].bits)<<costBits - logarithms[t.freqs[s].freq()]
	}
	return sum
}

// exception returns the bits that the place of an exception and its value take.
func (a *accountant) exception(at int, v uint64) uint64 {
	gap := uint64(at - a.next)
	a.next = at + 1
	return 8 * uint64(format.UvarintLen(gap)+format.UvarintLen(v))
}

// ModelSizes says how many bytes of a model block are for what codes tokens and heads of slices, for the roster of runs, and
// for what codes values. What else is in the block is the contexts of values, clocks and predictions.
type ModelSizes struct{ Tokens, Roster, Values int }

// Sizes returns how many bytes the statistics take.
func (t *Statistics) Sizes() ModelSizes {
	counted := func(n int) int { return format.UvarintLen(uint64(n)) + n }
	return ModelSizes{
		Tokens: len(t.Successors.append(nil)) + counted(len(t.Structure.Append(nil))),
		Roster: counted(len(t.Roster.append(nil, t.Structure, t.base()))),
		Values: len(t.Values.Append(nil)),
	}
}

// SliceName reads which slice and lane a slice block belongs to.
func SliceName(b []byte) (number uint64, lane uint32, err error) {
	r := format.NewDecoder(sliceSection, b)
	number, lane = r.Uvarint(), uint32(r.Int(1<<32))
	return number, lane, r.Err()
}
