package trace

import (
	"fmt"
	"slices"
)

// Attr is one entry of the attribute list of an event.
type Attr struct {
	// ID refers to an Attribute definition.
	ID uint64
	// Type says how Value is to be read.
	Type  ValueType
	Value uint64
}

// Batch holds consecutive records of one stream as a struct of arrays. The zero Batch is empty and ready for use.
// A batch is filled by its source and valid until it is given to the source again.
//
// Record i has kind Kinds[i], time Times[i], and the words Words[Starts[i]:Starts[i+1]], one for each field in the
// order of the kind's specification (members of the repeated group interleaved).
type Batch struct {
	// Location is the id of the location the records belong to.
	Location uint64
	Kinds    []Kind
	// Times are ticks relative to the trace's epoch, not decreasing in an event stream.
	Times []int64
	// Starts has one entry more than there are records (or is empty when there are none).
	Starts []uint32
	Words  []uint64
	// Text holds the bytes of text and byte fields; see TextOf.
	Text []byte
	// Residuals is empty when all are zero. Otherwise it has an entry per record: the source's own time minus the time that
	// the location's clock gives for the record's time. The unit is ticks, see [Clock.Local], or float64 values where the source's own
	// times are seconds, see KindSecondsClock.
	Residuals []int64
	// AttrStarts is empty when no record has attributes. Otherwise it has one entry more than there are records, and
	// record i has the attributes Attrs[AttrStarts[i]:AttrStarts[i+1]].
	AttrStarts []uint32
	Attrs      []Attr
}

// Len returns the number of records.
func (b *Batch) Len() int { return len(b.Kinds) }

// Reset empties the batch for records of a location and keeps its memory.
func (b *Batch) Reset(location uint64) {
	b.Location = location
	b.Kinds, b.Times, b.Starts, b.Words = b.Kinds[:0], b.Times[:0], b.Starts[:0], b.Words[:0]
	b.Text, b.Residuals, b.AttrStarts, b.Attrs = b.Text[:0], b.Residuals[:0], b.AttrStarts[:0], b.Attrs[:0]
}

// Memory returns about how many bytes the batch takes.
func (b *Batch) Memory() int64 {
	const itself, attrBytes = 250, 24
	return itself + int64(2*cap(b.Kinds)+8*(cap(b.Times)+cap(b.Words)+cap(b.Residuals))+4*(cap(b.Starts)+cap(b.AttrStarts))+cap(b.Text)+attrBytes*cap(b.Attrs))
}

// Reserve makes room for n more records with the given number of words in all.
func (b *Batch) Reserve(records, words int) {
	b.Kinds, b.Times = room(b.Kinds, records), room(b.Times, records)
	b.Starts, b.Words = room(b.Starts, records+1), room(b.Words, words)
}

// room makes room for n more: for exactly n if the slice is empty.
func room[T any](s []T, n int) []T {
	if len(s) == 0 && cap(s) < n {
		return make([]T, 0, n)
	}
	return slices.Grow(s, n)
}

// Append adds a record with the given words.
func (b *Batch) Append(kind Kind, time int64, words ...uint64) {
	b.Begin(kind, time)
	b.Words = append(b.Words, words...)
	b.End()
}

// Begin starts a record whose words the caller appends to Words, followed by a call of End.
func (b *Batch) Begin(kind Kind, time int64) {
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	b.Kinds = append(b.Kinds, kind)
	b.Times = append(b.Times, time)
	if len(b.Residuals) > 0 {
		b.Residuals = append(b.Residuals, 0)
	}
}

// End completes the record begun last.
func (b *Batch) End() {
	b.Starts = append(b.Starts, uint32(len(b.Words)))
	if len(b.AttrStarts) > 0 {
		b.AttrStarts = append(b.AttrStarts, uint32(len(b.Attrs)))
	}
}

// SetAttrs gives the last record its attribute list.
func (b *Batch) SetAttrs(attrs []Attr) {
	if len(attrs) == 0 {
		return
	}
	if len(b.AttrStarts) == 0 {
		b.AttrStarts = append(b.AttrStarts, make([]uint32, b.Len()+1)...)
	}
	b.Attrs = append(b.Attrs, attrs...)
	b.AttrStarts[b.Len()] = uint32(len(b.Attrs))
}

// SetResidual gives the last record its source-time residual.
func (b *Batch) SetResidual(r int64) {
	if r == 0 && len(b.Residuals) == 0 {
		return
	}
	if len(b.Residuals) == 0 {
		b.Residuals = append(b.Residuals, make([]int64, b.Len())...)
	}
	b.Residuals[b.Len()-1] = r
}

// Fields returns the words of record i.
func (b *Batch) Fields(i int) []uint64 { return b.Words[b.Starts[i]:b.Starts[i+1]] }

// AttrsOf returns the attribute list of record i.
func (b *Batch) AttrsOf(i int) []Attr {
	if len(b.AttrStarts) == 0 {
		return nil
	}
	return b.Attrs[b.AttrStarts[i]:b.AttrStarts[i+1]]
}

// HasAttrs reports whether record i has attributes.
func (b *Batch) HasAttrs(i int) bool {
	return len(b.AttrStarts) > 0 && b.AttrStarts[i] != b.AttrStarts[i+1]
}

// Residual returns the source-time residual of record i.
func (b *Batch) Residual(i int) int64 {
	if len(b.Residuals) == 0 {
		return 0
	}
	return b.Residuals[i]
}

// PutText appends bytes to the batch's text and returns their word: position and length.
func (b *Batch) PutText(s string) uint64 {
	word := uint64(len(b.Text))<<32 | uint64(len(s))
	b.Text = append(b.Text, s...)
	return word
}

// TextOf returns the bytes of a word of a text or byte field.
// It panics if the word did not come from PutText on this batch.
func (b *Batch) TextOf(word uint64) []byte { return textAt(b.Text, word) }

func textAt(text []byte, word uint64) []byte {
	pos, n := word>>32, word&0xffffffff
	return text[pos : pos+n]
}

// AppendFrom adds record i of another batch, with attributes, residual and text.
func (b *Batch) AppendFrom(o *Batch, i int, table *Table) {
	b.Begin(o.Kinds[i], o.Times[i])
	at := len(b.Words)
	b.Words = append(b.Words, o.Fields(i)...)
	if spec := table.Spec(o.Kinds[i]); spec != nil && len(o.Text) > 0 {
		spec.Walk(o.Fields(i), func(w int, f *Field, word uint64) {
			if f.Type.InText() {
				b.Words[at+w] = b.PutText(string(o.TextOf(word)))
			}
		})
	}
	b.End()
	b.SetAttrs(o.AttrsOf(i))
	b.SetResidual(o.Residual(i))
}

// AppendRange adds records from to to-1 of another batch.
func (b *Batch) AppendRange(o *Batch, from, to int, table *Table) {
	if len(o.Text)+len(o.AttrStarts)+len(b.AttrStarts) > 0 {
		for i := from; i < to; i++ {
			b.AppendFrom(o, i, table)
		}
		return
	}
	if from >= to {
		return
	}
	words := o.Words[o.Starts[from]:o.Starts[to]]
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	b.appendResiduals(o, from, to)
	shift := uint32(len(b.Words)) - o.Starts[from]
	b.Kinds = append(b.Kinds, o.Kinds[from:to]...)
	b.Times = append(b.Times, o.Times[from:to]...)
	b.Words = append(b.Words, words...)
	for _, s := range o.Starts[from+1 : to+1] {
		b.Starts = append(b.Starts, s+shift)
	}
}

// appendResiduals adds the residuals of records that are about to be added.
func (b *Batch) appendResiduals(o *Batch, from, to int) {
	theirs := len(o.Residuals) > 0 && slices.ContainsFunc(o.Residuals[from:to], func(r int64) bool { return r != 0 })
	switch {
	case !theirs && len(b.Residuals) == 0:
	case len(o.Residuals) == 0:
		b.Residuals = append(b.Residuals, make([]int64, to-from)...)
	default:
		if len(b.Residuals) == 0 {
			b.Residuals = append(b.Residuals, make([]int64, b.Len())...)
		}
		b.Residuals = append(b.Residuals, o.Residuals[from:to]...)
	}
}

// View returns records from to to-1 as a batch that shares the memory of this one. It must not be appended to.
func (b *Batch) View(from, to int) *Batch {
	v := &Batch{
		Location: b.Location, Kinds: b.Kinds[from:to], Times: b.Times[from:to], Starts: b.Starts[from : to+1],
		Words: b.Words, Text: b.Text, Attrs: b.Attrs,
	}
	if len(b.Residuals) > 0 {
		v.Residuals = b.Residuals[from:to]
	}
	if len(b.AttrStarts) > 0 {
		v.AttrStarts = b.AttrStarts[from : to+1]
	}
	return v
}

// Check reports the first thing in the batch that breaks its rules: arrays of unequal length, kinds that the table
// does not have, records with too few or too many words, text positions out of range.
func (b *Batch) Check(table *Table) error {
	n := b.Len()
	if len(b.Times) != n || (n > 0 || len(b.Starts) > 0) && len(b.Starts) != n+1 ||
		n > 0 && int(b.Starts[n]) > len(b.Words) || len(b.Residuals) > 0 && len(b.Residuals) != n || len(b.AttrStarts) > 0 && len(b.AttrStarts) != n+1 {
		return fmt.Errorf("batch of location %d: arrays of unequal length", b.Location)
	}
	for i, k := range b.Kinds {
		if int(k) < len(table.words) && table.words[k] == int(b.Starts[i+1]-b.Starts[i]) {
			continue
		}
		spec := table.Spec(k)
		if spec == nil {
			return fmt.Errorf("batch of location %d, record %d: unknown kind %d", b.Location, i, uint16(k))
		}
		if err := b.checkRecord(spec, i); err != nil {
			return fmt.Errorf("batch of location %d, record %d: %w", b.Location, i, err)
		}
	}
	return nil
}

func (b *Batch) checkRecord(spec *Spec, i int) error {
	if _, ok := spec.Count(b.Fields(i)); !ok {
		return fmt.Errorf("%d words do not make a %s", len(b.Fields(i)), spec.Name)
	}
	if !spec.HasText() {
		return nil
	}
	var err error
	spec.Walk(b.Fields(i), func(_ int, f *Field, word uint64) {
		if f.Type.InText() && word>>32+word&0xffffffff > uint64(len(b.Text)) {
			err = fmt.Errorf("the text of field %s lies outside of the batch", f.Name)
		}
	})
	return err
}

// Event is one event of an iteration; it is valid until the next step.
type Event struct {
	// Batch holds the event's fields, Index is its place in it.
	Batch *Batch
	Index int
	// Ordinal is the event's number among those of its location.
	Ordinal uint64
}

// Record is one record outside of a batch: a definition.
type Record struct {
	Kind Kind
	// Words holds one word for each field, as in a [Batch].
	Words []uint64
	// Text holds the bytes of text and byte fields.
	Text []byte
}

// PutText appends bytes to the record's text and returns their word: position and length.
func (r *Record) PutText(s string) uint64 {
	word := uint64(len(r.Text))<<32 | uint64(len(s))
	r.Text = append(r.Text, s...)
	return word
}

// TextOf returns the bytes of a word of a text or byte field.
func (r *Record) TextOf(word uint64) string { return string(textAt(r.Text, word)) }
