package records

import (
	"math"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace/annotation"
)

// AppendAnnotations appends what was said of a trace afterwards:
//
//	uvarint  number of annotations, in the order of the bytes of their names
//	each     byte kind (0 note, 1 messages, 2 calls), bytes name, bytes class, varint from, uvarint to - from,
//	         uvarint communicator + 1 (0: none), bytes fingerprint, bytes text, routine
//	routine  uvarint number of steps, 0 for none; else of each step bytes region, uvarint calls; then uvarint least, uvarint most - least,
//	         uvarint share, uvarint number of spans of locations, each uvarint first - last of the one before (the first: first), uvarint last - first
//	rest     extensions
func AppendAnnotations(dst []byte, list []annotation.Annotation) []byte {
	dst = format.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		a := &list[i]
		dst = append(dst, byte(a.Kind))
		dst = format.AppendBytes(dst, a.Name)
		dst = format.AppendBytes(dst, a.Class)
		dst = format.AppendVarint(dst, a.From)
		dst = format.AppendUvarint(dst, uint64(a.To-a.From))
		dst = format.AppendUvarint(dst, a.Communicator+1)
		dst = format.AppendBytes(dst, a.Fingerprint)
		dst = format.AppendBytes(dst, a.Text)
		dst = appendRoutine(dst, a.Routine)
	}
	return dst
}

// appendRoutine appends what a pattern of calls consists of.
func appendRoutine(dst []byte, r *annotation.Routine) []byte {
	if r == nil {
		return format.AppendUvarint(dst, 0)
	}
	dst = format.AppendUvarint(dst, uint64(len(r.Steps)))
	for _, s := range r.Steps {
		dst = format.AppendUvarint(format.AppendBytes(dst, s.Region), s.Count)
	}
	dst = format.AppendUvarint(format.AppendUvarint(dst, r.Least), r.Most-r.Least)
	dst = format.AppendUvarint(format.AppendUvarint(dst, uint64(r.Share)), uint64(len(r.Locations)))
	last := uint64(0)
	for _, s := range r.Locations {
		dst = format.AppendUvarint(format.AppendUvarint(dst, s.First-last), s.Last-s.First)
		last = s.Last
	}
	return dst
}

// readRoutine reads what appendRoutine wrote.
func readRoutine(d *format.Decoder) *annotation.Routine {
	steps := d.Count(2, annotation.MostSteps)
	if steps == 0 {
		return nil
	}
	r := &annotation.Routine{Steps: make([]annotation.Step, steps)}
	for i := range r.Steps {
		r.Steps[i] = annotation.Step{Region: string(d.Bytes()), Count: d.Uvarint()}
	}
	r.Least = d.Uvarint()
	r.Most = r.Least + d.Uvarint()
	r.Share = uint32(min(d.Uvarint(), annotation.Whole+1))
	last := uint64(0)
	r.Locations = make([]annotation.Span, d.Count(2, math.MaxInt32))
	for i := range r.Locations {
		first := last + d.Uvarint()
		last = first + d.Uvarint()
		r.Locations[i] = annotation.Span{First: first, Last: last}
	}
	return r
}

// ReadAnnotations reads what AppendAnnotations wrote.
func ReadAnnotations(b []byte) ([]annotation.Annotation, error) {
	d := format.NewDecoder("annotations block", b)
	list := make([]annotation.Annotation, d.Count(9, annotation.Most))
	for i := range list {
		a := &list[i]
		a.Kind, a.Name, a.Class, a.From = annotation.Kind(d.Byte()), string(d.Bytes()), string(d.Bytes()), d.Varint()
		a.To = a.From + int64(d.Uvarint())
		a.Communicator = d.Uvarint() - 1
		a.Fingerprint, a.Text = append([]byte(nil), d.Bytes()...), string(d.Bytes())
		a.Routine = readRoutine(d)
	}
	if _, err := d.FinishExtended(); err != nil {
		return nil, err
	}
	if err := annotation.Check(list); err != nil {
		return nil, format.Corruptf("annotations block", -1, "%v", err)
	}
	return list, nil
}
