package read

import (
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// arguments returns the attributes that the arguments of an event and its other fields become. What is returned is valid
// until the next event.
func (r *reader) arguments(e *event) []attribute {
	r.list, r.texts = r.list[:0], r.texts[:0]
	if len(e.args()) > 0 {
		r.members(e.args())
	}
	r.others(e)
	return r.list
}

// others makes attributes of the fields that the model has no place for.
func (r *reader) others(e *event) {
	for i := range e.fields {
		if f := &e.fields[i]; !isZero(f) {
			r.attribute(f.key, f.value, form.InEvent)
		}
	}
}

// isZero reports fields that writers put into every event, whatever it is.
func isZero(f *field) bool {
	return len(f.value) == 1 && f.value[0] == '0' && string(f.key) == `"tdur"`
}

// members makes attributes of the members of the arguments; arguments that are no object become one attribute.
func (r *reader) members(args []byte) {
	if args[0] != '{' {
		r.attribute([]byte(`"args"`), args, form.InEvent)
		return
	}
	for _, m := range r.checkedMembers(args) {
		r.attribute(m.Key.Of(args), m.Value.Of(args), form.InArgs)
	}
}

// checkedMembers returns the members of an object, and warns of a fault.
func (r *reader) checkedMembers(object []byte) []scan.Member {
	list, err := r.membersOf(object)
	if err != nil {
		r.warnings.Add("arguments that are no JSON", "line %d: %s", r.event.line, err)
	}
	return list
}

// membersOf returns the members of an object, up to a fault. They are valid until the next call.
func (r *reader) membersOf(object []byte) ([]scan.Member, error) {
	s := scan.Scanner{Text: object}
	var err error
	r.inside, err = s.Object(r.inside[:0])
	return r.inside, err
}

// attribute makes an attribute of a member.
func (r *reader) attribute(key, value []byte, at form.AttributePlace) {
	name := r.names.strings.id(r.valid(scan.Text(key, &r.room)))
	var a attribute
	switch c := value[0]; {
	case c == '"':
		a = r.textAttribute(name, at, r.valid(scan.Text(value, &r.room)))
	case (c == 't' || c == 'f') && at == form.InArgs:
		at, a.typ = form.BoolInArgs, trace.ValueUint8
		if c == 't' {
			a.value = 1
		}
	default:
		var ok bool
		if a.typ, a.value, ok = typed(value); !ok {
			at = asJSON[at]
			a = r.textAttribute(name, at, value)
		}
	}
	var ok bool
	if a.id, ok = r.names.attribute(name, at, definedType(a.typ)); !ok {
		r.warnings.Add("argument that is not kept", "line %d: more than %d names of arguments", r.event.line, maxAttributes)
		return
	}
	r.list = append(r.list, a)
}

var asJSON = [...]form.AttributePlace{form.InArgs: form.JSONInArgs, form.InEvent: form.JSONInEvent}

// definedType returns the type that the attribute's definition tells: bytes are those of strings.
func definedType(t trace.ValueType) trace.ValueType {
	if t == bytesType {
		return trace.ValueString
	}
	return t
}

// textAttribute returns an attribute that is a string: one that is defined, or bytes that stand with the event if the attribute's texts hardly
// repeat. Who wants names reads all definitions.
func (r *reader) textAttribute(name uint32, at form.AttributePlace, s []byte) attribute {
	if id, ok := r.names.strings.text(s, r.names.habit(name, at)); ok {
		return attribute{typ: trace.ValueString, value: uint64(id)}
	}
	from := len(r.texts)
	r.texts = append(r.texts, s...)
	return attribute{typ: bytesType, bytes: r.texts[from:len(r.texts):len(r.texts)]}
}

// textOf returns the text of an attribute that is a string.
func (n *names) textOf(a *attribute) string {
	if a.typ == bytesType {
		return string(a.bytes)
	}
	return string(n.strings.at(uint32(a.value)))
}

// valid returns a text with replacements for what is no UTF-8.
func (r *reader) valid(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	r.warnings.Add("text that is no UTF-8", "line %d", r.event.line)
	return []byte(strings.ToValidUTF8(string(s), "\ufffd"))
}
