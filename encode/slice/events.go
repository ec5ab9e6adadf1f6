package slice

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Events are the decoded events of one lane in one slice. They are safe for concurrent use.
type Events struct {
	Block
	Dictionary *shape.Dictionary
	// Leaves are the numbers of the leaves of all events, runs one after the other; Times their times.
	Leaves []uint32
	Times  []int64
	// Sizes are those of the parts of the block.
	Sizes Sizes

	words       uint64   // see Words
	values      []uint64 // column by column
	starts      []int    // where each context begins in values, with one entry more
	contexts    *contexts
	predictions predictions
	once        sync.Once
	err         error // what the text has wrong
	batch       []trace.Batch
	ids         func(location uint32) uint64

	// What decoding needs besides, kept to be used again.
	structure    flattener
	counts       []int // of values, by context
	next         []int // by context: the next value
	predictor    predictor
	timeContexts []uint32 // of all events
}

// Decode decodes a slice block into memory that may have been used before: what e held is gone, batches too. The dictionary must hold
// all shapes of the slice's epoch; ids gives a location's id.
func (e *Events) Decode(b []byte, d *shape.Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) error {
	limits = limits.WithDefaults()
	r := format.NewDecoder(sliceSection, b)
	e.Dictionary, e.ids, e.contexts, e.predictions = d, ids, t.contexts, t.predictions
	e.once, e.err, e.Leaves = sync.Once{}, nil, e.Leaves[:0]
	var tokens int
	e.Block, tokens, e.words = readSlice(r, d, &t.TokenStatistics, limits, &e.structure, true)
	if r.Err() != nil {
		return r.Err()
	}
	e.Sizes = Sizes{Head: len(b) - tokens - len(e.Text), Text: len(e.Text), Tokens: tokens - r.Len(), Values: r.Len()}
	if err := e.setPeriods(t.Periods); err != nil {
		return err
	}
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

// readValues lays out the events, so that it knows how many values each context has, and decodes these.
func (e *Events) readValues(r *format.Decoder, t *Statistics) error {
	if e.Dictionary.Columns() < e.contexts.columns {
		r.Fail("the model has more columns than the dictionary")
		return r.Err()
	}
	if !e.predictions.fit(e.Dictionary.ColumnInfos()) {
		r.Fail("a prediction of a column that has none")
		return r.Err()
	}
	templates := takeTemplates(e.Dictionary, e.contexts)
	defer templatePool.Put(templates)
	if !templates.layOut(e) {
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
