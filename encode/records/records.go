package records

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

const auxiliarySection = "auxiliary block"

func appendWords(dst []byte, words []uint64) []byte {
	dst = format.AppendUvarint(dst, uint64(len(words)))
	for _, w := range words {
		dst = format.AppendUvarint(dst, w)
	}
	return dst
}

func readWords(d *format.Decoder) []uint64 {
	words := make([]uint64, d.Count(1, 1<<31))
	for i := range words {
		words[i] = d.Uvarint()
	}
	return words
}

// checkWords fails the decoder if the words do not make a record of the kind, or refer to text that is not there.
func checkWords(d *format.Decoder, kinds *trace.Table, kind trace.Kind, words []uint64, text []byte) {
	spec := kinds.Spec(kind)
	if spec == nil {
		d.Fail("unknown kind %d", uint16(kind))
		return
	}
	ok := spec.Walk(words, func(_ int, f *trace.Field, word uint64) {
		if pos, n := word>>32, word&0xffffffff; f.Type.InText() && pos+n > uint64(len(text)) {
			d.Fail("text of %s lies outside of the record", spec.Name)
		}
	})
	if !ok {
		d.Fail("%d words do not make a %s", len(words), spec.Name)
	}
}

// AppendBatch appends consecutive records of one auxiliary stream:
//
//	byte     stream class
//	uvarint  location, or number of the stream
//	uvarint  number of records
//	records  uvarint kind, varint time - time of the record before, varint residual, words,
//	         uvarint number of attributes, {uvarint id, byte type, uvarint value} each
//	bytes    text
func AppendBatch(dst []byte, id trace.StreamID, b *trace.Batch) []byte {
	dst = append(dst, byte(id.Class))
	dst = format.AppendUvarint(dst, id.Location)
	dst = format.AppendUvarint(dst, uint64(b.Len()))
	t := int64(0)
	for i, k := range b.Kinds {
		dst = format.AppendUvarint(dst, uint64(k))
		dst = format.AppendVarint(dst, b.Times[i]-t)
		t = b.Times[i]
		dst = format.AppendVarint(dst, b.Residual(i))
		dst = appendWords(dst, b.Fields(i))
		dst = format.AppendUvarint(dst, uint64(len(b.AttrsOf(i))))
		for _, a := range b.AttrsOf(i) {
			dst = append(format.AppendUvarint(dst, a.ID), byte(a.Type))
			dst = format.AppendUvarint(dst, a.Value)
		}
	}
	return format.AppendBytes(dst, b.Text)
}

// ReadBatches reads what AppendBatch wrote, to the end of b, and gives each batch to visit. The batch is reused.
func ReadBatches(b []byte, kinds *trace.Table, visit func(trace.StreamID, *trace.Batch) error) error {
	d := format.NewDecoder(auxiliarySection, b)
	var batch trace.Batch
	for d.Len() > 0 {
		id := trace.StreamID{Class: trace.StreamClass(d.Byte()), Location: d.Uvarint()}
		if id.Class == trace.StreamEvents {
			d.Fail("events stand in slices")
		}
		batch.Reset(id.Location)
		readBatch(d, &batch, kinds)
		if d.Err() != nil {
			return d.Err()
		}
		if err := visit(id, &batch); err != nil {
			return err
		}
	}
	return d.Err()
}

func readBatch(d *format.Decoder, b *trace.Batch, kinds *trace.Table) {
	n := d.Count(5, 1<<31)
	t := int64(0)
	for i := 0; i < n && d.Err() == nil; i++ {
		kind := trace.Kind(d.Int(1 << 16))
		t += d.Varint()
		residual := d.Varint()
		b.Append(kind, t, readWords(d)...)
		attrs := make([]trace.Attr, d.Count(3, 1<<31))
		for j := range attrs {
			attrs[j] = trace.Attr{ID: d.Uvarint(), Type: trace.ValueType(d.Byte()), Value: d.Uvarint()}
		}
		b.SetAttrs(attrs)
		b.SetResidual(residual)
	}
	b.Text = append(b.Text[:0], d.Bytes()...)
	for i := 0; i < b.Len() && d.Err() == nil; i++ {
		checkWords(d, kinds, b.Kinds[i], b.Fields(i), b.Text)
	}
}
