package column

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// Builder collects the values of the blocks that will share a model.
type Builder struct {
	contexts int
	blocks   []valueBlock
	divided  bool // contexts may be
	each     Each
}

// Each calls a function with the numbers below n, in any order, some beside each other.
type Each func(n int, do func(i int))

// InOrder is Each, one after the other.
func InOrder(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

type valueBlock struct {
	ends   []int // by context: the end of its values
	values []uint64
}

// NewBuilder makes a builder of models with a number of contexts.
func NewBuilder(contexts int) *Builder {
	if contexts > MaxContexts {
		panic("column: too many contexts")
	}
	return &Builder{contexts: contexts, each: InOrder}
}

// Add takes a block: counts[c] values of context c, in order. Contexts at the end may be missing from counts. It panics if
// counts and values do not fit each other.
func (b *Builder) Add(counts []int, values []uint64) { b.Take(counts, slices.Clone(values)) }

// Take is Add for values that will stay as they are.
func (b *Builder) Take(counts []int, values []uint64) {
	if n, ok := sum(counts); !ok || n != len(values) || len(counts) > b.contexts {
		panic("column: values do not fit counts")
	}
	ends, end := make([]int, len(counts)), 0
	for c, n := range counts {
		end += n
		ends[c] = end
	}
	b.blocks = append(b.blocks, valueBlock{ends, values})
}

// Divide lets contexts be divided by the value before.
func (b *Builder) Divide() { b.divided = true }

// Beside lets contexts be looked at beside each other. That has no influence on the model.
func (b *Builder) Beside(each Each) { b.each = each }

// Build makes the model of the values collected. The same values make the same model.
func (b *Builder) Build() *Model {
	m := b.fit()
	c := m.columns()
	code := NewBuilder(codeContexts)
	code.Add(c.headCounts(), c.head())
	code.Add(c.bodyCounts(), c.body())
	coded := &Model{tableOf: m.tableOf, tables: m.tables, code: code.fit(), divisions: m.divisions, classes: m.classes}
	head, n := len(c.appendHead(nil, 0)), len(coded.Append(nil))
	if n < head+c.plainBytes() && !format.TooDense(uint64(c.things()), n-head) {
		return coded
	}
	return m
}

// things counts contexts, tables and bins: what each bin has are three numbers.
func (c *columns) things() int { return len(c.tables) + len(c.sizes) + format.BinThings*len(c.digits) }

// fit finds the tables.
func (b *Builder) fit() *Model {
	divisions, saved := b.divisions()
	m := b.fitDivided(divisions)
	for m == nil {
		divisions, saved = fewer(divisions, saved)
		m = b.fitDivided(divisions)
	}
	if kept := b.holding(m, divisions, saved); len(kept) < len(divisions) {
		m = b.fitDivided(kept)
	}
	return m
}

// fitDivided fits tables to contexts, and to the classes of those that are divided. It returns nil if these have too many bins.
func (b *Builder) fitDivided(divisions []Division) *Model {
	contexts := b.contexts + subContexts(divisions)
	groups := thin(b.groups(divisions))
	b.each(len(groups), func(i int) {
		withFitter(func(f *Fitter) { f.refit(groups[i]) })
	})
	m := &Model{tableOf: make([]uint16, contexts)}
	withFitter(func(f *Fitter) { groups = f.share(groups) })
	for _, g := range groups {
		if len(g.bins) > 0 {
			m.add(g)
		}
	}
	if len(m.tables) == 0 && contexts > 0 {
		m.tables = []table{{bins: []bin{{}}}}
	}
	m.renumber()
	prepare(m.tables)
	setLows(m.tables)
	if !m.Divide(divisions) {
		return nil
	}
	return m
}

// groups returns a group for each context and class that has values, context by context. There may be very many contexts.
func (b *Builder) groups(divisions []Division) []*group {
	plain, divided := make([]*group, b.contexts), make([][]*group, len(divisions))
	b.each(b.contexts, func(c int) {
		withFitter(func(f *Fitter) {
			if i, ok := divisionOf(divisions, c); ok {
				divided[i] = b.classGroups(f, &divisions[i], b.contexts+subContexts(divisions[:i]))
				return
			}
			b.count(&f.counter, c)
			plain[c] = f.group(c, nil)
		})
	})
	groups := make([]*group, 0, b.contexts+subContexts(divisions))
	for c, g := range plain {
		if g != nil {
			groups = append(groups, g)
		} else if i, ok := divisionOf(divisions, c); ok {
			groups = append(groups, divided[i]...)
		}
	}
	return groups
}

// divisionOf returns which of some divisions, in the order of their contexts, is that of a context.
func divisionOf(divisions []Division, context int) (i int, ok bool) {
	return slices.BinarySearchFunc(divisions, context, func(d Division, c int) int { return d.Context - c })
}

// classGroups returns a group for each class of a context that has values. The contexts of all but the first class begin with next.
func (b *Builder) classGroups(f *Fitter, d *Division, next int) (groups []*group) {
	f.classes = b.classes(f.classes, *d)
	for class, values := range f.classes {
		context := d.Context
		if class > 0 {
			context = next + class - 1
		}
		f.counter.reset()
		f.counter.add(values)
		if g := f.group(context, d.Thresholds); g != nil {
			groups = append(groups, g)
		}
	}
	return groups
}

// group returns a group of the values that are counted, nil if there are none.
func (f *Fitter) group(context int, cuts []uint64) *group {
	if cells := f.counter.sorted(cuts); len(cells) > 0 {
		return newGroup(context, cells, cuts)
	}
	return nil
}

// add gives the contexts of a group a table.
func (m *Model) add(g *group) {
	for _, c := range g.contexts {
		m.tableOf[c] = uint16(len(m.tables))
	}
	m.tables = append(m.tables, table{bins: g.bins})
}

// renumber puts the tables in the order in which contexts first use them. A table that none uses goes.
func (m *Model) renumber() {
	numbers := make([]int, len(m.tables)) // plus 1
	var tables []table
	for c, t := range m.tableOf {
		if numbers[t] == 0 {
			tables = append(tables, m.tables[t])
			numbers[t] = len(tables)
		}
		m.tableOf[c] = uint16(numbers[t] - 1)
	}
	m.tables = tables
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
