package report

import (
	"math"
	"strconv"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// jsonLines writes records as lines of JSON. References are ids, with the name of the definition next to them; undefined references are null.
// Times are ticks since the first event.
type jsonLines struct {
	names   *Names
	clock   *clock
	layouts layouts
	typ     trace.ValueType // of the field that was a type code last
	places  map[placeKey][]byte
}

func newJSONLines(f *Trace) *jsonLines {
	return &jsonLines{names: f.names, clock: &f.clock, layouts: layouts{table: f.Meta().Table()}, places: map[placeKey][]byte{}}
}

// placeKey is a location in one of its roles: prefix is "", "send_" or "receive_".
type placeKey struct {
	prefix   string
	location uint64
}

// place appends a location: its id, the name as its definition says, its rank and its thread.
func (l *jsonLines) place(dst []byte, prefix string, location uint64) []byte {
	k := placeKey{prefix, location}
	text, ok := l.places[k]
	if !ok {
		if l.places == nil {
			l.places = map[placeKey][]byte{}
		}
		if len(l.places) >= denseIDs { // undefined ids of damaged traces must not fill the memory
			clear(l.places)
		}
		text = l.names.appendPlace(nil, prefix, location)
		l.places[k] = text
	}
	return append(dst, text...)
}

// appendPlace appends the members of a JSON object that tell a location.
func (n *Names) appendPlace(dst []byte, prefix string, location uint64) []byte {
	member := func(name string) { dst = append(append(append(append(dst, '"'), prefix...), name...), `":`...) }
	number := func(v int64) {
		if v < 0 {
			dst = append(dst, "null"...)
		} else {
			dst = strconv.AppendInt(dst, v, 10)
		}
	}
	member("location")
	dst = append(strconv.AppendUint(dst, location, 10), ',')
	member("location_name")
	dst = append(append(dst, n.json.get(trace.SpaceLocation, location)...), ',')
	rank, thread := int64(-1), int64(-1)
	if p := n.Place(location); p != nil {
		rank, thread = p.Rank, p.Thread
	}
	member("rank")
	number(rank)
	dst = append(dst, ',')
	member("thread")
	number(thread)
	return dst
}

// times appends a time in nanoseconds and in ticks; name is "start_", or "" for the time of an event.
func (l *jsonLines) times(dst []byte, name string, ticks int64) []byte {
	dst = append(append(append(dst, ',', '"'), name...), `ns":`...)
	dst = strconv.AppendInt(dst, trace.Nanoseconds(ticks, l.clock.Resolution()), 10)
	dst = append(append(append(dst, ',', '"'), name...), `ticks":`...)
	return strconv.AppendInt(dst, ticks, 10)
}

// window appends the line that lists begin with: the window, and the ticks per second of all times behind it.
func (l *jsonLines) window(dst []byte, w *store.Window) []byte {
	from, to := w.Bounds()
	dst = l.times(append(dst, `{"type":"window"`...), "from_", from-l.clock.First())
	dst = l.times(dst, "to_", to-l.clock.First())
	return append(strconv.AppendUint(append(dst, `,"ticks_per_second":`...), l.clock.Resolution(), 10), "}\n"...)
}

// event appends the line of an event; ordinal is its number on its location.
func (l *jsonLines) event(dst []byte, b *trace.Batch, i int, ordinal uint64) []byte {
	dst = l.times(append(dst, `{"type":"event"`...), "", b.Times[i]-l.clock.First())
	dst = l.place(append(dst, ','), "", b.Location)
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
		dst = append(l.place(dst, "", id.Location), ',')
	}
	if id.Class == trace.StreamSnapshots {
		dst = append(l.times(dst[:len(dst)-1], "", b.Times[i]-l.clock.First()), ',')
	}
	dst = l.record(dst, b.Kinds[i], record{b.Fields(i), b.Text})
	return append(dst, "}\n"...)
}
