package records

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace/annotation"
)

// AppendAnnotations appends what was said of a trace afterwards:
//
//	uvarint  number of annotations, in the order of the bytes of their names
//	each     byte kind (0 note, 1 messages, 2 calls), bytes name, bytes class, varint from, uvarint to - from,
//	         uvarint communicator + 1 (0: none), bytes fingerprint, bytes text
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
	}
	return dst
}

// ReadAnnotations reads what AppendAnnotations wrote.
func ReadAnnotations(b []byte) ([]annotation.Annotation, error) {
	d := format.NewDecoder("annotations block", b)
	list := make([]annotation.Annotation, d.Count(8, annotation.Most))
	for i := range list {
		a := &list[i]
		a.Kind, a.Name, a.Class, a.From = annotation.Kind(d.Byte()), string(d.Bytes()), string(d.Bytes()), d.Varint()
		a.To = a.From + int64(d.Uvarint())
		a.Communicator = d.Uvarint() - 1
		a.Fingerprint, a.Text = append([]byte(nil), d.Bytes()...), string(d.Bytes())
	}
	if _, err := d.FinishExtended(); err != nil {
		return nil, err
	}
	if err := annotation.Check(list); err != nil {
		return nil, format.Corruptf("annotations block", -1, "%v", err)
	}
	return list, nil
}
