package read

import (
	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// decoder reads payloads into batches.
type decoder struct {
	form.Cursor
	epoch uint64
	maps  *form.Mappings
	twins form.TwinState
	// used lists the ids of the record that have twins, changes the ones among them that need a record EventLocalId. settled is true
	// once changes is complete.
	used, changes []twinUse
	settled       bool
	// count, code and obsolete are the values of the last fields with these uses.
	count, code, obsolete uint64
}

// payload appends the words of a record to the batch.
func (d *decoder) payload(l *form.Layout, b *trace.Batch) {
	switch l.Special {
	case form.SpecialMetric:
		d.metric(b)
		return
	case form.SpecialMappingTable:
		d.mappingTable(b)
		return
	}
	first := len(b.Words)
	d.run(l.Head, 1, b)
	if len(l.Group) > 0 {
		d.run(l.Group, d.Times(d.count, len(l.Group)), b)
		d.run(l.Tail, 1, b)
	}
	if len(l.Late) == 0 {
		return
	}
	if d.Left() > 0 {
		d.run(l.Late, 1, b)
	} else if d.Problem == "" {
		b.Words = append(b.Words[:first], l.Missing(b.Words[first:], d.obsolete)...)
	}
}

// run reads the fields of some steps n times.
func (d *decoder) run(steps []form.Step, n int, b *trace.Batch) {
	words := b.Words
	data, pos, end := d.Data, d.Pos, d.End
	for range n {
		for i := range steps {
			s := &steps[i]
			var v uint64
			size := int(data[pos])
			switch next := pos + 1 + size; {
			case s.Code == form.CodeCompressed && size <= int(s.Width) && next <= end:
				v = form.Load(data[pos+1:], size, d.Big)
				pos = next
			case s.Code == form.CodeByte && pos < end:
				v = uint64(size)
				pos++
			default:
				d.Pos = pos
				v = d.field(s, b)
				pos = d.Pos
			}
			switch s.Use {
			case form.UseNothing:
			case form.UseCount:
				d.count = v
			case form.UseType:
				d.code = v
			case form.UseObsolete:
				d.obsolete = v
				continue
			case form.UseInstant:
				v -= d.epoch
			case form.UseRef:
				m, local := &d.maps[s.Space], v
				if v = m.Global(local); m.Shared != nil {
					d.note(s.Space, local, v)
				}
			}
			words = append(words, v)
		}
	}
	b.Words, d.Pos = words, pos
}

// field reads one field of any coding.
func (d *decoder) field(s *form.Step, b *trace.Batch) uint64 {
	switch s.Code {
	case form.CodeByte:
		return d.Byte()
	case form.CodeFixed:
		return d.Fixed(8)
	case form.CodeText:
		return putText(b, d.Text())
	case form.CodeValue:
		return d.Value(d.code)
	case form.CodeNothing:
		return 0
	}
	return d.Compressed(int(s.Width))
}

// putText is Batch.PutText without a string.
func putText(b *trace.Batch, text []byte) uint64 {
	word := uint64(len(b.Text))<<32 | uint64(len(text))
	b.Text = append(b.Text, text...)
	return word
}

// mappingTable reads the payload of a MappingTable: type, number, mode, and ids as the mode says. The words have the
// mode before the number and always pairs.
func (d *decoder) mappingTable(b *trace.Batch) {
	mappingType, n, mode := d.Byte(), d.Compressed(8), d.Byte()
	if mode != form.MapDense && mode != form.MapSparse {
		d.Fail("a mapping table of unknown mode %d", mode)
		return
	}
	perEntry := 1 + int(mode)
	count := d.Times(n, perEntry)
	b.Words = append(b.Words, mappingType, mode, uint64(count))
	for i := range uint64(count) {
		local := i
		if mode == form.MapSparse {
			local = d.Compressed(8)
		}
		b.Words = append(b.Words, local, d.Compressed(8))
	}
}
