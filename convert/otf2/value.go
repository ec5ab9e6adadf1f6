package otf2

import "github.com/pandotrace/pando/trace"

// valueForm says how values of a type stand on disk: in size bytes, or compressed into at most size bytes.
type valueForm struct {
	size       int
	compressed bool
	signed     bool
	// space is that of references, whose mapping table applies to attributes of events.
	space trace.Space
}

// valueForms has the form for each of the 256 type codes; unknown ones are compressed 64-bit integers.
var valueForms = func() (forms [256]valueForm) {
	for i := range forms {
		forms[i] = valueForm{size: 8, compressed: true}
	}
	for t := trace.ValueString; t <= trace.ValueLocationGroup; t++ {
		forms[t] = valueForm{size: 4, compressed: true, space: t.Space()}
	}
	forms[trace.ValueLocation].size = 8
	forms[trace.ValueUint8] = valueForm{size: 1}
	forms[trace.ValueUint16] = valueForm{size: 2}
	forms[trace.ValueUint32] = valueForm{size: 4, compressed: true}
	forms[trace.ValueInt8] = valueForm{size: 1, signed: true}
	forms[trace.ValueInt16] = valueForm{size: 2, signed: true}
	forms[trace.ValueInt32] = valueForm{size: 4, compressed: true, signed: true}
	forms[trace.ValueFloat] = valueForm{size: 4}
	forms[trace.ValueDouble] = valueForm{size: 8}
	return forms
}()

// value reads a value of the type that a code stands for. Signed values are extended to 64 bits.
func (c *cursor) value(code uint64) uint64 {
	f := &valueForms[code&0xff]
	var v uint64
	if f.compressed {
		v = c.compressed(f.size)
	} else {
		v = c.fixed(f.size)
	}
	if f.signed {
		shift := 64 - 8*uint(f.size)
		v = uint64(int64(v<<shift) >> shift)
	}
	return v
}
