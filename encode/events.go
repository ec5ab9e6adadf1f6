package encode

import (
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

	values       []uint64 // column by column
	counters     []Counter
	starts       []int // where each context begins in values, with one entry more
	contexts     *contexts
	timeContexts []uint32 // of all events, while they are decoded
	once         sync.Once
	err          error // what the text has wrong
	batch        []trace.Batch
	ids          func(location uint32) uint64
}

// DecodeSlice decodes a slice block. The dictionary must hold all shapes of the slice's epoch; ids gives a location's id.
func DecodeSlice(b []byte, d *Dictionary, t *Statistics, limits format.Limits, ids func(uint32) uint64) (*Events, error) {
	limits = limits.WithDefaults()
	r := format.NewDecoder(sliceSection, b)
	e := &Events{Slice: *readSliceHead(r, limits), Dictionary: d, ids: ids, counters: t.Counters}
	if r.Err() != nil {
		return nil, r.Err()
	}
	if err := readTokens(r, &e.Slice, d, t.Structure, limits); err != nil {
		return nil, err
	}
	if err := e.setPeriods(t.Periods); err != nil {
		return nil, err
	}
	e.expand()
	if err := e.readValues(r, t); err != nil {
		return nil, err
	}
	return e, e.fillTimes()
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
	e.Leaves = make([]uint32, 0, n)
	for i := range e.Runs {
		e.Leaves = e.Dictionary.Expand(e.Leaves, e.Runs[i].Tokens)
	}
}

// readValues counts how many values each context has, from the structure, and decodes them.
func (e *Events) readValues(r *format.Decoder, t *Statistics) error {
	if e.contexts = t.contexts; e.Dictionary.Columns() < e.contexts.columns {
		r.Fail("the model has more columns than the dictionary")
		return r.Err()
	}
	counts, ok := e.countValues()
	if !ok {
		r.Fail("a column that the model does not have")
		return r.Err()
	}
	e.starts = make([]int, len(counts)+1)
	for i, n := range counts {
		e.starts[i+1] = e.starts[i] + n
	}
	e.values = make([]uint64, e.starts[len(counts)])
	return t.Values.Decode(e.values, r.Take(r.Len()), counts)
}

// countValues returns the number of values of each context, and notes the contexts of the times. ok is false if there is a value of
// a column that has no context.
func (e *Events) countValues() (counts []int, ok bool) {
	c := e.contexts
	counts = make([]int, c.all)
	e.timeContexts = make([]uint32, len(e.Leaves))
	info := e.Dictionary.Info()
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		lattice := uint32(b2u(len(run.Phases) > 0))
		before := uint16(0)
		for j, leaf := range e.Leaves[at : at+run.Events] {
			l := &info[leaf]
			column := l.TimeColumn + lattice
			if int(column) >= c.columns {
				return nil, false
			}
			context := c.of(column, before)
			e.timeContexts[at+j] = context
			counts[context]++
			if l.Slots > 0 {
				for _, s := range e.Dictionary.Leaf(leaf).Slots {
					if int(s.Column) >= c.columns {
						return nil, false
					}
					counts[c.of(s.Column, before)]++
				}
			}
			before = l.Number
		}
		at += run.Events
		if run.Residuals {
			counts[ResidualColumn] += run.Events
		}
	}
	return counts, true
}

// setPeriods gives the runs with a lattice the periods of their locations.
func (e *Events) setPeriods(periods []LocationPeriod) error {
	for i := range e.Runs {
		r := &e.Runs[i]
		for len(periods) > 0 && periods[0].Location < r.Location {
			periods = periods[1:]
		}
		if len(r.Phases) == 0 {
			continue
		}
		if len(periods) == 0 || periods[0].Location != r.Location {
			return format.Corruptf(sliceSection, -1, "location %d has a lattice but no period", r.Location)
		}
		r.Period = periods[0].Period
		left := r.Events
		for _, p := range r.Phases[:len(r.Phases)-1] {
			if p.Events >= left {
				return format.Corruptf(sliceSection, -1, "location %d has phases beyond its events", r.Location)
			}
			left -= p.Events
		}
		r.Phases[len(r.Phases)-1].Events = left
	}
	return nil
}

// fillTimes adds up the time differences.
func (e *Events) fillTimes() error {
	e.Times = make([]int64, len(e.Leaves))
	next := append([]int(nil), e.starts...)
	at := 0
	for i := range e.Runs {
		r := &e.Runs[i]
		contexts, times := e.timeContexts[at:at+r.Events], e.Times[at:at+r.Events]
		at += r.Events
		if len(r.Phases) > 0 {
			e.latticeTimes(r, contexts, times, next)
		} else {
			e.plainTimes(contexts, times, next)
		}
		before := e.Start
		for _, t := range times {
			if t < before || t >= e.End {
				return format.Corruptf(sliceSection, -1, "event at %d lies outside of the slice [%d, %d) or before its predecessor", t, e.Start, e.End)
			}
			before = t
		}
	}
	e.timeContexts = nil
	return nil
}

func (e *Events) plainTimes(contexts []uint32, times []int64, next []int) {
	t := e.Start
	for i, c := range contexts {
		t += int64(e.values[next[c]])
		next[c]++
		times[i] = t
	}
}

func (e *Events) latticeTimes(r *Run, contexts []uint32, times []int64, next []int) {
	k := uint64(0)
	i := 0
	for _, p := range r.Phases {
		for end := i + p.Events; i < end; i++ {
			c := contexts[i]
			k += e.values[next[c]]
			next[c]++
			times[i] = e.Start + int64(r.Period.at(k, p.Value))
		}
	}
}

// Batch returns the events of a run with all their fields.
func (e *Events) Batch(run int) (*trace.Batch, error) {
	e.once.Do(func() { e.err = e.fillBatches() })
	if e.err != nil {
		return nil, e.err
	}
	return &e.batch[run], nil
}

func (e *Events) fillBatches() error {
	batches := make([]trace.Batch, len(e.Runs))
	f := newFiller(e)
	at := 0
	for r := range e.Runs {
		if err := f.run(uint32(r+1), &batches[r], at, &e.Runs[r]); err != nil {
			return err
		}
		at += e.Runs[r].Events
	}
	if f.text != len(e.Text) {
		return format.Corruptf(sliceSection, -1, "%d bytes of text too many", len(e.Text)-f.text)
	}
	e.batch = batches
	return nil
}

func newFiller(e *Events) *filler {
	n := e.contexts.columns
	f := &filler{
		Events: e, next: append([]int(nil), e.starts...), last: make([]uint64, n), seen: make([]uint32, n),
		lastTime: make([]int64, n), counters: make([]*Counter, n),
	}
	for i := range e.counters {
		if c := &e.counters[i]; int(c.Column) < n {
			f.counters[c.Column] = c
		}
	}
	return f
}

// filler makes batches out of decoded columns, runs in order.
type filler struct {
	*Events
	next []int    // by context: the next value
	last []uint64 // by column: the previous value, in the run that seen says
	seen []uint32
	text int

	before   uint16  // number of the event before
	lastTime []int64 // by column of a counter
	counters []*Counter
}

func (f *filler) run(number uint32, b *trace.Batch, at int, run *Run) error {
	b.Reset(f.ids(run.Location))
	words := 0
	for _, leaf := range f.Leaves[at : at+run.Events] {
		words += len(f.Dictionary.leaves[f.Dictionary.shapes[leaf].leaf].Words)
	}
	b.Kinds = make([]trace.Kind, 0, run.Events)
	b.Times = f.Times[at : at+run.Events : at+run.Events]
	b.Starts = make([]uint32, 1, run.Events+1)
	b.Words = make([]uint64, 0, words)
	info := f.Dictionary.Info()
	f.before = 0
	for i := at; i < at+run.Events; i++ {
		leaf := &f.Dictionary.leaves[f.Dictionary.shapes[f.Leaves[i]].leaf]
		b.Kinds = append(b.Kinds, leaf.Kind)
		from := len(b.Words)
		b.Words = append(b.Words, leaf.Words...)
		if leaf.Relative {
			peer, err := f.Dictionary.Peer(leaf, run.Location)
			if err != nil {
				return err
			}
			b.Words[from] = peer
		}
		if len(leaf.Slots) > 0 && !f.fill(number, b, b.Words[from:], leaf, f.Times[i]) {
			return format.Corruptf(sliceSection, -1, "text is shorter than its lengths say")
		}
		if len(b.AttrStarts) > 0 && len(leaf.Attrs) == 0 {
			b.AttrStarts = append(b.AttrStarts, uint32(len(b.Attrs)))
		}
		b.Starts = append(b.Starts, uint32(len(b.Words)))
		f.before = info[f.Leaves[i]].Number
	}
	if run.Residuals {
		from := f.next[ResidualColumn]
		f.next[ResidualColumn] += run.Events
		for _, v := range f.values[from : from+run.Events] {
			b.Residuals = append(b.Residuals, format.Unzigzag(v))
		}
	}
	return nil
}

// fill puts the values of one event into its words and attributes.
func (f *filler) fill(run uint32, b *trace.Batch, words []uint64, leaf *Leaf, t int64) bool {
	if len(leaf.Attrs) > 0 {
		if len(b.AttrStarts) == 0 {
			b.AttrStarts = append(b.AttrStarts, make([]uint32, len(b.Kinds))...)
		}
		b.Attrs = append(b.Attrs, leaf.Attrs...)
		b.AttrStarts = append(b.AttrStarts, uint32(len(b.Attrs)))
	}
	attrs := b.Attrs[len(b.Attrs)-len(leaf.Attrs):]
	for _, s := range leaf.Slots {
		c := f.contexts.of(s.Column, f.before)
		v := f.values[f.next[c]]
		f.next[c]++
		switch s.Mode {
		case Delta, Count:
			v = f.counted(run, s.Column, v, t)
		case Time:
			v = uint64(t) + uint64(format.Unzigzag(v))
		case Text:
			if v > uint64(len(f.Text)-f.text) {
				return false
			}
			word := b.PutText(string(f.Text[f.text : f.text+int(v)]))
			f.text += int(v)
			v = word
		}
		if int(s.Word) < len(words) {
			words[s.Word] = v
		} else {
			attrs[int(s.Word)-len(words)].Value = v
		}
	}
	return true
}

// counted returns the value of a column that is coded as the difference to the one before.
func (f *filler) counted(run, column uint32, v uint64, t int64) uint64 {
	c := f.counters[column]
	switch {
	case f.seen[column] != run:
		f.seen[column], f.last[column] = run, uint64(format.Unzigzag(v))
	case c != nil:
		f.last[column] += c.difference(v, uint64(t-f.lastTime[column]))
	default:
		f.last[column] += uint64(format.Unzigzag(v))
	}
	f.lastTime[column] = t
	return f.last[column]
}
