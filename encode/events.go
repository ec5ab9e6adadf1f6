package encode

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Events are the decoded events of one lane in one slice. They are safe for concurrent use.
type Events struct {
	Slice
	Dictionary *Dictionary
	// Leaves are the shapes of all events, runs one after the other; Times their times.
	Leaves []uint32
	Times  []int64
	// Sizes are those of the parts of the block.
	Sizes Sizes

	values      []uint64 // column by column
	starts      []int    // where each context begins in values, with one entry more
	contexts    *contexts
	predictions predictions
	once        sync.Once
	err         error // what the text has wrong
	batch       []trace.Batch
	ids         func(location uint32) uint64

	// What decoding needs besides, kept to be used again.
	counts       []int // of values, by context
	next         []int // by context: the next value
	predictor    predictor
	timeContexts []uint32 // of all events
}

// DecodeSlice decodes a slice block. The dictionary must hold all shapes of the slice's epoch; ids gives a location's id.
func DecodeSlice(b []byte, d *Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) (*Events, error) {
	e := &Events{}
	return e, e.Decode(b, d, t, limits, ids)
}

// Decode is DecodeSlice into memory that was used before: what e held is gone, batches too.
func (e *Events) Decode(b []byte, d *Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) error {
	limits = limits.WithDefaults()
	r := format.NewDecoder(sliceSection, b)
	e.Dictionary, e.ids, e.contexts, e.predictions = d, ids, t.contexts, t.predictions
	e.once, e.err = sync.Once{}, nil
	var tokens int
	e.Slice, tokens = readSlice(r, d, t, limits)
	if r.Err() != nil {
		return r.Err()
	}
	e.Sizes = Sizes{Head: len(b) - tokens - len(e.Text), Text: len(e.Text), Tokens: tokens - r.Len(), Values: r.Len()}
	if err := e.setPeriods(t.Periods); err != nil {
		return err
	}
	e.expand()
	if err := e.readValues(r, t); err != nil {
		return err
	}
	return e.fillTimes()
}

// Span returns where the events of a run stand in Leaves and Times.
func (e *Events) Span(run int) (from, to int) {
	for i := range run {
		from += e.Runs[i].Events
	}
	return from, from + e.Runs[run].Events
}

func (e *Events) expand() {
	n := 0
	for i := range e.Runs {
		n += e.Runs[i].Events
	}
	e.Leaves = slices.Grow(e.Leaves[:0], n)
	for i := range e.Runs {
		e.Leaves = e.Dictionary.Expand(e.Leaves, e.Runs[i].Tokens)
	}
}

// readValues counts how many values each context has, from the structure, and decodes them.
func (e *Events) readValues(r *format.Decoder, t *Statistics) error {
	if e.Dictionary.Columns() < e.contexts.columns {
		r.Fail("the model has more columns than the dictionary")
		return r.Err()
	}
	if !e.predictions.fit(e.Dictionary.ColumnInfos()) {
		r.Fail("a prediction of a column that has none")
		return r.Err()
	}
	if !e.countValues() {
		r.Fail("a column that the model does not have")
		return r.Err()
	}
	e.starts = append(e.starts[:0], 0)
	total := 0
	for _, n := range e.counts {
		total += n
		e.starts = append(e.starts, total)
	}
	e.values = slices.Grow(e.values[:0], total)[:total]
	return t.Values.Decode(e.values, r.Take(r.Len()), e.counts)
}

// countValues counts the values of each context, and notes the contexts of the times. It reports false if there is a value
// of a column that has no context.
func (e *Events) countValues() bool {
	e.counts = append(e.counts[:0], make([]int, e.contexts.all)...)
	e.timeContexts = slices.Grow(e.timeContexts[:0], len(e.Leaves))[:len(e.Leaves)]
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		if !e.countRun(e.Leaves[at:at+run.Events], e.timeContexts[at:at+run.Events], uint32(b2u(len(run.Phases) > 0))) {
			return false
		}
		at += run.Events
		if run.Residuals {
			e.counts[ResidualColumn] += run.Events
		}
	}
	return true
}

// countRun counts the values of a run.
func (e *Events) countRun(leaves, timeContexts []uint32, lattice uint32) bool {
	c, counts, info := e.contexts, e.counts, e.Dictionary.Info()
	rows, table := c.rows, c.table
	before := uint32(0)
	timeContexts = timeContexts[:len(leaves)]
	for j, leaf := range leaves {
		l := &info[leaf]
		column := l.TimeColumn + lattice
		if int(column) >= c.columns {
			return false
		}
		var context uint32
		if int(column) < len(rows) { // what contexts.of does, which is not inlined
			r := &rows[column]
			context = table[r.at+min(before, r.limit)]
		} else {
			context = c.search(column, before)
		}
		timeContexts[j] = context
		counts[context]++
		if l.Slots > 0 && !e.countSlots(leaf, before) {
			return false
		}
		before = uint32(l.Number)
	}
	return true
}

// countSlots counts the values of an event that are no times.
func (e *Events) countSlots(leaf, before uint32) bool {
	c := e.contexts
	for _, s := range e.Dictionary.Leaf(leaf).Slots {
		if int(s.Column) >= c.columns {
			return false
		}
		e.counts[c.of(s.Column, before)]++
	}
	return true
}
