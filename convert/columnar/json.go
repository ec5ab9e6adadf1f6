package columnar

import (
	"encoding/hex"
	"math"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// appendFields appends the fields of an event as a JSON object. A repeated group becomes an array for each member.
func (x *catalog) appendFields(dst []byte, r *eventRow) []byte {
	l := r.layout
	n, ok := l.spec.Count(r.words)
	if !ok {
		return append(dst, "{}"...)
	}
	before, group, _ := l.spec.Shape()
	dst = append(dst, '{')
	for i := range l.spec.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, l.keys[i]...)
		switch {
		case i < before:
			dst = x.appendField(dst, r, i, i)
		case i < before+group:
			dst = append(dst, '[')
			for j := range n {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = x.appendField(dst, r, i, i+j*group)
			}
			dst = append(dst, ']')
		default:
			dst = x.appendField(dst, r, i, i+(n-1)*group)
		}
	}
	return append(dst, '}')
}

// appendField appends the word at an index, as a field says.
func (x *catalog) appendField(dst []byte, r *eventRow, field, at int) []byte {
	f := &r.layout.spec.Fields[field]
	word := r.words[at]
	switch f.Type {
	case trace.TypeSigned:
		return strconv.AppendInt(dst, int64(word), 10)
	case trace.TypeTime:
		return strconv.AppendInt(dst, x.ticks(int64(word)), 10)
	case trace.TypeDouble:
		return appendDouble(dst, math.Float64frombits(word), 64)
	case trace.TypeEnum:
		return appendQuoted(dst, f.Enum.Format(word))
	case trace.TypeFlags:
		return appendQuoted(dst, f.Enum.FormatFlags(word))
	case trace.TypeCode:
		return appendQuoted(dst, trace.ValueType(word).String())
	case trace.TypeValue:
		return x.appendValue(dst, trace.ValueType(r.words[max(at-1, 0)]), word)
	case trace.TypeText:
		return appendQuoted(dst, string(r.Batch.TextOf(word)))
	case trace.TypeBytes:
		return append(hex.AppendEncode(append(dst, '"'), r.Batch.TextOf(word)), '"')
	case trace.TypeRef, trace.TypeRank, trace.TypeSelf:
		if f.Undefined(word) {
			return append(dst, "null"...)
		}
		if f.Ref == trace.SpaceString {
			return x.appendString(dst, word)
		}
	}
	return strconv.AppendUint(dst, word, 10)
}

// appendAttributes appends an attribute list as a JSON object. Attributes without a name go by their number.
func (x *catalog) appendAttributes(dst []byte, attributes []trace.Attr) []byte {
	dst = append(dst, '{')
	for i, a := range attributes {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := x.definitions.Name(trace.SpaceAttribute, a.ID)
		if name == "" {
			name = strconv.FormatUint(a.ID, 10)
		}
		dst = append(appendQuoted(dst, name), ':')
		dst = x.appendValue(dst, a.Type, a.Value)
	}
	return append(dst, '}')
}

// appendValue appends a value of a type that the trace gives with it.
func (x *catalog) appendValue(dst []byte, t trace.ValueType, v uint64) []byte {
	switch t {
	case trace.ValueFloat:
		return appendDouble(dst, float64(math.Float32frombits(uint32(v))), 32)
	case trace.ValueDouble:
		return appendDouble(dst, math.Float64frombits(v), 64)
	case trace.ValueString:
		return x.appendString(dst, v)
	}
	return append(dst, t.Format(v)...)
}

// appendString appends a string by its id; one that is not defined as the id.
func (x *catalog) appendString(dst []byte, id uint64) []byte {
	if s, ok := x.definitions.Strings[id]; ok {
		return appendQuoted(dst, s)
	}
	return strconv.AppendUint(dst, id, 10)
}
