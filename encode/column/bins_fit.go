package column

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/format"
)

const (
	// binCost is what a bin takes in the model, about, without its gap and weight.
	binCost = 5 * bitio.Bit
	// exceptionCost is what an exception takes besides its value.
	exceptionCost = 18 * bitio.Bit
	// hopeless is by how much a bin must be too dear for wider ones not to be tried.
	hopeless = 50 * bitio.Bit
)

// Fitter finds the bins that make values and model small. Its slices are scratch.
type Fitter struct {
	counter counter
	ways    []way
	least   []int64
	classes [][]uint64 // values of a divided context
}

// fitters are those that nobody uses.
var fitters = sync.Pool{New: func() any { return &Fitter{} }}

// withFitter lends one.
func withFitter(do func(f *Fitter)) {
	f := fitters.Get().(*Fitter)
	defer fitters.Put(f)
	do(f)
}

// way is the cheapest way found to divide the cells before some point into bins and exceptions.
type way struct {
	cost   int64  // without the N·log2(N) that all ways share
	free   uint64 // the first number that the offset bits of the last bin do not reach
	lo     uint64 // begin of the last bin
	values int    // in the cells
	from   int32  // cells before the last bin or exception
	bits   uint8  // of the last bin
	gone   bool   // the last cell is an exception
}

// fit divides cells into bins, and returns what values and bins cost. If the bins are too many, they are the cells of
// further tries, in which bins cost more. No bin reaches from below a cut to above it, nor begins below one that its values are above.
func (f *Fitter) fit(cells []cell, cuts []uint64) (bs []bin, cost int64) {
	for price := int64(binCost); ; price += price / 8 {
		cost = f.divide(cells, cuts, price)
		if n := f.count(len(cells)); n <= maxBins {
			return f.bins(cells, n), cost
		}
		cells = f.joinBins(cells)
	}
}

// divide finds the cheapest division of cells into bins, which cost `price` each, and exceptions, by dynamic programming.
// It returns the cost. A bin that ends with cell j begins at one of few places only: at the lowest cell that a number of
// offset bits can reach. Trying all places would save one part in a thousand.
func (f *Fitter) divide(cells []cell, cuts []uint64, price int64) (cost int64) {
	total := 0
	for _, c := range cells {
		total += c.n
	}
	f.ways = slices.Grow(f.ways[:0], len(cells)+1)[:len(cells)+1]
	f.ways[0] = way{}
	var reach [maxBits + 1]int // by offset bits, the first cell that a bin with the current cell can hold
	begin, cut := 0, uint64(0) // the first cell behind the last cut, and that
	for j, c := range cells {
		for len(cuts) > 0 && cuts[0] <= c.first {
			begin, cut, cuts = j, cuts[0], cuts[1:]
		}
		w := f.ways[j]
		w.cost += exceptions(c) - int64(c.n)*bitio.Log2(total)
		w.values += c.n
		w.from, w.gone = int32(j), true
		for k := bits.Len64(c.last - c.first); k <= maxBits; {
			i := max(reach[k], begin)
			for c.last-cells[i].first > 1<<(k&63)-1 {
				i++
			}
			reach[k] = i
			if cost := extend(&w, &f.ways[i], int32(i), uint8(k), cells[i].first, c.last, cut, price); i == begin || cost > w.cost+hopeless {
				break
			}
			k = bits.Len64(c.last - cells[i-1].first) // fewer reach no further
		}
		f.ways[j+1] = w
	}
	return f.ways[len(cells)].cost + int64(total)*bitio.Log2(total)
}

// extend makes `to` the way `w` to i cells with one more bin, from first to last and with k offset bits, if that is cheaper. It does not begin below
// the cut. It returns the cost.
func extend(to, w *way, i int32, k uint8, first, last, cut uint64, price int64) int64 {
	size := uint64(1)<<(k&63) - 1
	lo := max(last-min(size, last), min(w.free, first), cut)
	n := to.values - w.values
	log := bitio.Log2(n)
	cost := w.cost + price + gapCost(lo-w.free) + log/4 + int64(n)*(int64(k)*bitio.Bit-log)
	if cost < to.cost && lo <= math.MaxUint64-size {
		free := lo + size + 1
		if free == 0 {
			free = math.MaxUint64
		}
		*to = way{cost: cost, free: free, lo: lo, values: to.values, from: i, bits: k}
	}
	return cost
}

// count returns the number of bins that divide found for the given number of cells.
func (f *Fitter) count(cells int) (bins int) {
	for n := cells; n > 0; n = int(f.ways[n].from) {
		if !f.ways[n].gone {
			bins++
		}
	}
	return bins
}

// bins returns the bins that divide found; many is their number.
func (f *Fitter) bins(cells []cell, many int) []bin {
	bs := make([]bin, many)
	for n := len(cells); n > 0; {
		w := &f.ways[n]
		from := int(w.from)
		if !w.gone {
			many--
			bs[many] = bin{lo: w.lo, bits: w.bits, weight: weightOf(w.values - f.ways[from].values)}
		}
		n = from
	}
	return bs
}

// joinBins returns the cells that each bin or exception which divide found holds, joined to one.
func (f *Fitter) joinBins(cells []cell) []cell {
	var joined []cell
	for n := len(cells); n > 0; {
		w := &f.ways[n]
		from := int(w.from)
		joined = append(joined, cell{cells[from].first, cells[n-1].last, w.values - f.ways[from].values})
		n = from
	}
	slices.Reverse(joined)
	return joined
}

// gapCost is about what the gap before a bin takes in the model.
func gapCost(gap uint64) int64 {
	return int64(bits.Len64(format.Zigzag(int64(gap)))) * (5 * bitio.Bit / 4)
}

// exceptions is what it costs to make the values of a cell exceptions.
func exceptions(c cell) int64 {
	bytes := int64(bits.Len64(c.last)+6) / 7
	return int64(c.n) * (exceptionCost + bytes*8*bitio.Bit)
}

// weightOf returns the weight whose mass is closest to n values, measured between the roots.
func weightOf(n int) uint32 { return uint32((math.Sqrt(float64(n-1)) + 1) / 2) }

// Cost returns about what values cost.
func (f *Fitter) Cost(values []uint64) int64 {
	f.counter.reset()
	f.counter.add(values)
	_, cost := f.fit(f.counter.sorted(nil), nil)
	return cost
}
