package slice

import (
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Batch returns the events of a run with all their fields.
func (e *Events) Batch(run int) (*trace.Batch, error) {
	e.once.Do(func() { e.err = e.fillBatches() })
	if e.err != nil {
		return nil, e.err
	}
	return &e.batch[run], nil
}

// TakeBatches returns the events of all runs with all their fields, and keeps nothing of them: e may be used for others.
func (e *Events) TakeBatches() ([]trace.Batch, error) {
	e.batch = nil
	err := e.fillBatches()
	b := e.batch
	e.batch, e.Times = nil, nil
	return b, err
}

// fillBatches decodes the values besides times, and puts all into batches.
func (e *Events) fillBatches() error {
	var err error
	if e.Text, err = e.packed.Unpack(sliceSection, e.texts); err != nil {
		return err
	}
	e.values = e.values[:0]
	for g := int(trace.ColumnTimes) + 1; g < trace.ColumnGroups; g++ {
		if err := e.decodeGroup(g); err != nil {
			return err
		}
	}
	e.batch = slices.Grow(e.batch[:0], len(e.Runs))[:len(e.Runs)]
	e.predictor.Reset(e.predictions)
	fills := fillsPool.Get().(*columnFills)
	defer fillsPool.Put(fills)
	fills.reset(e.Dictionary, e.predictions)
	f := &filler{Events: e, fills: fills}
	at := 0
	for r := range e.Runs {
		if err := f.run(&e.batch[r], at, &e.Runs[r]); err != nil {
			return err
		}
		at += e.Runs[r].Events
	}
	if f.text != len(e.Text) {
		return format.Corruptf(sliceSection, -1, "%d bytes of text too many", len(e.Text)-f.text)
	}
	return nil
}

// filler makes batches out of decoded columns, runs in order.
type filler struct {
	*Events
	fills  *columnFills
	text   int
	before uint32           // number of the event before
	peers  shape.PeerFinder // of the run
}

func (f *filler) run(b *trace.Batch, at int, run *Run) error {
	n := run.Events
	b.Reset(f.ids(run.Location))
	b.Times = f.Times[at : at+n : at+n]
	b.Kinds = slices.Grow(b.Kinds, n)[:n]
	b.Starts = slices.Grow(b.Starts, n+1)[:n+1]
	b.Words = slices.Grow(b.Words, int(f.Dictionary.WordsOf(run.Tokens))-n)
	f.before, f.peers = 0, shape.PeerFinder{Dictionary: f.Dictionary, Location: run.Location}
	f.predictor.NextRun()
	if err := f.events(b, f.Leaves[at:at+n]); err != nil {
		return err
	}
	if len(run.Residuals) > 0 {
		return f.residuals(b, run.Residuals)
	}
	return nil
}

// events sets the kinds, words and attributes of a run's events. There is room for all words.
func (f *filler) events(b *trace.Batch, leaves []uint32) error {
	for from := 0; from < len(leaves); {
		to, err := f.stretch(b, leaves, from)
		if err == nil && len(f.fills.touched) > 0 {
			err = f.fillColumns(b)
		}
		if err != nil {
			return err
		}
		from = to
	}
	b.Starts[len(leaves)] = uint32(len(b.Words))
	if len(b.AttrStarts) > 0 {
		startAttrs(b, len(leaves))
	}
	return nil
}

// stretch sets what the events from one on are, but for what fillColumns does, and returns where it stops.
func (f *filler) stretch(b *trace.Batch, leaves []uint32, from int) (to int, err error) {
	info, words, at := f.Dictionary.Info(), b.Words[:cap(b.Words)], len(b.Words)
	last, full := min(from+fillEvents, len(leaves)), at+fillWords
	for to = from; to < last && at < full; to++ {
		if to, at = f.fills.plain(b, leaves[:last], to, at, full); to == last || at >= full {
			break
		}
		leaf := leaves[to]
		l := &info[leaf]
		b.Kinds[to], b.Starts[to] = l.Kind, uint32(at)
		if to > 0 {
			f.before = uint32(info[leaves[to-1]].Number)
		}
		n, err := f.event(b, words[at:], leaf, l, to)
		if err != nil {
			return 0, err
		}
		at += n
	}
	b.Words = words[:at]
	return to, nil
}

// startAttrs notes where the attributes of the events up to i begin, those before it having none that are not noted.
func startAttrs(b *trace.Batch, i int) {
	for len(b.AttrStarts) <= i {
		b.AttrStarts = append(b.AttrStarts, uint32(len(b.Attrs)))
	}
}

// residuals sets those of some events.
func (f *filler) residuals(b *trace.Batch, events []uint32) error {
	from := f.next[shape.ResidualColumn]
	f.next[shape.ResidualColumn] += len(events)
	b.Residuals = slices.Grow(b.Residuals, b.Len())[:b.Len()]
	clear(b.Residuals)
	for i, code := range f.values[from:f.next[shape.ResidualColumn]] {
		r, ok := f.predictor.Value(shape.ResidualColumn, code, b.Times[events[i]])
		if !ok {
			return badCode(shape.ResidualColumn, code)
		}
		b.Residuals[events[i]] = int64(r)
	}
	return nil
}

func badCode(column uint32, code uint64) error {
	return format.Corruptf(sliceSection, -1, "column %d: no value has the code %#x", column, code)
}

// event sets the words of event i of a batch, adds its attributes, and returns the number of the words.
func (f *filler) event(b *trace.Batch, words []uint64, leaf uint32, info *shape.LeafInfo, i int) (int, error) {
	d := f.Dictionary
	all := d.Words(leaf)
	words = words[:len(all)]
	for w := range words { // a few: a loop is faster than a call
		words[w] = all[w]
	}
	if info.Relative {
		peer, err := f.peers.Of(all)
		if err != nil {
			return 0, err
		}
		words[0] = peer
	}
	attrs := len(b.Attrs)
	if info.Attrs {
		startAttrs(b, i)
		b.Attrs = append(b.Attrs, d.Attrs(leaf)...)
	}
	if info.Layout > 0 {
		return len(words), f.fill(b, words, b.Attrs[attrs:], info.Layout, i)
	}
	return len(words), nil
}

// fill puts the values of event i, which have a layout, into its words and attributes, or notes it for fillColumns.
func (f *filler) fill(b *trace.Batch, words []uint64, attrs []trace.Attr, layout uint32, i int) error {
	x := f.fills.layout(layout)
	if len(x.columned) > 0 {
		f.fills.note(x, spot{uint32(i), b.Starts[i], f.before, layout})
	}
	for _, s := range x.ordered {
		v, err := f.value(b, s, b.Times[i])
		if err != nil {
			return err
		}
		if int(s.Word) < len(words) {
			words[s.Word] = v
		} else {
			attrs[int(s.Word)-len(words)].Value = v
		}
	}
	return nil
}

// value takes the next value of a column that is filled in by the order of events.
func (f *filler) value(b *trace.Batch, s shape.Slot, t int64) (v uint64, err error) {
	next := &f.next[f.contexts.of(s.Column, f.before)]
	code := f.values[*next]
	*next++
	switch s.Mode {
	case shape.Predicted:
		v, ok := f.predictor.Value(s.Column, code, t)
		if !ok {
			return 0, badCode(s.Column, code)
		}
		return v, nil
	case shape.Time:
		return uint64(t) + uint64(format.Unzigzag(code)), nil
	case shape.Text:
		if code > uint64(len(f.Text)-f.text) {
			return 0, format.Corruptf(sliceSection, -1, "text is shorter than its lengths say")
		}
		v = b.PutText(string(f.Text[f.text : f.text+int(code)]))
		f.text += int(code)
		return v, nil
	}
	return code, nil
}
