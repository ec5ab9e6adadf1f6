package encode

import "slices"

// Builder collects the values of the blocks that will share a model.
type Builder struct {
	contexts int
	blocks   []valueBlock
}

type valueBlock struct {
	ends   []int // by context: the end of its values
	values []uint64
}

// NewBuilder makes a builder of models with a number of contexts.
func NewBuilder(contexts int) *Builder {
	if contexts > maxContexts {
		panic("encode: too many contexts")
	}
	return &Builder{contexts: contexts}
}

// Contexts returns the number of contexts.
func (b *Builder) Contexts() int { return b.contexts }

// Add takes a block: counts[c] values of context c, in order. Contexts at the end may be missing from counts. It panics if counts
// and values do not fit each other.
func (b *Builder) Add(counts []int, values []uint64) {
	if n, ok := sum(counts); !ok || n != len(values) || len(counts) > b.contexts {
		panic("encode: values do not fit counts")
	}
	ends, end := make([]int, len(counts)), 0
	for c, n := range counts {
		end += n
		ends[c] = end
	}
	b.blocks = append(b.blocks, valueBlock{ends, slices.Clone(values)})
}

// Build makes the model of the values collected. The same values make the same model.
func (b *Builder) Build() *Model {
	m := b.fit()
	c := m.columns()
	code := NewBuilder(codeContexts)
	code.Add(c.headCounts(), c.head())
	code.Add(c.bodyCounts(), c.body())
	coded := &Model{tableOf: m.tableOf, tables: m.tables, code: code.fit()}
	if len(coded.Append(nil)) < len(m.Append(nil)) {
		return coded
	}
	return m
}

// fit finds each context's table.
func (b *Builder) fit() *Model {
	m := &Model{tableOf: make([]uint16, b.contexts)}
	var f fitter
	for c := range m.tableOf {
		b.count(&f.counter, c)
		if bs := f.fit(f.counter.sorted()); len(bs) > 0 {
			m.tableOf[c] = uint16(len(m.tables))
			m.tables = append(m.tables, table{bins: bs})
		}
	}
	if len(m.tables) == 0 && b.contexts > 0 {
		m.tables = []table{{bins: []bin{{}}}}
	}
	prepare(m.tables)
	return m
}

// count counts the values of a context.
func (b *Builder) count(to *counter, context int) {
	to.reset()
	for i := range b.blocks {
		to.add(b.blocks[i].of(context))
	}
}

// of returns the values of a context.
func (b *valueBlock) of(context int) []uint64 {
	switch {
	case context >= len(b.ends):
		return nil
	case context == 0:
		return b.values[:b.ends[0]]
	}
	return b.values[b.ends[context-1]:b.ends[context]]
}
