package slice

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Draft is one lane's part of a slice on its way to a block; it is the inverse of [Events]. First it collects events, run by run.
// Then it is counted, by itself, and last the drafts of a group get their statistics.
type Draft struct {
	Block
	// Leaves are the numbers of the leaves of all events, runs one after the other; Times their times.
	Leaves []uint32
	Times  []int64

	raw    []rawValue
	begins []beginOfRun
	tokens []shape.Token // of all runs

	residuals []uint32 // of all runs: numbers of the events that have one
	pending   []int64  // residuals of the run that began last

	packed text.Text // once the group has its statistics

	*workspace
}

// workspace is what a draft needs from when it is counted until it is coded.
type workspace struct {
	spans               []uint64 // by event: the time since the one before as it is coded, a difference or ticks
	codes               []uint64 // by raw value
	pairs               pairCounter
	timePairs, rawPairs []uint32 // by event and by raw value: numbers in pairs

	// The values as the block has them: how many each context has, and all of them, context by context.
	counts []int
	values []uint64
	next   []int
}

// workspaces are those that no draft has. There are never more than drafts that are coded at the same time.
var workspaces = sync.Pool{New: func() any { return &workspace{} }}

// work makes sure that the draft has a workspace.
func (d *Draft) work() {
	if d.workspace == nil {
		d.workspace = workspaces.Get().(*workspace)
	}
}

// Finish ends the work on a draft that is coded, or will not be: it has to be counted anew before it is coded again.
func (d *Draft) Finish() {
	if d.workspace != nil {
		workspaces.Put(d.workspace)
		d.workspace = nil
	}
}

// Memory returns about how many bytes the events collected take.
func (d *Draft) Memory() int {
	const perEvent, perValue, perRun, perToken, perResidual = 12, 24, 136, 8, 4
	return perEvent*cap(d.Times) + perValue*cap(d.raw) + perRun*cap(d.Runs) + perToken*cap(d.tokens) + perResidual*cap(d.residuals) + cap(d.Text)
}

// Wasteful reports whether the draft holds much more memory than its events needed. Such a one should not be used again: with many
// lanes, each would sooner or later have room for the largest of all.
func (d *Draft) Wasteful() bool {
	const events = 256
	return cap(d.Times) > events+4*len(d.Times) || cap(d.raw) > events+4*len(d.raw)
}

// rawValue is a value that is not the time of an event.
type rawValue struct {
	value  uint64
	time   int64 // of its event
	column uint32
	before uint16 // number of the event before
	mode   shape.SlotMode
}

// beginOfRun is where the events and raw values of a run begin.
type beginOfRun struct{ event, raw int }

// Reset starts a draft of a slice without runs. The draft's memory is kept.
func (d *Draft) Reset(s Block) {
	s.Runs, s.Text = d.Runs[:0], d.Text[:0]
	d.Block, d.packed = s, text.Text{}
	d.Leaves, d.Times, d.raw, d.begins, d.tokens = d.Leaves[:0], d.Times[:0], d.raw[:0], d.begins[:0], d.tokens[:0]
	d.residuals = d.residuals[:0]
}

// Reserve makes room in an empty draft for numbers of events and of values besides their times.
func (d *Draft) Reserve(events, values int) {
	const spare = 8 // a part of the room that these do not need, but those of the next slice may
	if cap(d.Times) < events || cap(d.Leaves) < events {
		d.Leaves, d.Times = make([]uint32, 0, events+events/spare), make([]int64, 0, events+events/spare)
	}
	if cap(d.raw) < values {
		d.raw = make([]rawValue, 0, values+values/spare)
	}
}

// ValueCount returns the number of values besides times.
func (d *Draft) ValueCount() int { return len(d.raw) }

// BeginRun starts the part of a location.
func (d *Draft) BeginRun() { d.begins = append(d.begins, beginOfRun{len(d.Leaves), len(d.raw)}) }

// Events adds events to the run that began last, and returns where their leaves are to be put.
func (d *Draft) Events(times []int64) (leaves []uint32) {
	d.Times = append(d.Times, times...)
	d.Leaves = slices.Grow(d.Leaves, len(times))[:len(d.Times)]
	return d.Leaves[len(d.Leaves)-len(times):]
}

// EndRun completes the run that began last. Its tokens are copied; its residuals are those that the draft was given.
func (d *Draft) EndRun(r Run) {
	at := len(d.tokens)
	d.tokens = append(d.tokens, r.Tokens...)
	r.Tokens = d.tokens[at:len(d.tokens):len(d.tokens)]
	r.Residuals = lastOf(d.residuals, len(d.pending))
	d.Runs = append(d.Runs, r)
	times := d.TimesOf(len(d.Runs) - 1)
	for i, v := range d.pending {
		d.raw = append(d.raw, rawValue{value: uint64(v), time: times[r.Residuals[i]], column: shape.ResidualColumn})
	}
	d.pending = d.pending[:0]
}

// lastOf returns the last n of a list, nil if there are none.
func lastOf(list []uint32, n int) []uint32 {
	if n == 0 {
		return nil
	}
	return list[len(list)-n : len(list) : len(list)]
}

// TimesOf returns the times of a run.
func (d *Draft) TimesOf(run int) []int64 {
	at := d.begins[run].event
	return d.Times[at : at+d.Runs[run].Events]
}

// Residuals adds the source-time residuals of the events that were added last. Those that are 0 are none.
func (d *Draft) Residuals(residuals []int64) {
	first := len(d.Times) - len(residuals) - d.begins[len(d.begins)-1].event
	for i, r := range residuals {
		if r != 0 {
			d.residuals, d.pending = append(d.residuals, uint32(first+i)), append(d.pending, r)
		}
	}
}

// Values adds the values of event i of a batch other than its time, which stand in the slots of its leaf; before is the number of the event before.
func (d *Draft) Values(slots []shape.Slot, before uint16, b *trace.Batch, i int) {
	words, attrs := b.Fields(i), b.AttrsOf(i)
	for _, s := range slots {
		var v uint64
		if int(s.Word) < len(words) {
			v = words[s.Word]
		} else {
			v = attrs[int(s.Word)-len(words)].Value
		}
		switch s.Mode {
		case shape.Time:
			v = format.Zigzag(int64(v - uint64(b.Times[i])))
		case shape.Text:
			text := b.TextOf(v)
			d.Text = append(d.Text, text...)
			v = uint64(len(text))
		}
		d.raw = append(d.raw, rawValue{value: v, time: b.Times[i], column: s.Column, before: before, mode: s.Mode})
	}
}

// Tick codes the times of a run by a lattice, unless it would need more phases than limit, or differences take fewer bits. Up to
// `few` phases take next to nothing.
func (d *Draft) Tick(run int, p column.Period, few, limit int) bool {
	d.work()
	d.spans = slices.Grow(d.spans[:0], len(d.Times))[:len(d.Times)]
	r, at := &d.Runs[run], d.begins[run].event
	spans, times := d.spans[at:at+r.Events], d.TimesOf(run)
	phases := p.Ticks(spans, r.Phases, times, d.Start, limit)
	if phases == nil || len(phases) > few && column.SpanBits(spans)+column.PhaseBits(phases) >= column.DifferenceBits(times, d.Start) {
		return false
	}
	r.Period, r.Phases = p, phases
	return true
}

// Count counts the values of each column and event before, when it is known which runs have a lattice. info is that of the
// dictionary.
func (d *Draft) Count(info []shape.LeafInfo) {
	d.work()
	d.pairs.reset()
	d.spans = slices.Grow(d.spans[:0], len(d.Times))[:len(d.Times)]
	d.timePairs = slices.Grow(d.timePairs[:0], len(d.Times))[:len(d.Times)]
	for i := range d.Runs {
		r, at := &d.Runs[i], d.begins[i].event
		if len(r.Phases) == 0 {
			before := d.Start
			for j, t := range d.TimesOf(i) {
				d.spans[at+j] = uint64(t - before)
				before = t
			}
		}
		d.pairs.run(d.timePairs[at:at+r.Events], d.Leaves[at:at+r.Events], info, uint32(bitio.FromBool(len(r.Phases) > 0)))
	}
	d.rawPairs = slices.Grow(d.rawPairs[:0], len(d.raw))
	for i := range d.raw {
		r := &d.raw[i]
		d.rawPairs = append(d.rawPairs, d.pairs.add(r.column<<16|uint32(r.before)))
	}
}

// CountKinds visits the kinds and keys of the events of a counted draft, with the number of events of each. A kind and key may come more
// than once. columns and info are the dictionary's.
func (d *Draft) CountKinds(columns []shape.ColumnInfo, info []shape.LeafInfo, visit func(k trace.Kind, key uint64, n int)) {
	left := len(d.Leaves)
	for i, pair := range d.pairs.keys {
		if c := int(pair >> 16); c < len(columns) && columns[c].Field == shape.TimeField {
			visit(columns[c].Kind, columns[c].Key, d.pairs.counts[i])
			left -= d.pairs.counts[i]
		}
	}
	for i := 0; left > 0; i++ { // the times of these have a column that others share
		if l := &info[d.Leaves[i]]; int(l.TimeColumn) >= len(columns) {
			visit(l.Kind, l.Key, 1)
			left--
		}
	}
}

// arrange puts the values where their contexts stand.
func (d *Draft) arrange(c *contexts) {
	d.work()
	contextOf := d.pairs.contexts(c)
	d.counts = append(d.counts[:0], make([]int, c.all)...)
	for i, n := range d.pairs.counts {
		d.counts[contextOf[i]] += n
	}
	d.next = append(d.next[:0], make([]int, c.all)...)
	total := 0
	for i, n := range d.counts {
		d.next[i] = total
		total += n
	}
	d.values = slices.Grow(d.values[:0], total)[:total]
	scatterValues(d.values, d.next, contextOf, d.timePairs, d.spans)
	scatterValues(d.values, d.next, contextOf, d.rawPairs, d.codes)
}

// scatterValues puts each value to the next place of its pair's context.
func scatterValues(to []uint64, next []int, contextOf, pairs []uint32, values []uint64) {
	values = values[:len(pairs)]
	for i, pair := range pairs {
		c := contextOf[pair]
		to[next[c]] = values[i]
		next[c]++
	}
}

// appendValues appends the values of all groups, and how long they are.
func (d *Draft) appendValues(dst []byte, t *Statistics, infos []shape.ColumnInfo) []byte {
	d.next = d.next[:0]
	at := 0
	for _, n := range d.counts {
		d.next = append(d.next, at)
		at += n
	}
	var blocks groupBlocks
	var parts []column.Part
	for g := range blocks {
		parts, _ = t.contexts.parts(parts[:0], g, d.counts, infos)
		for i := range parts {
			parts[i].At = d.next[parts[i].Context] // the values of all groups stand together
		}
		if len(parts) > 0 {
			blocks[g] = t.Values.EncodeParts(nil, parts, d.values)
		}
	}
	return blocks.append(dst)
}
