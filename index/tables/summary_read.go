package tables

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// ReadTable reads the bytes of a table of a node that has some children. What it holds is bounded by the length
// of b.
func ReadTable(part Part, b []byte, children uint64) (*Table, error) {
	r := format.NewDecoder(summarySection, b)
	t := &Table{Part: part, fields: partFields[part].fields}
	lines := readHead(r, &t.Step, &t.Vectors, children)
	if lines > 0 {
		t.read(r, lines)
	}
	return t, r.Finish()
}

// readHead reads the head of a table, and returns the number of its lines. A table without lines has a vector for each child.
// Runs are of a power of two of children, and no longer than it takes to have all in one.
func readHead(r *format.Decoder, step *uint64, vectors *int, children uint64) (lines int) {
	size := r.Len()
	lines = r.Int(1 << 31)
	*step, *vectors = 1, int(children)
	if lines == 0 {
		return 0
	}
	*step, *vectors = r.Uvarint(), r.Int(1<<16)
	switch slots := uint64(lines) * uint64(*vectors); {
	case *step&(*step-1) != 0 || *step == 0 || *step/2 >= children && *step > 1 || uint64(*vectors) != (children-1) / *step + 1:
		r.Fail("%d vectors of %d children each, of %d", *vectors, *step, children)
	case tooDense(slots, size):
		r.Fail("%d lines of %d vectors in %d bytes", lines, *vectors, size)
	}
	if r.Err() != nil {
		return 0
	}
	return lines
}

func (t *Table) read(r *format.Decoder, lines int) {
	words := partFields[t.Part].words
	b := newBlockReader(r)
	heads := b.block(slices.Repeat([]int{lines}, words+1))
	if r.Err() != nil {
		return
	}
	t.Keys = getKeys(r, heads, lines, words)
	d := tableReader{Table: t, r: r, marks: heads.take(words, lines), base: words + 1, scratch: make([]uint64, t.Vectors)}
	var n int
	d.class, n = classes(t.Keys, t.Part, t.fields, d.base)
	d.sizes = make([]int, d.base+n*t.fields)
	b.contexts(len(d.sizes))
	if d.counts(b); r.Err() == nil {
		d.rest(b)
	}
}

// tableReader reads the sums of a table.
type tableReader struct {
	*Table
	r       *format.Decoder
	marks   []uint64
	class   []int
	base    int   // the first context that depends on the class
	sizes   []int // by context
	numbers [][]uint64
	scratch []uint64 // of one series
}

// context returns the context of a field of a line.
func (d *tableReader) context(line, field int) int { return d.base + d.class[line]*d.fields + field }

// counts reads the numbers.
func (d *tableReader) counts(b *blockReader) {
	for line := range d.Keys {
		d.sizes[d.context(line, SumCount)] += d.Vectors
	}
	c := b.block(d.sizes)
	if d.r.Err() != nil {
		return
	}
	d.numbers = make([][]uint64, len(d.Keys))
	for line := range d.Keys {
		d.numbers[line] = c.take(d.context(line, SumCount), d.Vectors)
	}
}

// rest reads the other sums.
func (d *tableReader) rest(b *blockReader) {
	series := 0
	clear(d.sizes)
	for line := range d.Keys {
		series += d.size(line)
	}
	c := b.block(d.sizes)
	if d.r.Err() != nil {
		return
	}
	d.series = slices.Repeat([]int32{-1}, len(d.Keys)*d.fields)
	d.sums = make([]uint64, 0, series*(d.Vectors+1))
	for line := range d.Keys {
		d.set(line, SumCount, d.numbers[line])
		if d.Part != Calls {
			d.rates(c, line)
			continue
		}
		d.times(c, line, SumTime)
		if d.marks[line]&markNested != 0 {
			d.times(c, line, SumNested)
		}
	}
	if d.Part == Calls {
		d.below(c)
	}
	d.check()
}

// size counts the sums of a line, and returns the number of its series at most.
func (d *tableReader) size(line int) (series int) {
	present := 0
	for _, n := range d.numbers[line] {
		if n > 0 {
			present++
		}
	}
	if d.Part != Calls {
		if d.marks[line] != 0 {
			d.r.Fail("line %d has the mark %d", line, d.marks[line])
		}
		for f := 1; f < d.fields; f++ {
			d.sizes[d.context(line, f)] += present
		}
		return d.fields
	}
	mark := d.marks[line]
	d.sizes[d.context(line, SumTime)] += present
	if mark&markNested != 0 {
		d.sizes[d.context(line, SumNested)] += present
	}
	if mark&markBelow != 0 {
		d.sizes[d.context(line, SumBelow)] += d.Vectors
	}
	if mark > markNested|markBelow {
		d.r.Fail("line %d has the mark %d", line, mark)
	}
	return 4
}

// set sets the sums of a field, unless all are 0.
func (d *tableReader) set(line, field int, sums []uint64) {
	if slices.ContainsFunc(sums, func(v uint64) bool { return v != 0 }) {
		copy(d.of(line, field)[1:], sums)
	}
}

// times reads the durations of a line, or those of nested calls.
func (d *tableReader) times(c *columnReader, line, field int) {
	context := d.context(line, field)
	for v, n := range d.numbers[line] {
		d.scratch[v] = 0
		if n > 0 {
			d.scratch[v] = c.get(context)
		}
	}
	d.set(line, field, d.scratch)
}

// rates reads sums that tend to be proportional to the number.
func (d *tableReader) rates(c *columnReader, line int) {
	for f := 1; f < d.fields; f++ {
		var p proportion
		for v, n := range d.numbers[line] {
			d.scratch[v] = 0
			if n > 0 {
				p = proportion{n, p.expect(n) + uint64(format.Unzigzag(c.get(d.context(line, f))))}
				d.scratch[v] = p.sum
			}
		}
		d.set(line, f, d.scratch)
	}
}

// below reads the durations of calls below, location by location; see putBelow.
func (d *tableReader) below(c *columnReader) {
	left := make([]uint64, d.Vectors) // all durations of a location less those below
	for first, end := 0, 0; first < len(d.Keys); first = end {
		clear(left)
		last := -1
		for end = first; end < len(d.Keys) && d.Keys[end][0] == d.Keys[first][0]; end++ {
			d.addTo(left, end, SumTime)
			if d.marks[end]&markBelow != 0 {
				last = end
			}
		}
		for line := first; line <= last; line++ {
			if d.marks[line]&markBelow == 0 {
				continue
			}
			for v := range d.scratch {
				own := left[v]
				if line < last {
					own = d.vectorTime(line, v)
				}
				d.scratch[v] = own - uint64(format.Unzigzag(c.get(d.context(line, SumBelow))))
				left[v] -= d.scratch[v]
			}
			d.set(line, SumBelow, d.scratch)
		}
	}
}

// addTo adds a sum of a line, vector by vector.
func (d *tableReader) addTo(sums []uint64, line, field int) {
	if s := d.series[line*d.fields+field]; s >= 0 {
		for v, sum := range d.sums[int(s)*(d.Vectors+1)+1:][:d.Vectors] {
			sums[v] += sum
		}
	}
}

// vectorTime returns the durations of a line in a vector.
func (d *tableReader) vectorTime(line, v int) uint64 {
	if s := d.series[line*d.fields+SumTime]; s >= 0 {
		return d.sums[int(s)*(d.Vectors+1)+1+v]
	}
	return 0
}

// check adds up, and makes sure that a writer could have written the same.
func (d *tableReader) check() {
	for line := range d.Keys {
		if d.mark(line) != d.marks[line] {
			d.r.Fail("line %d has the mark %d", line, d.marks[line])
		}
		if !slices.ContainsFunc(d.series[line*d.fields:][:d.fields], func(s int32) bool { return s >= 0 }) {
			d.r.Fail("line %d is empty", line)
		}
	}
	if !d.addUp() {
		d.r.Fail("sums of more than 63 bits")
	}
}
