package form

import (
	"github.com/pandotrace/pando/trace"
)

// valueForm says how values of a type stand on disk: in size bytes, or compressed into at most size bytes.
type valueForm struct {
	Size       int
	Compressed bool
	Signed     bool
	// Space is that of references, whose mapping table applies to attributes of events.
	Space trace.Space
}

// ValueForms has the form for each of the 256 type codes; unknown ones are compressed 64-bit integers.
var ValueForms = func() (forms [256]valueForm) {
	for i := range forms {
		forms[i] = valueForm{Size: 8, Compressed: true}
	}
	for t := trace.ValueString; t <= trace.ValueLocationGroup; t++ {
		forms[t] = valueForm{Size: 4, Compressed: true, Space: t.Space()}
	}
	forms[trace.ValueLocation].Size = 8
	forms[trace.ValueUint8] = valueForm{Size: 1}
	forms[trace.ValueUint16] = valueForm{Size: 2}
	forms[trace.ValueUint32] = valueForm{Size: 4, Compressed: true}
	forms[trace.ValueInt8] = valueForm{Size: 1, Signed: true}
	forms[trace.ValueInt16] = valueForm{Size: 2, Signed: true}
	forms[trace.ValueInt32] = valueForm{Size: 4, Compressed: true, Signed: true}
	forms[trace.ValueFloat] = valueForm{Size: 4}
	forms[trace.ValueDouble] = valueForm{Size: 8}
	return forms
}()

// Value reads a value whose type has the given code. Signed values are extended to 64 bits.
func (c *Cursor) Value(code uint64) uint64 {
	f := &ValueForms[code&0xff]
	var v uint64
	if f.Compressed {
		v = c.Compressed(f.Size)
	} else {
		v = c.Fixed(f.Size)
	}
	if f.Signed {
		shift := 64 - 8*uint(f.Size)
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}
