// Package mpetest makes the cargo of MPE's events of their attributes again, for tests.
package mpetest

import (
	"encoding/binary"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Cargo is the inverse of mpe.Layout.Append. It returns the cargo of the given size that became attributes of an event, nil if there was
// none. Other attributes are passed over.
func Cargo(attrs []trace.Attr, size int, text func(id uint64) string) []byte {
	var b []byte
	has := false
	for _, a := range attrs {
		if a.ID < mpe.AttrRest {
			continue
		}
		has = true
		switch a.Type {
		case trace.ValueString:
			s := text(a.Value)
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
		case trace.ValueInt16:
			b = binary.BigEndian.AppendUint16(b, uint16(a.Value))
		case trace.ValueInt32, trace.ValueUint32, trace.ValueFloat:
			b = binary.BigEndian.AppendUint32(b, uint32(a.Value))
		default:
			b = binary.BigEndian.AppendUint64(b, a.Value)
		}
	}
	if !has {
		return nil
	}
	for len(b) < size {
		b = append(b, 0)
	}
	return b[:size]
}
