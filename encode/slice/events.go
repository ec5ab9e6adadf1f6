package slice

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/predict"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/text"
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

	words       uint64 // see Words
	blocks      groupBlocks
	model       *column.Model // of values
	total       int           // number of values
	values      []uint64      // of times; when batches are made, of all others
	contexts    *contexts
	predictions predict.Set
	once        sync.Once
	err         error // what the values of batches or the text have wrong
	packed      text.Text
	texts       *text.Dictionary
	batch       []trace.Batch
	ids         func(location uint32) uint64

	// What decoding needs besides, kept to be used again.
	counts       []int // of values, by context
	next         []int // by context: the next value
	parts        []column.Part
	predictor    predict.Predictor
	timeContexts []uint32 // of all events
}

// Decode decodes a slice block into memory that may have been used before: what e held is gone, batches too. The dictionary must hold
// all shapes of the slice's epoch; ids gives a location's id.
func (e *Events) Decode(b []byte, d *shape.Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) error {
	limits = limits.WithDefaults()
	r := format.NewDecoder(sliceSection, b)
	e.Dictionary, e.ids, e.contexts, e.predictions, e.model, e.texts = d, ids, t.contexts, t.predictions, t.Values, t.Texts
	e.once, e.err, e.Leaves = sync.Once{}, nil, e.Leaves[:0]
	var structure int
	e.Block, e.packed, structure, e.words = readSlice(r, d, &t.TokenStatistics, limits, true, &readRoom{})
	if r.Err() != nil {
		return r.Err()
	}
	e.Sizes = Sizes{Head: len(b) - structure - e.packed.Stored() - r.Len(), Text: e.packed.Stored(), Structure: structure, Values: r.Len()}
	if err := e.setPeriods(t.Periods); err != nil {
		return err
	}
	if err := e.readValues(r); err != nil {
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

// readValues lays out the events, so that it knows how many values each context has, and decodes those of times. The others are left
// until batches are made.
func (e *Events) readValues(r *format.Decoder) error {
	e.blocks.read(r)
	switch {
	case r.Err() != nil:
	case e.Dictionary.Columns() < e.contexts.columns:
		r.Fail("the model has more columns than the dictionary")
	default:
		if wrong := e.predictions.Check(e.Dictionary.ColumnInfos()); wrong != "" {
			r.Fail("%s", wrong)
		}
	}
	if r.Err() != nil {
		return r.Err()
	}
	templates := takeTemplates(e.Dictionary, e.contexts)
	defer templatePool.Put(templates)
	if !templates.layOut(e) {
		r.Fail("a column that the model does not have")
		return r.Err()
	}
	e.total = total(e.counts)
	e.next = slices.Grow(e.next[:0], len(e.counts))[:len(e.counts)]
	e.values = e.values[:0]
	return e.decodeGroup(int(trace.ColumnTimes))
}

// decodeGroup decodes the values of a group behind those that there are, and notes where each context's begin.
func (e *Events) decodeGroup(g int) error {
	var n int
	e.parts, n = e.contexts.parts(e.parts[:0], g, e.counts, e.Dictionary.ColumnInfos())
	if n == 0 {
		if len(e.blocks[g]) > 0 {
			return format.Corruptf(sliceSection, -1, "%d bytes for no values of group %d", len(e.blocks[g]), g)
		}
		return nil
	}
	at := len(e.values)
	for _, p := range e.parts {
		e.next[p.Context] = at + p.At
	}
	e.values = slices.Grow(e.values, n)[:at+n]
	return e.model.DecodeParts(e.values[at:], e.blocks[g], e.parts)
}
