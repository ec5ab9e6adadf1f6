package encode

import (
	"math/bits"
	"slices"
)

const (
	radixSort    = 128  // values from which on radix sort is faster
	coarseCells  = 1024 // cells of a context from which on rare values are counted together
	coarseDigits = 7    // binary digits, behind the first, that values counted together share
	coarseCount  = 4    // values from which on a cell is not counted with others
)

// cell counts equal values, or rare values close to each other.
type cell struct {
	first, last uint64
	n           int
}

// count returns the cells of values, in ascending order. It sorts the values.
func (f *fitter) count(values []uint64) []cell {
	values = f.sort(values)
	cells := f.cells[:0]
	for i := 0; i < len(values); {
		v, from := values[i], i
		for i++; i < len(values) && values[i] == v; i++ {
		}
		cells = append(cells, cell{v, v, i - from})
	}
	f.cells = cells
	if len(cells) > coarseCells {
		return coarsen(cells)
	}
	return cells
}

// coarsen joins neighbouring rare cells, in place.
func coarsen(cells []cell) []cell {
	to := 0
	for _, c := range cells[1:] {
		if p := &cells[to]; c.n < coarseCount && p.n < coarseCount && near(p.first, c.last) {
			p.last = c.last
			p.n += c.n
			continue
		}
		to++
		cells[to] = c
	}
	return cells[:to+1]
}

// near reports whether two numbers share their first binary digits.
func near(a, b uint64) bool {
	shift := max(bits.Len64(b)-1-coarseDigits, 0)
	return a>>shift == b>>shift
}

// sort returns the values in ascending order, in the memory of values or of f.other: it sorts byte by byte from the lowest,
// without the bytes that all values share.
func (f *fitter) sort(values []uint64) []uint64 {
	if len(values) < radixSort {
		slices.Sort(values)
		return values
	}
	differ := uint64(0)
	for _, v := range values {
		differ |= v ^ values[0]
	}
	from, to := values, slices.Grow(f.other[:0], len(values))[:len(values)]
	for shift := 0; differ>>shift != 0; shift += 8 {
		if differ>>shift&0xff != 0 {
			scatter(to, from, shift)
			from, to = to, from
		}
	}
	f.values, f.other = from, to
	return from
}

// scatter writes the values of src to dst, in the order of one of their bytes.
func scatter(dst, src []uint64, shift int) {
	var at [256]int
	for _, v := range src {
		at[uint8(v>>(shift&63))]++
	}
	next := 0
	for i, n := range at {
		at[i], next = next, next+n
	}
	for _, v := range src {
		b := uint8(v >> (shift & 63))
		dst[at[b]] = v
		at[b]++
	}
}
