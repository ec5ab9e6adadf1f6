package content

import (
	"encoding/hex"
	"math"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// appendFields appends the fields of an event as a JSON object. A repeated group becomes an array for each member.
func appendFields(x *table.Catalog, dst []byte, r *eventRow) []byte {
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
			dst = appendField(x, dst, r, i, i)
		case i < before+group:
			dst = append(dst, '[')
			for j := range n {
				if j > 0 {
					dst = append(dst, ',')
				}
				dst = appendField(x, dst, r, i, i+j*group)
			}
			dst = append(dst, ']')
		default:
			dst = appendField(x, dst, r, i, i+(n-1)*group)
		}
	}
	return append(dst, '}')
}

// appendField appends the word at an index, as a field says.
func appendField(x *table.Catalog, dst []byte, r *eventRow, field, at int) []byte {
	f := &r.layout.spec.Fields[field]
	word := r.words[at]
	switch f.Type {
	case trace.TypeSigned:
		return strconv.AppendInt(dst, int64(word), 10)
	case trace.TypeTime:
		return strconv.AppendInt(dst, x.Ticks(int64(word)), 10)
	case trace.TypeDouble:
		return table.AppendDouble(dst, math.Float64frombits(word), 64)
	case trace.TypeEnum:
		return table.AppendQuoted(dst, f.Enum.Format(word))
	case trace.TypeFlags:
		return table.AppendQuoted(dst, f.Enum.FormatFlags(word))
	case trace.TypeCode:
		return table.AppendQuoted(dst, trace.ValueType(word).String())
	case trace.TypeValue:
		return appendValue(x, dst, trace.ValueType(r.words[max(at-1, 0)]), word)
	case trace.TypeText:
		return table.AppendQuoted(dst, string(r.Batch.TextOf(word)))
	case trace.TypeBytes:
		return append(hex.AppendEncode(append(dst, '"'), r.Batch.TextOf(word)), '"')
	case trace.TypeRef, trace.TypeRank, trace.TypeSelf:
		if f.Undefined(word) {
			return append(dst, "null"...)
		}
		if f.Ref == trace.SpaceString {
			return appendString(x, dst, word)
		}
	}
	return strconv.AppendUint(dst, word, 10)
}

// appendAttributes appends an attribute list as a JSON object. Attributes without a name go by their number.
func appendAttributes(x *table.Catalog, dst []byte, attributes []trace.Attr) []byte {
	dst = append(dst, '{')
	for i, a := range attributes {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := x.Definitions.Name(trace.SpaceAttribute, a.ID)
		if name == "" {
			name = strconv.FormatUint(a.ID, 10)
		}
		dst = append(table.AppendQuoted(dst, name), ':')
		dst = appendValue(x, dst, a.Type, a.Value)
	}
	return append(dst, '}')
}

// appendValue appends a value of a type that the trace gives with it.
func appendValue(x *table.Catalog, dst []byte, t trace.ValueType, v uint64) []byte {
	switch t {
	case trace.ValueFloat:
		return table.AppendDouble(dst, float64(math.Float32frombits(uint32(v))), 32)
	case trace.ValueDouble:
		return table.AppendDouble(dst, math.Float64frombits(v), 64)
	case trace.ValueString:
		return appendString(x, dst, v)
	}
	return append(dst, t.Format(v)...)
}

// appendString appends a string by its id; one that is not defined as the id.
func appendString(x *table.Catalog, dst []byte, id uint64) []byte {
	if s, ok := x.Definitions.Strings[id]; ok {
		return table.AppendQuoted(dst, s)
	}
	return strconv.AppendUint(dst, id, 10)
}
