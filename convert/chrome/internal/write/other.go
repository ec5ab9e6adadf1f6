package write

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/trace"
)

// span writes begin, end or middle of a span as an asynchronous event.
func (x *exporter) span(e *trace.Event) {
	b, w := e.Batch, e.Batch.Fields(e.Index)
	phase := map[trace.Kind]byte{trace.KindSpanBegin: 'b', trace.KindSpanEnd: 'e', trace.KindSpanPoint: 'n'}[b.Kinds[e.Index]]
	x.out.open(phase, b.Location, b.Times[e.Index])
	x.out.nameOf(x.defs, w[0], orSpan(x.category(w[0])))
	x.id(e, w[1])
	x.finish(e)
}

// id writes the id of an event.
func (x *exporter) id(e *trace.Event, number uint64) {
	if !x.idAsItWas(e) {
		x.out.add(`"0x` + strconv.FormatUint(number, 16) + `"`)
	}
}

// idAsItWas begins an id, and writes that which an event had in a file of trace events, if it had one. An object, which says whether the id is local to a process, is an id2.
func (x *exporter) idAsItWas(e *trace.Event) bool {
	const key = `,"id":`
	at := len(x.out.b)
	x.out.add(key)
	was := x.fieldAsItWas(e, "id")
	if was && x.out.b[at+len(key)] == '{' {
		x.out.b = slices.Insert(x.out.b, at+len(`,"id`), '2')
	}
	return was
}

// fieldAsItWas writes a field that an event had in a file of trace events, if it has that as an attribute. The number of an id does not tell
// how that was written.
func (x *exporter) fieldAsItWas(e *trace.Event, name string) bool {
	is := func(id uint64) bool {
		place := x.places[id]
		return (place == form.InEvent || place == form.JSONInEvent) && x.defs.Strings[x.defs.Attributes[id].Name] == name
	}
	for _, a := range e.Batch.AttrsOf(e.Index) {
		if is(a.ID) {
			x.out.b = x.appendValue(x.out.b, a.Type, a.Value, x.places[a.ID])
			return true
		}
	}
	s := x.stack(e.Batch.Location)
	for _, a := range s.bytes {
		if is(a.ID) {
			x.out.b = x.appendBytes(x.out.b, s.text[a.Value>>32:][:a.Value&0xffffffff], x.places[a.ID])
			return true
		}
	}
	return false
}

// appendBytes appends an attribute that is bytes, as JSON.
func (x *exporter) appendBytes(dst, text []byte, place form.AttributePlace) []byte {
	if place == form.JSONInArgs || place == form.JSONInEvent {
		return appendJSON(dst, text)
	}
	return AppendString(dst, string(text))
}

// alone writes the id of a point of a flow that is no end of a message. It gets one of its own, as that which it had may be that
// of others with which it would be paired, here or by a viewer.
func (x *exporter) alone(e *trace.Event, number uint64) {
	x.points++
	x.out.add(`,"id":"pando.` + strconv.FormatUint(x.points, 10) + `","` + form.AloneKey + `":`)
	switch {
	case x.fieldAsItWas(e, "id"):
	case number == 0:
		x.out.add("null")
	default:
		x.out.add(`"0x` + strconv.FormatUint(number, 16) + `"`)
	}
}

// orSpan gives asynchronous events the category that they need.
func orSpan(cat string) string {
	if cat == "" {
		return "span"
	}
	return cat
}

// interval is where states that do not nest end in the order in which they began.
type interval struct{ location, region, communicator uint64 }

// ordinals counts begins and ends.
type ordinals struct{ begun, ended uint64 }

// interval writes begin or end of a state that is no call as an asynchronous event.
func (x *exporter) interval(e *trace.Event) {
	b, w := e.Batch, e.Batch.Fields(e.Index)
	k := interval{b.Location, w[0], w[1]}
	o := x.fifo[k]
	if o == nil {
		o = &ordinals{}
		x.fifo[k] = o
	}
	phase, n := byte('b'), &o.begun
	if b.Kinds[e.Index] == trace.KindIntervalEnd {
		phase, n = 'e', &o.ended
	}
	*n++
	x.out.open(phase, b.Location, b.Times[e.Index])
	x.out.nameOf(x.defs, w[0], orSpan(x.category(w[0])))
	x.out.add(fmt.Sprintf(`,"id":"%d.%d.%d.%d"`, b.Location, w[0], w[1], *n))
	x.finish(e)
}

// arrow writes an end of an arrow.
func (x *exporter) arrow(e *trace.Event) {
	b, w := e.Batch, e.Batch.Fields(e.Index)
	phase := byte('s')
	if b.Kinds[e.Index] == trace.KindArrowEnd {
		phase = 'f'
	}
	x.out.open(phase, b.Location, b.Times[e.Index])
	if phase == 'f' {
		x.out.add(`,"bp":"e"`)
	}
	x.out.add(`,"cat":"arrow","name":`)
	x.out.string(x.defs.Name(trace.SpaceCategory, w[0]))
	id := strconv.FormatUint(w[3], 10)
	x.out.add(`,"id":` + id + `,"` + form.AloneKey + `":` + id)
	x.finish(e)
}

// keptPhases are the letters of events that the model has no place for, or not always.
const keptPhases = "NODvVcP()stfC"

// phase writes an event that was one of trace events.
func (x *exporter) phase(e *trace.Event) {
	b, w := e.Batch, e.Batch.Fields(e.Index)
	letter := byte(w[1])
	if strings.IndexByte(keptPhases, letter) < 0 {
		letter = 'i'
	}
	x.out.open(letter, b.Location, b.Times[e.Index])
	x.out.categorised(x.defs.Name(trace.SpaceCategory, w[0]), x.meta.Format)
	switch {
	case letter == 's' || letter == 't' || letter == 'f':
		x.alone(e, w[2])
	case w[2] != 0:
		x.id(e, w[2])
	}
	x.finish(e)
}

// other writes any other event as an instant, its fields as arguments.
func (x *exporter) other(e *trace.Event) {
	b := e.Batch
	spec := x.meta.Table().Spec(b.Kinds[e.Index])
	if spec == nil {
		return
	}
	x.out.open('i', b.Location, b.Times[e.Index])
	x.out.add(`,"s":"t","cat":"event","name":`)
	x.out.string(spec.Name)
	var args []byte
	typ := trace.ValueNone
	spec.Walk(b.Fields(e.Index), func(_ int, f *trace.Field, word uint64) {
		if f.Type == trace.TypeCode {
			typ = trace.ValueType(word)
			return
		}
		if len(args) > 0 {
			args = append(args, ',')
		}
		args = append(AppendString(args, f.Name), ':')
		args = x.appendField(args, b, f, word, typ)
	})
	x.attributes(e, args)
	x.out.close()
}

// appendField appends a field as JSON.
func (x *exporter) appendField(dst []byte, b *trace.Batch, f *trace.Field, word uint64, typ trace.ValueType) []byte {
	switch f.Type {
	case trace.TypeSigned, trace.TypeTime:
		return x.appendValue(dst, trace.ValueInt64, word, form.InArgs)
	case trace.TypeDouble:
		return x.appendValue(dst, trace.ValueDouble, word, form.InArgs)
	case trace.TypeEnum:
		return AppendString(dst, f.Enum.Format(word))
	case trace.TypeFlags:
		return AppendString(dst, f.Enum.FormatFlags(word))
	case trace.TypeValue:
		return x.appendValue(dst, typ, word, form.InArgs)
	case trace.TypeText, trace.TypeBytes:
		return AppendString(dst, string(b.TextOf(word)))
	case trace.TypeRef:
		if f.Undefined(word) {
			return append(dst, "null"...)
		}
		return x.appendName(dst, f.Ref, word)
	}
	return strconv.AppendUint(dst, word, 10)
}

// appendName appends what a definition is called, or its id.
func (x *exporter) appendName(dst []byte, space trace.Space, id uint64) []byte {
	if name := x.defs.Name(space, id); name != "" || space == trace.SpaceString {
		return AppendString(dst, name)
	}
	return strconv.AppendUint(dst, id, 10)
}

// appendValue appends a value as JSON.
func (x *exporter) appendValue(dst []byte, typ trace.ValueType, v uint64, place form.AttributePlace) []byte {
	switch {
	case place == form.BoolInArgs:
		return strconv.AppendBool(dst, v != 0)
	case typ == trace.ValueFloat:
		return appendDouble(dst, float64(math.Float32frombits(uint32(v))))
	case typ == trace.ValueDouble:
		return appendDouble(dst, math.Float64frombits(v))
	case typ == trace.ValueString && (place == form.JSONInArgs || place == form.JSONInEvent):
		return appendJSON(dst, []byte(x.defs.Strings[v]))
	case typ.Space() != trace.SpaceNone:
		return x.appendName(dst, typ.Space(), v)
	case typ >= trace.ValueInt8 && typ <= trace.ValueInt64:
		return strconv.AppendInt(dst, int64(v), 10)
	}
	return strconv.AppendUint(dst, v, 10)
}

// decimalBase is the base of metric members that are scaled by powers of ten.
const decimalBase = 1

// scaled returns a counter's value in its unit.
func scaled(typ trace.ValueType, v, base uint64, exponent int64) (trace.ValueType, uint64) {
	f := float64(v)
	switch {
	case typ == trace.ValueDouble:
		f = math.Float64frombits(v)
	case typ == trace.ValueFloat:
		f = float64(math.Float32frombits(uint32(v)))
	case typ >= trace.ValueInt8 && typ <= trace.ValueInt64:
		f = float64(int64(v))
	}
	exponent = max(-400, min(exponent, 400))
	if base == decimalBase {
		f *= math.Pow10(int(exponent))
	} else {
		f = math.Ldexp(f, int(exponent))
	}
	return trace.ValueDouble, math.Float64bits(f)
}

// attributes writes the attributes of an event as its arguments, those behind the given ones, or as fields of their own where
// they were that.
func (x *exporter) attributes(e *trace.Event, args []byte) {
	s := x.stack(e.Batch.Location)
	args = slices.Concat(s.mark, between(s.mark, args), args)
	member := func(id uint64, value func(dst []byte, place form.AttributePlace) []byte) {
		place := x.places[id]
		name := x.defs.Strings[x.defs.Attributes[id].Name]
		if place == form.InEvent || place == form.JSONInEvent {
			if reserved[name] {
				return
			}
			x.out.b = append(AppendString(append(x.out.b, ','), name), ':')
			x.out.b = value(x.out.b, place)
			return
		}
		if len(args) > 0 {
			args = append(args, ',')
		}
		args = value(append(AppendString(args, name), ':'), place)
	}
	for _, a := range e.Batch.AttrsOf(e.Index) {
		member(a.ID, func(dst []byte, place form.AttributePlace) []byte { return x.appendValue(dst, a.Type, a.Value, place) })
	}
	for _, a := range s.bytes {
		text := s.text[a.Value>>32:][:a.Value&0xffffffff]
		member(a.ID, func(dst []byte, place form.AttributePlace) []byte { return x.appendBytes(dst, text, place) })
	}
	if len(args) > 0 {
		x.out.args(args)
	}
}

// reserved are the fields that are written already.
var reserved = map[string]bool{"ph": true, "name": true, "cat": true, "ts": true, "pid": true, "tid": true, "args": true, "id": true, form.AloneKey: true}
