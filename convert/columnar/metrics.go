package columnar

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// metric is a metric class or instance.
type metric struct{ members []member }

// member is one counter of a metric.
type member struct {
	id               uint64
	name, unit       int32
	defined, decimal bool
	exponent         int64
}

// unknownMember is the member of values that the metric's definition does not foresee.
var unknownMember = member{id: trace.Undefined, name: noName, unit: noName}

// metricList holds all metrics, with the names of their members, of units and of all types that values may have.
type metricList struct {
	byID                        map[uint64]*metric
	names, unitNames, typeNames names
}

var metrics = newLookup(func(x *catalog) *metricList {
	l := &metricList{byID: map[uint64]*metric{}}
	for _, k := range []trace.Kind{trace.KindMetricClass, trace.KindMetricInstance} {
		for d := range x.defined(k) {
			m := &metric{}
			for _, id := range x.definitions.MetricMembers(d.Words[0]) {
				m.members = append(m.members, l.newMember(x, id))
			}
			l.byID[d.Words[0]] = m
		}
	}
	for t := trace.ValueNone; t <= trace.ValueLocationGroup; t++ {
		l.typeNames.add(t.String())
	}
	return l
})

func (l *metricList) newMember(x *catalog, id uint64) member {
	d, ok := x.definitions.Members[id]
	if !ok {
		return member{id: id, name: noName, unit: noName}
	}
	return member{
		id: id, name: l.names.add(x.definitions.Strings[d.Name]), unit: l.unitNames.add(x.definitions.Strings[d.Unit]),
		defined: true, decimal: d.Base == 1, exponent: d.Exponent,
	}
}

// scale applies the base and exponent that turn a recorded number into one of the unit.
func (m *member) scale(v float64) float64 {
	switch {
	case m.exponent == 0 || v == 0:
		return v
	case !m.decimal:
		return math.Ldexp(v, int(max(-1<<16, min(m.exponent, 1<<16))))
	case m.exponent < 0: // powers of ten are exact, their inverses are not
		return v / math.Pow10(int(min(-m.exponent, 400)))
	default:
		return v * math.Pow10(int(min(m.exponent, 400)))
	}
}

// metricRow is one value of a metric event.
type metricRow struct {
	eventRow
	metric uint64
	member *member
	index  int64
	typ    trace.ValueType
	value  uint64
}

// isInteger reports whether the value is an integer.
func (r *metricRow) isInteger() bool {
	return r.typ >= trace.ValueUint8 && r.typ <= trace.ValueInt64
}

// number returns the value as it was recorded; ok is false if it is no number.
func (r *metricRow) number() (v float64, ok bool) {
	switch {
	case r.typ == trace.ValueDouble:
		return math.Float64frombits(r.value), true
	case r.typ == trace.ValueFloat:
		return float64(math.Float32frombits(uint32(r.value))), true
	case r.typ >= trace.ValueInt8 && r.typ <= trace.ValueInt64:
		return float64(int64(r.value)), true
	default:
		return float64(r.value), r.isInteger()
	}
}

var _ = declare(60, func() *source {
	return partTable(Table{
		Name: "metrics",
		Doc:  "One row for each value of each Metric event, in the order of events.", sorted: "ns",
		partition: partitioned{group: "process", times: []string{"ns"}},
	}, slices.Concat(
		[]column[metricRow]{
			number("event", "", "number of the event, as in the table of events",
				func(_ *catalog, r *metricRow) int64 { return r.at.event(r.Ordinal) }).like(grows),
		},
		placeColumns("", " that recorded the value", func(r *metricRow) *place { return r.at }),
		instant("", "when it was recorded, since the trace's first event", func(r *metricRow) int64 { return r.Batch.Times[r.Index] }),
		[]column[metricRow]{
			numberOrNull("metric", "", "id of the metric class or instance",
				func(_ *catalog, r *metricRow) (int64, bool) { return reference(r.metric) }).like(repeats),
			number("position", "", "place of the value among those of its event, from 0",
				func(_ *catalog, r *metricRow) int64 { return r.index }).like(repeats),
			numberOrNull("member", "", "id of the metric member",
				func(_ *catalog, r *metricRow) (int64, bool) { return reference(r.member.id) }).like(repeats),
			named("name", "the member's name",
				func(x *catalog) *names { return &metrics.of(x).names }, func(_ *catalog, r *metricRow) int32 { return r.member.name }),
			named("unit", "the member's unit",
				func(x *catalog) *names { return &metrics.of(x).unitNames }, func(_ *catalog, r *metricRow) int32 { return r.member.unit }),
			named("type", "type of the value as recorded (`INT64`, `UINT64`, `DOUBLE`, ...)",
				func(x *catalog) *names { return &metrics.of(x).typeNames }, func(x *catalog, r *metricRow) int32 { return codeOfType(x, r.typ) }),
			real("value", "as `unit` says", "the value in the member's unit: as recorded, times the power of 2 or 10 that the member says",
				func(_ *catalog, r *metricRow) (float64, bool) { v, ok := r.number(); return r.member.scale(v), ok }),
			numberOrNull("value_int", "", "an integer as it was recorded, exact; null for other types",
				func(_ *catalog, r *metricRow) (int64, bool) { return int64(r.value), r.isInteger() }),
			real("value_raw", "", "a floating-point number as it was recorded; null for other types",
				func(_ *catalog, r *metricRow) (float64, bool) { v, ok := r.number(); return v, ok && !r.isInteger() }),
		},
	), store.PartEvents, metricRows).narrowed(trace.KindMetric)
})

// codeOfType returns the code of a type's name: all known types were added in their order.
func codeOfType(x *catalog, t trace.ValueType) int32 {
	if int(t) < len(metrics.of(x).typeNames.list) {
		return int32(t)
	}
	return noName
}

func metricRows(x *catalog, p *store.Part, rows *filler[metricRow]) error {
	list := metrics.of(x)
	return p.Events(func(e trace.Event) {
		r := metricRow{eventRow: newEventRow(x, e)}
		if len(r.words) < 2 {
			return // not reached: the kind has two fields before its values
		}
		r.metric = r.words[0]
		for i, values := int64(0), r.words[2:]; len(values) > 1; i, values = i+1, values[2:] {
			r.index, r.typ, r.value = i, trace.ValueType(values[0]), values[1]
			r.member = list.member(r.metric, i)
			rows.add(r)
		}
	})
}

// member returns the member of a metric that a value belongs to.
func (l *metricList) member(id uint64, i int64) *member {
	if m := l.byID[id]; m != nil && i < int64(len(m.members)) {
		return &m.members[i]
	}
	return &unknownMember
}
