package content

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// metric is a metric class or instance.
type metric struct{ members []member }

// member is one counter of a metric.
type member struct {
	id         uint64
	name, unit int32
	of         trace.MetricMember
}

// unknownMember is the member of values that the metric's definition does not foresee.
var unknownMember = member{id: trace.Undefined, name: table.NoName, unit: table.NoName}

// metricList holds all metrics, with the names of their members, of units and of all types that values may have.
type metricList struct {
	byID                        map[uint64]*metric
	names, unitNames, typeNames table.Names
}

var metrics = table.NewLookup(func(x *table.Catalog) *metricList {
	l := &metricList{byID: map[uint64]*metric{}}
	for _, k := range []trace.Kind{trace.KindMetricClass, trace.KindMetricInstance} {
		for d := range x.Defined(k) {
			m := &metric{}
			for _, id := range x.Definitions.MetricMembers(d.Words[0]) {
				m.members = append(m.members, l.newMember(x, id))
			}
			l.byID[d.Words[0]] = m
		}
	}
	for t := trace.ValueNone; t <= trace.ValueLocationGroup; t++ {
		l.typeNames.Add(t.String())
	}
	return l
})

func (l *metricList) newMember(x *table.Catalog, id uint64) member {
	d, ok := x.Definitions.Members[id]
	if !ok {
		return member{id: id, name: table.NoName, unit: table.NoName}
	}
	return member{
		id: id, name: l.names.Add(x.Definitions.Strings[d.Name]), unit: l.unitNames.Add(x.Definitions.Strings[d.Unit]),
		of: d,
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

var _ = table.Declare(60, func() *table.Table {
	return table.FromParts(table.Schema{
		Name: "metrics",
		Doc:  "One row for each value of each Metric event, in the order of events.", Sorted: "ns",
		Partition: table.Partitioning{Group: "process", Times: []string{"ns"}},
	}, slices.Concat(
		[]table.ColumnOf[metricRow]{
			table.Number("event", "", "number of the event, as in the table of events",
				func(_ *table.Catalog, r *metricRow) int64 { return r.at.Event(r.Ordinal) }).As(table.Grows),
		},
		table.PlaceColumns("", " that recorded the value", func(r *metricRow) *table.Place { return r.at }),
		table.Instant("", "when it was recorded, since the trace's first event", func(r *metricRow) int64 { return r.Batch.Times[r.Index] }),
		[]table.ColumnOf[metricRow]{
			table.NumberOrNull("metric", "", "id of the metric class or instance",
				func(_ *table.Catalog, r *metricRow) (int64, bool) { return table.Reference(r.metric) }).As(table.Repeats),
			table.Number("position", "", "place of the value among those of its event, from 0",
				func(_ *table.Catalog, r *metricRow) int64 { return r.index }).As(table.Repeats),
			table.NumberOrNull("member", "", "id of the metric member",
				func(_ *table.Catalog, r *metricRow) (int64, bool) { return table.Reference(r.member.id) }).As(table.Repeats),
			table.Named("name", "the member's name",
				func(x *table.Catalog) *table.Names { return &metrics.Of(x).names }, func(_ *table.Catalog, r *metricRow) int32 { return r.member.name }),
			table.Named("unit", "the member's unit",
				func(x *table.Catalog) *table.Names { return &metrics.Of(x).unitNames }, func(_ *table.Catalog, r *metricRow) int32 { return r.member.unit }),
			table.Named("type", "type of the value as recorded (`INT64`, `UINT64`, `DOUBLE`, ...)",
				func(x *table.Catalog) *table.Names { return &metrics.Of(x).typeNames }, func(x *table.Catalog, r *metricRow) int32 { return codeOfType(x, r.typ) }),
			table.Real("value", "as `unit` says", "the value in the member's unit: as recorded, times the power of 2 or 10 that the member says",
				func(_ *table.Catalog, r *metricRow) (float64, bool) {
					v, ok := r.number()
					return r.member.of.Scaled(v), ok
				}),
			table.NumberOrNull("value_int", "", "an integer as it was recorded, exact; null for other types",
				func(_ *table.Catalog, r *metricRow) (int64, bool) { return int64(r.value), r.isInteger() }),
			table.Real("value_raw", "", "a floating-point number as it was recorded; null for other types",
				func(_ *table.Catalog, r *metricRow) (float64, bool) {
					v, ok := r.number()
					return v, ok && !r.isInteger()
				}),
		},
	), store.PartEvents, metricRows).Narrowed(trace.KindMetric)
})

// codeOfType returns the code of a type's name: all known types were added in their order.
func codeOfType(x *table.Catalog, t trace.ValueType) int32 {
	if int(t) < len(metrics.Of(x).typeNames.List) {
		return int32(t)
	}
	return table.NoName
}

func metricRows(x *table.Catalog, p *store.Part, rows *table.Filler[metricRow]) error {
	list := metrics.Of(x)
	return p.Events(func(e trace.Event) {
		r := metricRow{eventRow: newEventRow(x, e)}
		if len(r.words) < 2 {
			return // not reached: the kind has two fields before its values
		}
		r.metric = r.words[0]
		for i, values := int64(0), r.words[2:]; len(values) > 1; i, values = i+1, values[2:] {
			r.index, r.typ, r.value = i, trace.ValueType(values[0]), values[1]
			r.member = list.member(r.metric, i)
			rows.Add(r)
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
