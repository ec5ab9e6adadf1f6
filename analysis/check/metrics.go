package check

import "github.com/pandotrace/pando/trace"

// counters are the members of a metric on a location.
type counters struct {
	members  []counter
	instance bool   // one location alone records it
	recorder uint64 // that location
}

// counter is a member of a metric.
type counter struct {
	id    uint64
	code  trace.ValueType
	typed bool // the definition says which type
	grows bool // values add up
	last  uint64
	seen  bool
}

// accumulated is the part of a metric's mode that says what values are, and the value for those that add up.
const (
	valueMode   = 15
	accumulated = 0
)

// countersOf returns the members of a metric, nil if it is not defined.
func (l *lane) countersOf(metric uint64) *counters {
	if c, ok := l.metrics[metric]; ok {
		return c
	}
	m, ok := l.defs.Metrics[metric]
	if !ok {
		return nil
	}
	c := &counters{instance: m.Members == nil, recorder: m.Recorder}
	for _, id := range l.defs.MetricMembers(metric) {
		m, ok := l.defs.Members[id]
		c.members = append(c.members, counter{id: id, code: trace.ValueType(m.ValueType), typed: ok, grows: ok && m.Mode&valueMode == accumulated})
	}
	if l.metrics == nil {
		l.metrics = map[uint64]*counters{}
	}
	l.metrics[metric] = c
	return c
}

// metric checks the values of a metric: a word for its id, one for their number, two for each.
func (l *lane) metric(i int) {
	w := l.batch.Fields(i)
	c, values := l.countersOf(w[0]), w[2:]
	metric := Value{"metric", Plain, w[0]}
	if c == nil {
		return // the reference says so
	}
	if c.instance && c.recorder != l.location {
		l.ledger.add(OtherRecorder, OtherRecorder.Severity(), l.place(i), metric, Value{"recorder", Location, c.recorder})
	}
	if len(values)/2 != len(c.members) {
		l.ledger.add(OtherNumberOfValues, OtherNumberOfValues.Severity(), l.place(i), metric, Value{"values", Plain, uint64(len(values) / 2)},
			Value{"members", Plain, uint64(len(c.members))})
		return
	}
	for n := range c.members {
		m, code, value := &c.members[n], trace.ValueType(values[2*n]), values[2*n+1]
		if m.typed && code != m.code {
			l.ledger.add(OtherType, OtherType.Severity(), l.place(i), metric, Value{"member", Plain, m.id}, Value{"type", Plain, uint64(code)},
				Value{"defined_type", Plain, uint64(m.code)})
			continue
		}
		if m.grows && m.seen && code.Compare(value, m.last) < 0 {
			l.ledger.add(CounterDecreases, CounterDecreases.Severity(), l.place(i), metric, Value{"member", Plain, m.id},
				Value{"value", Plain, value}, Value{"before", Plain, m.last})
		}
		m.last, m.seen = value, true
	}
}
