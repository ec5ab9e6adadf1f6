package column

import (
	"math/bits"

	"github.com/pandotrace/pando/format"
)

const (
	classes      = 4 // of bins, by offset bits
	headColumns  = 3
	codeContexts = headColumns + 2*classes
)

// columns is a model as numbers.
type columns struct{ tables, sizes, digits, gaps, weights []uint64 }

func makeColumns(contexts, tables, bins int) columns {
	return columns{
		tables: make([]uint64, contexts), sizes: make([]uint64, tables),
		digits: make([]uint64, bins), gaps: make([]uint64, bins), weights: make([]uint64, bins),
	}
}

// all lists the columns in their order.
func (c *columns) all() [5][]uint64 {
	return [...][]uint64{c.tables, c.sizes, c.digits, c.gaps, c.weights}
}

func (c *columns) appendPlain(dst []byte) []byte {
	w := digitWriter{dst: dst}
	for _, column := range c.all() {
		for _, v := range column {
			w.put(v)
		}
	}
	return w.dst
}

// plainBytes returns how many bytes appendPlain appends.
func (c *columns) plainBytes() int {
	n := 0
	for _, column := range c.all() {
		for _, v := range column {
			n += max(2*bits.Len64(v), 1)
		}
	}
	return (n + 7) / 8
}

func (c *columns) readPlain(d *format.Decoder) {
	r := newDigitReader(d)
	for _, column := range c.all() {
		for i := range column {
			column[i] = r.get()
		}
	}
	r.finish()
}

func (c *columns) appendCoded(dst []byte, code *Model) []byte {
	dst = format.AppendBytes(dst, code.Encode(nil, c.headCounts(), c.head()))
	return code.Encode(dst, c.bodyCounts(), c.body())
}

func (c *columns) readCoded(d *format.Decoder, code *Model) {
	head := d.Bytes()
	if d.Err() == nil && code.Contexts() != codeContexts {
		d.Fail("a code with %d contexts", code.Contexts())
	}
	c.decode(d, code, c.headCounts(), head, c.setHead)
	c.decode(d, code, c.bodyCounts(), d.Take(d.Len()), c.setBody)
}

// decode decodes a block of the model and gives it to set.
func (c *columns) decode(d *format.Decoder, code *Model, counts []int, block []byte, set func([]uint64)) {
	if d.Err() != nil {
		return
	}
	n, _ := sum(counts)
	values := make([]uint64, n)
	if err := code.Decode(values, block, counts); err != nil {
		d.Fail("%v", err)
	}
	set(values)
}

// headCounts returns the numbers of values in the first block.
func (c *columns) headCounts() []int { return []int{len(c.tables), len(c.sizes), len(c.digits)} }

func (c *columns) head() []uint64 {
	return append(append(append([]uint64(nil), c.tables...), c.sizes...), c.digits...)
}

func (c *columns) setHead(values []uint64) {
	values = values[copy(c.tables, values):]
	values = values[copy(c.sizes, values):]
	copy(c.digits, values)
}

// bodyCounts returns the numbers of values in the second block.
func (c *columns) bodyCounts() []int {
	counts := make([]int, codeContexts)
	for _, digits := range c.digits {
		counts[headColumns+class(digits)]++
		counts[headColumns+classes+class(digits)]++
	}
	return counts
}

// body returns the gaps, class by class, and then the weights.
func (c *columns) body() []uint64 {
	values := make([]uint64, 2*len(c.digits))
	at := starts(c.bodyCounts())
	for i, digits := range c.digits {
		gap, weight := headColumns+class(digits), headColumns+classes+class(digits)
		values[at[gap]], values[at[weight]] = c.gaps[i], c.weights[i]
		at[gap]++
		at[weight]++
	}
	return values
}

func (c *columns) setBody(values []uint64) {
	at := starts(c.bodyCounts())
	for i, digits := range c.digits {
		gap, weight := headColumns+class(digits), headColumns+classes+class(digits)
		c.gaps[i], c.weights[i] = values[at[gap]], values[at[weight]]
		at[gap]++
		at[weight]++
	}
}

// starts returns where the values of each context begin.
func starts(counts []int) (at [codeContexts]int) {
	next := 0
	for c, n := range counts {
		at[c], next = next, next+n
	}
	return at
}

// class returns the class of a bin.
func class(digits uint64) int {
	switch {
	case digits == 0:
		return 0
	case digits < 4:
		return 1
	case digits < 8:
		return 2
	}
	return 3
}
