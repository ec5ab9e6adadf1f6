package tables

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// columns collects numbers by context.
type columns [][]uint64

func newColumns(contexts int) columns { return make(columns, contexts) }

func (c columns) put(context int, v uint64) { c[context] = append(c[context], v) }

// flat returns the number of numbers of each context, and the numbers, context by context.
func (c columns) flat() (counts []int, values []uint64) {
	counts = make([]int, len(c))
	n := 0
	for i, list := range c {
		counts[i] = len(list)
		n += len(list)
	}
	values = make([]uint64, 0, n)
	for _, list := range c {
		values = append(values, list...)
	}
	return counts, values
}

// A table's numbers stand in three blocks, each coded as
//
//	form 0: the numbers as uvarints, context by context
//	form 1: bytes, a block of values of the model
const (
	plainForm = 0
	modelForm = 1
)

// worthModel is the number of values from which on a model may pay for itself.
const worthModel = 64

// form returns the form that makes the blocks smallest: the model if there is one, and the blocks.
func form(blocks []columns) []byte {
	all := flatten(blocks)
	n, plain := 0, 1
	for _, f := range all {
		n += len(f.values)
		for _, v := range f.values {
			plain += format.UvarintLen(v)
		}
	}
	if n >= worthModel {
		if coded := appendForm(nil, fitModel(len(blocks[0]), all), all); len(coded) < plain {
			return coded
		}
	}
	return appendForm(make([]byte, 0, plain), nil, all)
}

// flatColumns is what [columns.flat] returns.
type flatColumns struct {
	counts []int
	values []uint64
}

func flatten(blocks []columns) []flatColumns {
	all := make([]flatColumns, len(blocks))
	for i, b := range blocks {
		all[i].counts, all[i].values = b.flat()
	}
	return all
}

// fitModel returns the model of blocks with a number of contexts.
func fitModel(contexts int, blocks []flatColumns) *column.Model {
	b := column.NewBuilder(contexts)
	for _, f := range blocks {
		b.Add(f.counts, f.values)
	}
	return b.Build()
}

// appendForm appends form 1 with a model, or without one form 0.
func appendForm(dst []byte, m *column.Model, blocks []flatColumns) []byte {
	if m == nil {
		dst = append(dst, plainForm)
	} else {
		dst = format.AppendBytes(append(dst, modelForm), m.Append(nil))
	}
	for _, f := range blocks {
		if m != nil {
			dst = format.AppendBytes(dst, m.Encode(nil, f.counts, f.values))
			continue
		}
		for _, v := range f.values {
			dst = format.AppendUvarint(dst, v)
		}
	}
	return dst
}

// blockReader reads what form wrote, block by block.
type blockReader struct {
	r     *format.Decoder
	model *column.Model
}

func newBlockReader(r *format.Decoder) *blockReader {
	b := &blockReader{r: r}
	switch form := r.Byte(); form {
	case plainForm:
	case modelForm:
		var err error
		if b.model, err = column.ParseModel(r.Bytes()); err != nil && r.Err() == nil {
			r.Fail("%v", err)
		}
	default:
		r.Fail("form %d", form)
	}
	return b
}

// contexts checks the number of contexts of the model.
func (b *blockReader) contexts(n int) {
	if b.model != nil && b.model.Contexts() != n {
		b.r.Fail("a model of %d contexts, should be %d", b.model.Contexts(), n)
	}
}

// block reads a block: counts[c] numbers of context c. The result is of use only if the reader has not failed.
func (b *blockReader) block(counts []int) *columnReader {
	c := &columnReader{next: make([]int, len(counts))}
	total := 0
	for i, n := range counts {
		c.next[i] = total
		total += n
	}
	switch {
	case b.r.Err() != nil:
	case b.model == nil && total > b.r.Len():
		b.r.Fail("%d numbers in %d bytes", total, b.r.Len())
	case b.model == nil:
		c.values = make([]uint64, total)
		for i := range c.values {
			c.values[i] = b.r.Uvarint()
		}
	case len(counts) > b.model.Contexts():
		b.r.Fail("a model of %d contexts", b.model.Contexts())
	default:
		c.values = make([]uint64, total)
		if err := b.model.Decode(c.values, b.r.Bytes(), counts); err != nil {
			b.r.Fail("%v", err)
		}
	}
	return c
}

// columnReader gives back the numbers of a block.
type columnReader struct {
	next   []int // by context
	values []uint64
}

func (c *columnReader) get(context int) uint64 {
	v := c.values[c.next[context]]
	c.next[context]++
	return v
}

// take returns the next n numbers of a context.
func (c *columnReader) take(context, n int) []uint64 {
	at := c.next[context]
	c.next[context] += n
	return c.values[at : at+n]
}

// maxContexts is the most contexts that a model can have.
const maxContexts = 1 << 16

// classes numbers the lines of a table by what their keys say besides locations: lines of one class are alike. If that were
// too many, all are of one class.
func classes(keys []Key, part Part, fields, base int) (class []int, n int) {
	class = make([]int, len(keys))
	if part == Messages || len(keys) == 0 {
		return class, 1
	}
	kinds := make([]Key, len(keys))
	for i, k := range keys {
		kinds[i] = Key{0, k[1], k[2], k[3]}
	}
	sorted := slices.Clone(kinds)
	order := func(a, b Key) int { return a.Compare(&b) }
	slices.SortFunc(sorted, order)
	sorted = slices.Compact(sorted)
	if base+fields*len(sorted) > maxContexts {
		return class, 1
	}
	for i, k := range kinds {
		class[i], _ = slices.BinarySearchFunc(sorted, k, order)
	}
	return class, len(sorted)
}
