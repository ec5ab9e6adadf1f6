package read

import (
	"encoding/binary"
	"math"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// counter takes in values of counters: each argument that is a number is one.
func (r *reader) counter(e *event, l uint32, at scan.Instant) error {
	name := r.name(e)
	if len(e.id()) > 0 {
		name = r.joined(name, " ", scan.Text(e.id(), &r.room))
	}
	cat := r.cat(e)
	r.key = binary.LittleEndian.AppendUint32(r.key[:0], name)
	r.values, r.memberIDs, r.list, r.texts = r.values[:0], r.memberIDs[:0], r.list[:0], r.texts[:0]
	if len(e.args()) > 0 && e.args()[0] == '{' {
		for _, m := range r.checkedMembers(e.args()) {
			r.value(name, cat, m.Key.Of(e.args()), m.Value.Of(e.args()))
		}
	}
	r.others(e)
	if len(r.memberIDs) == 0 {
		r.warnings.Add("counter without a number", "line %d: %.40s", r.event.line, e.args())
		r.record = appendEvent(r.head(opEvent), trace.KindPhaseEvent, uint64(r.category(e)), 'C', 0)
		return r.add(l, at, 0, 1, r.list)
	}
	class := r.names.class(r.key, name, r.memberIDs)
	r.record = r.head(opEvent)
	r.record = binary.AppendUvarint(r.record, uint64(trace.KindMetric))
	r.record = binary.AppendUvarint(r.record, uint64(2+len(r.values)))
	for _, w := range append([]uint64{uint64(class), uint64(len(r.memberIDs))}, r.values...) {
		r.record = binary.AppendUvarint(r.record, w)
	}
	return r.add(l, at, 0, 1, r.list)
}

// value takes in the value of a counter; what is no number becomes an attribute. A counter whose argument is called "value"
// has the name of the event.
func (r *reader) value(name, cat uint32, key, value []byte) {
	typ, word, ok := counterValue(value)
	if !ok || len(r.memberIDs) == maxMembers {
		r.attribute(key, value, form.InArgs)
		return
	}
	if string(key) != `"value"` {
		name = r.joined(name, ".", scan.Text(key, &r.room))
	}
	m := r.names.member(name, cat, typ)
	r.memberIDs = append(r.memberIDs, m)
	r.key = binary.LittleEndian.AppendUint32(r.key, m)
	r.values = append(r.values, uint64(typ), word)
}

// counterValue returns a number, also one that stands in quotes: JSON has no infinities.
func counterValue(value []byte) (typ trace.ValueType, word uint64, ok bool) {
	if !scan.IsString(value) {
		return typed(value)
	}
	switch string(value) {
	case `"NaN"`:
		return trace.ValueDouble, math.Float64bits(math.NaN()), true
	case `"Infinity"`:
		return trace.ValueDouble, math.Float64bits(math.Inf(1)), true
	case `"-Infinity"`:
		return trace.ValueDouble, math.Float64bits(math.Inf(-1)), true
	}
	return typed(value[1 : len(value)-1])
}

// joined returns the number of a string made of two.
func (r *reader) joined(name uint32, between string, s []byte) uint32 {
	r.joint = append(append(append(r.joint[:0], r.names.strings.at(name)...), between...), r.valid(s)...)
	return r.names.strings.id(r.joint)
}
