package report

import (
	"math"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// jsonLines writes records as lines of JSON. References are ids, with the name of the definition next to them; undefined references are null.
// Times are ticks since the first event.
type jsonLines struct {
	names   *names
	clock   *clock
	layouts layouts
	typ     trace.ValueType // of the field that was a type code last
}

func newJSONLines(f *Trace) *jsonLines {
	return &jsonLines{names: f.names, clock: &f.clock, layouts: layouts{table: f.Meta().Table()}}
}

func (l *jsonLines) place(dst []byte, key string, location uint64) []byte {
	dst = append(append(dst, `"`...), key...)
	dst = strconv.AppendUint(append(dst, `":`...), location, 10)
	dst = append(append(dst, `,"`...), key...)
	return append(append(dst, `_name":`...), l.names.json.get(trace.SpaceLocation, location)...)
}

// event appends the line of an event; ordinal is its number on its location.
func (l *jsonLines) event(dst []byte, b *trace.Batch, i int, ordinal uint64) []byte {
	dst = strconv.AppendInt(append(dst, `{"type":"event","ticks":`...), b.Times[i]-l.clock.First(), 10)
	dst = l.place(append(dst, ','), "location", b.Location)
	dst = strconv.AppendUint(append(dst, `,"ordinal":`...), ordinal, 10)
	dst = l.record(append(dst, ','), b.Kinds[i], record{b.Fields(i), b.Text})
	if attrs := b.AttrsOf(i); len(attrs) > 0 {
		dst = l.attributes(dst, attrs)
	}
	return append(dst, "}\n"...)
}

func (l *jsonLines) attributes(dst []byte, attrs []trace.Attr) []byte {
	return jsonList(append(dst, `,"attributes":`...), len(attrs), func(dst []byte, i int) []byte {
		a := &attrs[i]
		dst = strconv.AppendUint(append(dst, `{"id":`...), a.ID, 10)
		dst = append(append(dst, `,"name":`...), l.names.json.get(trace.SpaceAttribute, a.ID)...)
		dst = append(append(append(dst, `,"type":"`...), a.Type.String()...), `","value":`...)
		return append(l.value(dst, a.Type, a.Value), '}')
	})
}

// record appends kind and fields.
func (l *jsonLines) record(dst []byte, kind trace.Kind, r record) []byte {
	k := l.layouts.get(kind)
	if k == nil || len(r.words) < len(k.before)+len(k.after) {
		return strconv.AppendInt(append(dst, `"kind":`...), int64(kind), 10)
	}
	dst = append(dst, k.json...) // opens the fields
	for i := range k.before {
		dst = l.field(dst, &k.before[i], r.words[i], &r)
	}
	end := len(r.words) - len(k.after)
	if len(k.group) > 0 {
		dst = l.groups(dst, kind, k, r.words[len(k.before):end], &r)
	}
	for i := range k.after {
		dst = l.field(dst, &k.after[i], r.words[end+i], &r)
	}
	return append(dst, '}')
}

// groups appends the repeated group: a list for each of its fields.
func (l *jsonLines) groups(dst []byte, kind trace.Kind, k *layout, words []uint64, r *record) []byte {
	n := len(k.group)
	if kind == trace.KindMetric {
		members := l.names.defs.MetricMembers(r.words[0])
		dst = append(dst, `,"members":`...)
		dst = jsonList(dst, len(members), func(dst []byte, i int) []byte {
			return append(dst, l.names.json.get(trace.SpaceMetricMember, members[i])...)
		})
	}
	for j := range k.group {
		f := &k.group[j]
		dst = jsonList(append(dst, f.json...), len(words)/n, func(dst []byte, i int) []byte {
			if j > 0 && f.Type == trace.TypeValue {
				l.typ = trace.ValueType(words[i*n+j-1])
			}
			return l.word(dst, f, words[i*n+j], r)
		})
		if f.name != nil {
			dst = jsonList(append(dst, f.name...), len(words)/n, func(dst []byte, i int) []byte {
				return append(dst, l.names.json.get(f.Ref, words[i*n+j])...)
			})
		}
	}
	return dst
}

// jsonList appends a list of n elements.
func jsonList(dst []byte, n int, element func(dst []byte, i int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, i)
	}
	return append(dst, ']')
}

func (l *jsonLines) field(dst []byte, f *fieldLayout, word uint64, r *record) []byte {
	dst = l.word(append(dst, f.json...), f, word, r)
	if f.name == nil {
		return dst
	}
	dst = append(dst, f.name...)
	if f.Undefined(word) {
		return append(dst, "null"...)
	}
	return append(dst, l.names.json.get(f.Ref, word)...)
}

func (l *jsonLines) word(dst []byte, f *fieldLayout, word uint64, r *record) []byte {
	switch f.Type {
	case trace.TypeRef, trace.TypeRank:
		if f.Undefined(word) {
			return append(dst, "null"...)
		}
		if f.Ref == trace.SpaceString {
			return append(dst, l.names.json.get(f.Ref, word)...)
		}
	case trace.TypeSigned:
		return strconv.AppendInt(dst, int64(word), 10)
	case trace.TypeDouble:
		return l.value(dst, trace.ValueDouble, word)
	case trace.TypeEnum:
		return append(dst, jsonString(f.Enum.Format(word))...)
	case trace.TypeFlags:
		return append(dst, jsonString(f.Enum.FormatFlags(word))...)
	case trace.TypeTime:
		return strconv.AppendInt(dst, int64(word)-l.clock.First(), 10)
	case trace.TypeCode:
		l.typ = trace.ValueType(word)
		return append(dst, jsonString(l.typ.String())...)
	case trace.TypeValue:
		return l.value(dst, l.typ, word)
	case trace.TypeText:
		return append(dst, jsonString(string(r.textOf(word)))...)
	case trace.TypeBytes:
		return append(appendHex(append(dst, '"'), r.textOf(word)), '"')
	}
	return strconv.AppendUint(dst, word, 10)
}

// value appends a value of a type: a number, the name that a reference refers to, or a string for what JSON has no
// number for.
func (l *jsonLines) value(dst []byte, t trace.ValueType, word uint64) []byte {
	v := math.Float64frombits(word)
	if t == trace.ValueFloat {
		v = float64(math.Float32frombits(uint32(word)))
	}
	if (t == trace.ValueFloat || t == trace.ValueDouble) && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return append(dst, jsonString(strconv.FormatFloat(v, 'g', -1, 64))...)
	}
	dst, ok := typed(dst, t, word)
	if ok {
		return dst
	}
	return append(dst, l.names.json.get(t.Space(), word)...)
}

// definition appends the line of a definition.
func (l *jsonLines) definition(dst []byte, d *trace.Record) []byte {
	dst = l.record(append(dst, `{"type":"definition",`...), d.Kind, record{d.Words, d.Text})
	return append(dst, "}\n"...)
}

// auxiliary appends the line of a record of an auxiliary stream.
func (l *jsonLines) auxiliary(dst []byte, id trace.StreamID, b *trace.Batch, i int) []byte {
	dst = append(append(append(dst, `{"type":"`...), streamNames[id.Class]...), `",`...)
	if id.Class == trace.StreamLocalDefinitions || id.Class == trace.StreamSnapshots {
		dst = append(l.place(dst, "location", id.Location), ',')
	}
	if id.Class == trace.StreamSnapshots {
		dst = append(strconv.AppendInt(append(dst, `"ticks":`...), b.Times[i]-l.clock.First(), 10), ',')
	}
	dst = l.record(dst, b.Kinds[i], record{b.Fields(i), b.Text})
	return append(dst, "}\n"...)
}
