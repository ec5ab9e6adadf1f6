package report

import (
	"slices"
	"strconv"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// textLines prints records as lines of text: time, location, kind, and the fields as name=value. Names stand in quotes,
// values of enumerations and numbers as they are, an undefined reference as "-", one without a name as #id.
type textLines struct {
	names   *Names
	clock   *clock
	layouts layouts
	places  *places
	typ     trace.ValueType // of the field that was a type code last
}

// widestKind is the width that long names of kinds do not widen their column beyond.
const widestKind = 20

func newTextLines(f *Trace) *textLines {
	l := &textLines{names: f.names, clock: &f.clock, places: newPlaces(f)}
	l.layouts.table = f.Meta().Table()
	for _, k := range f.Info().Kinds {
		if spec := l.layouts.table.Spec(k.Kind); spec != nil && k.Kind.IsEvent() {
			l.layouts.width = max(l.layouts.width, min(len(spec.Name), widestKind))
		}
	}
	return l
}

// event appends the line of an event.
func (l *textLines) event(dst []byte, b *trace.Batch, i int) []byte {
	dst = l.clock.padded(dst, b.Times[i])
	dst = append(dst, "  "...)
	dst = append(dst, l.places.label(b.Location)...)
	dst = append(dst, "  "...)
	dst = l.record(dst, b.Kinds[i], record{b.Fields(i), b.Text})
	for _, a := range b.AttrsOf(i) {
		dst = append(dst, " @"...)
		dst = append(dst, l.names.text.get(trace.SpaceAttribute, a.ID)...)
		dst = l.value(append(dst, '='), a.Type, a.Value)
	}
	return append(dst, '\n')
}

// record appends kind and fields.
func (l *textLines) record(dst []byte, kind trace.Kind, r record) []byte {
	k := l.layouts.get(kind)
	if k == nil {
		return append(append(dst, "kind "...), strconv.Itoa(int(kind))...)
	}
	dst = append(dst, k.text...)
	words := r.words
	if len(words) < len(k.before)+len(k.after) {
		return append(dst, " (damaged)"...)
	}
	for i := range k.before {
		dst = l.field(dst, &k.before[i], words[i], &r)
	}
	end := len(words) - len(k.after)
	if len(k.group) > 0 {
		dst = l.groups(dst, kind, k, words[len(k.before):end], &r)
	}
	for i := range k.after {
		dst = l.field(dst, &k.after[i], words[end+i], &r)
	}
	return dst
}

// groups appends the repeated group; the values of a metric get the names of its members.
func (l *textLines) groups(dst []byte, kind trace.Kind, k *layout, words []uint64, r *record) []byte {
	var members []uint64
	if kind == trace.KindMetric {
		members = l.names.defs.MetricMembers(r.words[0])
	}
	dst = append(dst, " ["...)
	n := len(k.group)
	for i := 0; i+n <= len(words); i += n {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if i/n < len(members) && n == 2 {
			l.typ = trace.ValueType(words[i])
			dst = append(dst, l.names.text.get(trace.SpaceMetricMember, members[i/n])...)
			dst = l.value(append(dst, '='), l.typ, words[i+1])
			continue
		}
		for j := range k.group {
			if j > 0 {
				dst = append(dst, ' ')
			}
			dst = l.word(dst, &k.group[j], words[i+j], r)
		}
	}
	return append(dst, ']')
}

func (l *textLines) field(dst []byte, f *fieldLayout, word uint64, r *record) []byte {
	if f.Type == trace.TypeCount {
		return dst // the group tells
	}
	return l.word(append(dst, f.text...), f, word, r)
}

func (l *textLines) word(dst []byte, f *fieldLayout, word uint64, r *record) []byte {
	switch f.Type {
	case trace.TypeRef:
		if f.Undefined(word) {
			return append(dst, '-')
		}
		return append(dst, l.names.text.get(f.Ref, word)...)
	case trace.TypeRank:
		if f.Undefined(word) {
			return append(dst, '-')
		}
	case trace.TypeSelf:
		dst = append(dst, '#')
	case trace.TypeSigned:
		return strconv.AppendInt(dst, int64(word), 10)
	case trace.TypeDouble:
		dst, _ = typed(dst, trace.ValueDouble, word)
		return dst
	case trace.TypeEnum:
		return append(dst, f.Enum.Format(word)...)
	case trace.TypeFlags:
		return append(dst, f.Enum.FormatFlags(word)...)
	case trace.TypeTime:
		return l.clock.AppendTime(dst, int64(word))
	case trace.TypeCode:
		l.typ = trace.ValueType(word)
		return append(dst, l.typ.String()...)
	case trace.TypeValue:
		return l.value(dst, l.typ, word)
	case trace.TypeText:
		return strconv.AppendQuote(dst, string(r.textOf(word)))
	case trace.TypeBytes:
		return appendHex(append(dst, "0x"...), r.textOf(word))
	}
	return strconv.AppendUint(dst, word, 10)
}

// value appends a value of a type; references get their names.
func (l *textLines) value(dst []byte, t trace.ValueType, word uint64) []byte {
	dst, ok := typed(dst, t, word)
	if ok {
		return dst
	}
	return append(dst, l.names.text.get(t.Space(), word)...)
}

// definition appends the line of a definition.
func (l *textLines) definition(dst []byte, d *trace.Record) []byte {
	dst = l.record(dst, d.Kind, record{d.Words, d.Text})
	return append(dst, '\n')
}

// auxiliary appends the line of a record of an auxiliary stream.
func (l *textLines) auxiliary(dst []byte, id trace.StreamID, b *trace.Batch, i int) []byte {
	dst = append(dst, streamNames[id.Class]...)
	dst = append(dst, "  "...)
	timed := id.Class == trace.StreamSnapshots || id.Class == trace.StreamStatistics
	if timed || id.Class == trace.StreamLocalDefinitions {
		dst = append(append(dst, l.places.label(id.Location)...), "  "...)
	}
	if timed {
		dst = append(l.clock.padded(dst, b.Times[i]), "  "...)
	}
	dst = l.record(dst, b.Kinds[i], record{b.Fields(i), b.Text})
	return append(dst, '\n')
}

// streamNames are the names of the classes of auxiliary streams.
var streamNames = map[trace.StreamClass]string{
	trace.StreamLocalDefinitions: "local", trace.StreamSnapshots: "snapshot", trace.StreamMarkers: "marker",
	trace.StreamThumbnails: "thumbnail", trace.StreamStatistics: "statistics",
}

// kindOrder sorts kinds by number.
func kindOrder(counts []store.KindCount) []store.KindCount {
	return slices.SortedFunc(slices.Values(counts), func(a, b store.KindCount) int { return int(a.Kind) - int(b.Kind) })
}
