package report

import (
	"math"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// layout is how the records of one kind are printed: what stands before each field is made once.
type layout struct {
	spec                 *trace.Spec
	text, json           []byte // what stands before the first field
	before, group, after []fieldLayout
}

type fieldLayout struct {
	*trace.Field
	text []byte // ` region=`
	json []byte // `,"region":`
	name []byte // `,"region_name":`, nil for fields that refer to nothing, or to a string
}

// layouts has the layouts of all kinds of a table.
type layouts struct {
	table *trace.Table
	width int // of the names of kinds in text
	kinds []*layout
}

// get returns the layout of a kind, nil for a kind that the table lacks. It is made at the first call.
func (l *layouts) get(k trace.Kind) *layout {
	if int(k) < len(l.kinds) && l.kinds[k] != nil {
		return l.kinds[k]
	}
	spec := l.table.Spec(k)
	if spec == nil {
		return nil
	}
	for len(l.kinds) <= int(k) {
		l.kinds = append(l.kinds, nil)
	}
	l.kinds[k] = newLayout(spec, l.width)
	return l.kinds[k]
}

func newLayout(spec *trace.Spec, width int) *layout {
	name := spec.Name
	for len(name) < width {
		name += " "
	}
	k := &layout{spec: spec, text: []byte(name), json: append(append([]byte(`"kind":`), jsonString(spec.Name)...), `,"fields":{`...)}
	for i := range spec.Fields {
		f := newFieldLayout(&spec.Fields[i])
		if i == 0 {
			f.json = f.json[1:] // no comma
		}
		switch {
		case f.Repeat:
			k.group = append(k.group, f)
		case len(k.group) == 0:
			k.before = append(k.before, f)
		default:
			k.after = append(k.after, f)
		}
	}
	return k
}

func newFieldLayout(field *trace.Field) fieldLayout {
	name := field.Name
	if field.Type == trace.TypeSelf {
		name = "id"
	}
	f := fieldLayout{Field: field, text: []byte(" " + name + "="), json: []byte(`,"` + name + `":`)}
	if field.Type == trace.TypeRef && field.Ref != trace.SpaceString {
		f.name = []byte(`,"` + name + `_name":`)
	}
	return f
}

// record is a record to be printed: its words, and the text that they may point into.
type record struct {
	words []uint64
	text  []byte
}

// textOf returns the text of a word, nothing if the word points outside.
func (r *record) textOf(word uint64) []byte {
	at, n := word>>32, word&math.MaxUint32
	if at+n > uint64(len(r.text)) {
		return nil
	}
	return r.text[at : at+n]
}

// typed appends a number of a type; ok is false for references to definitions.
func typed(dst []byte, t trace.ValueType, word uint64) (_ []byte, ok bool) {
	switch {
	case t.Space() != trace.SpaceNone:
		return dst, false
	case t >= trace.ValueInt8 && t <= trace.ValueInt64:
		return strconv.AppendInt(dst, int64(word), 10), true
	case t == trace.ValueDouble:
		return strconv.AppendFloat(dst, math.Float64frombits(word), 'g', -1, 64), true
	case t == trace.ValueFloat:
		return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(word))), 'g', -1, 32), true
	}
	return strconv.AppendUint(dst, word, 10), true
}

const hexDigits = "0123456789abcdef"

func appendHex(dst, b []byte) []byte {
	for _, c := range b {
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
