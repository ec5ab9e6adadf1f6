package column

import (
	"math"
	"sync"

	"github.com/pandotrace/pando/format"
)

// CostBits is the number of binary digits behind the point of costs, which are counted in bits.
const CostBits = 16

// logarithms returns the logarithms to base 2 of frequencies, as costs. They are rounded, so that sums do not depend on their order.
var logarithms = sync.OnceValue(func() *[1<<maxLog + 1]uint64 {
	l := new([1<<maxLog + 1]uint64)
	for f := 1; f < len(l); f++ {
		l[f] = uint64(math.Round(math.Log2(float64(f)) * (1 << CostBits)))
	}
	return l
})

// Costs returns what the values of each part of a block cost, in units of 2^-16 bits.
func (m *Model) Costs(values []uint64, parts []Part) []uint64 {
	a := accountant{symbols: make([]uint8, len(values)), values: values}
	costs := make([]uint64, len(parts))
	many := m.coded(parts) >= manyStates
	for i, p := range parts {
		if c := m.classed(p.Context); c != nil {
			costs[i] = a.classedCost(c, p.At, p.At+p.Count, many)
			continue
		}
		costs[i] = a.cost(m.table(p.Context), p.At, p.At+p.Count)
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
			sum += a.exception(from+i, v) << CostBits
			symbols[i] = t.common
		}
	}
	logs := logarithms()
	for _, s := range symbols {
		sum += uint64(t.log+t.bins[s].bits)<<CostBits - logs[t.freqs[s].freq()]
	}
	return sum
}

// classedCost is cost for the values of a divided context.
func (a *accountant) classedCost(c *classed, from, to int, many bool) (sum uint64) {
	symbols, values, logs := make([]uint16, to-from), a.values[from:to], logarithms()
	c.find(symbols, values, many)
	sum = uint64(len(values))
	for i, v := range values {
		r := &c.reach[symbols[i]]
		_, s := c.bin(symbols[i])
		if v-r.lo > r.mask {
			sum += a.exception(from+i, v) << CostBits
		}
		sum += classLog<<CostBits + r.bits<<CostBits - logs[s.frequency().freq()]
	}
	return sum
}

// exception returns the bits that the place of an exception and its value take.
func (a *accountant) exception(at int, v uint64) uint64 {
	gap := uint64(at - a.next)
	a.next = at + 1
	return 8 * uint64(format.UvarintLen(gap)+format.UvarintLen(v))
}
