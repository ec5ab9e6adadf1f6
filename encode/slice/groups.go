package slice

import (
	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// groupBlocks are the blocks of values of a slice, by group: a reader decodes those that it needs. A group without values has no bytes.
type groupBlocks [trace.ColumnGroups][]byte

// append appends the blocks: the sizes of all but the last one stand in front.
func (b *groupBlocks) append(dst []byte) []byte {
	for _, block := range b[:len(b)-1] {
		dst = format.AppendUvarint(dst, uint64(len(block)))
	}
	for _, block := range b {
		dst = append(dst, block...)
	}
	return dst
}

// read finds the blocks that append wrote, which are all that is left.
func (b *groupBlocks) read(r *format.Decoder) {
	var sizes [trace.ColumnGroups]int
	for g := range len(sizes) - 1 {
		sizes[g] = r.Int(1 << 32)
	}
	for g := range len(sizes) - 1 {
		b[g] = r.Take(sizes[g])
	}
	b[len(sizes)-1] = r.Take(r.Len())
}

// contextGroups lists the contexts of each group of values, in rising order, for columns that a dictionary tells of.
type contextGroups struct {
	infos *shape.ColumnInfo // the first one
	all   [trace.ColumnGroups][]uint32
}

// group returns the contexts of a group of values.
func (c *contexts) group(g int, infos []shape.ColumnInfo) []uint32 {
	if len(infos) == 0 {
		return nil
	}
	groups := c.groups.Load()
	if groups == nil || groups.infos != &infos[0] {
		groups = &contextGroups{infos: &infos[0]}
		for i := range uint32(c.all) {
			column := i
			if int(i) >= c.columns {
				column = c.pairs[int(i)-c.columns].Column
			}
			of := &groups.all[shape.GroupOf(infos, column)]
			*of = append(*of, i)
		}
		c.groups.Store(groups)
	}
	return groups.all[g]
}

// parts appends what contexts have values in a group, of which there are counts in all contexts, and returns the number of these values.
func (c *contexts) parts(parts []column.Part, g int, counts []int, infos []shape.ColumnInfo) (_ []column.Part, n int) {
	for _, context := range c.group(g, infos) {
		if count := counts[context]; count > 0 {
			parts = append(parts, column.Part{Context: int(context), At: n, Count: count})
			n += count
		}
	}
	return parts, n
}

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
