package encode

// Builder collects the values of the blocks that will share a model.
type Builder struct {
	contexts int
	runs     [][]run // by block: where each context's values lie
	values   []uint64
}

// run is an interval of values.
type run struct{ from, to int }

// NewBuilder makes a builder of models with a number of contexts.
func NewBuilder(contexts int) *Builder { return &Builder{contexts: contexts} }

// Contexts returns the number of contexts.
func (b *Builder) Contexts() int { return b.contexts }

// Add takes a block: counts[c] values of context c, in order. It panics if counts and values do not fit each other.
func (b *Builder) Add(counts []int, values []uint64) {
	at := len(b.values)
	b.values = append(b.values, values...)
	runs := make([]run, b.contexts)
	for c, n := range counts {
		runs[c] = run{at, at + n}
		at += n
	}
	if at != len(b.values) {
		panic("encode: values do not fit counts")
	}
	b.runs = append(b.runs, runs)
}

// Build makes the model of the values collected. The same values make the same model.
func (b *Builder) Build() *Model {
	m := &Model{tableOf: make([]uint16, b.contexts)}
	var f fitter
	for c := range m.tableOf {
		cells := f.count(b.gather(f.values[:0], c))
		if bs := f.fit(cells); len(bs) > 0 {
			m.tableOf[c] = uint16(len(m.tables))
			m.tables = append(m.tables, table{bins: bs})
		}
	}
	if len(m.tables) == 0 {
		m.tables = []table{{bins: []bin{{}}}}
	}
	return m
}

// gather appends the values of a context to dst.
func (b *Builder) gather(dst []uint64, context int) []uint64 {
	for _, runs := range b.runs {
		dst = append(dst, b.values[runs[context].from:runs[context].to]...)
	}
	return dst
}
