package equal

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// Tolerance is how far the values of two traces are apart, of which one is coarser.
type Tolerance struct {
	// Resolution is the number of ticks per second.
	Resolution uint64 `json:"resolution"`
	// Columns are those that may deviate, in the order of their classes, metrics and members.
	Columns []Deviation `json:"columns"`
	// Reversed counts where an order of events of A is not kept in B, on one location or across locations. Events that B has at one time count once.
	Reversed uint64 `json:"reversed"`
	// FirstReversed is one of these.
	FirstReversed *Reversal `json:"first_reversed,omitempty"`
}

// Deviation is how far the values of a column are apart.
type Deviation struct {
	// Column is "times", or the name of a counter.
	Column string `json:"column"`
	// Bound is the largest deviation that is allowed.
	Bound uint64 `json:"bound"`
	// Values counts the values, Changed those that are not the same.
	Values  uint64 `json:"values"`
	Changed uint64 `json:"changed"`
	// Largest and Mean are of all values; of times they are in ticks.
	Largest float64 `json:"largest"`
	Mean    float64 `json:"mean"`
	sum     float64
	times   bool
}

// Lines says it in text, none for nil, by functions that write durations in seconds and counts.
func (o *Tolerance) Lines(duration func(float64) string, count func(uint64) string) (list []string) {
	if o == nil {
		return nil
	}
	for i := range o.Columns {
		d := &o.Columns[i]
		name, amount := strconv.Quote(d.Column), func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		if d.times {
			name = d.Column
			amount = func(v float64) string { return duration(v / float64(o.Resolution)) }
		}
		list = append(list, fmt.Sprintf("%s: largest deviation %s, mean %s, bound %s; %s of %s values differ",
			name, amount(d.Largest), amount(d.Mean), amount(float64(d.Bound)), count(d.Changed), count(d.Values)))
	}
	f := o.FirstReversed
	if f == nil {
		return append(list, "orders: none is reversed, on one location or across locations; no message is received before its send that was not before")
	}
	return append(list, fmt.Sprintf("orders: %s reversed. The first: what was on %d at %d, not later than on %d at %d, is at %d, later than at %d",
		count(o.Reversed), f.First.Location, f.First.A, f.Second.Location, f.Second.A, f.First.B, f.Second.B))
}

// Reversal is two events that B has in another order than A. Times are in ticks of the clocks.
type Reversal struct {
	// First was not later than Second in A, and is later in B.
	First  Instant `json:"first"`
	Second Instant `json:"second"`
}

// Instant is a time of an event in both traces.
type Instant struct {
	Location uint64 `json:"location"`
	A        uint64 `json:"a"`
	B        uint64 `json:"b"`
}

func (d *Deviation) add(by float64) bool {
	d.Values++
	if by > 0 {
		d.Changed++
		d.sum += by
		d.Largest = max(d.Largest, by)
	}
	d.Mean = d.sum / float64(d.Values)
	return by <= float64(d.Bound)
}

// tolerance compares records whose values may deviate.
type tolerance struct {
	rules    *rules
	report   *Tolerance
	times    *Deviation            // nil if times are exact
	counters map[uint64][]*counter // by metric
	closely  []bool                // by kind: whether there is more to a record than words that must be the same
	known    []bool
}

// counter is a member of a metric that may deviate.
type counter struct {
	member uint64
	*Deviation
}

func newTolerance(bounds []trace.Bound, resolution uint64, defs *trace.Definitions) *tolerance {
	t := &tolerance{rules: newRules(), counters: map[uint64][]*counter{}}
	t.report = &Tolerance{Resolution: max(resolution, 1), Columns: make([]Deviation, len(bounds))}
	for i, b := range bounds {
		d := &t.report.Columns[i]
		d.Column, d.Bound, d.times = columnName(defs, b), b.Bound, b.Class == trace.LossTimes
		if b.Class == trace.LossTimes {
			t.times = d
		} else {
			t.counters[b.Metric] = append(t.counters[b.Metric], &counter{b.Member, d})
		}
	}
	return t
}

// columnName returns the name of a column that has a bound.
func columnName(defs *trace.Definitions, b trace.Bound) string {
	if b.Class == trace.LossTimes {
		return "times"
	}
	if ids := defs.MetricMembers(b.Metric); b.Member < uint64(len(ids)) {
		return defs.Name(trace.SpaceMetricMember, ids[b.Member])
	}
	return fmt.Sprintf("member %d of metric %d", b.Member, b.Metric)
}

// same reports whether two records are the same but for what may deviate. It looks at all values, so that their deviations are known.
func (t *tolerance) same(a, b *cursor) bool {
	same := t.sameTime(a.time(), b.time())
	if a.kind() != b.kind() || !t.rules.sameAttributes(a.batch.AttrsOf(a.at), b.batch.AttrsOf(b.at)) || !t.sameResidual(uint64(a.batch.Residual(a.at)), uint64(b.batch.Residual(b.at))) {
		return false
	}
	if !t.isClose(a) {
		return t.rules.sameWords(a, b) && same
	}
	return t.sameFields(a, b) && same
}

// sameTime compares times, or words that are times since the same instant.
func (t *tolerance) sameTime(a, b uint64) bool {
	if t.times == nil {
		return a == b
	}
	return t.times.add(float64(magnitude(int64(b - a))))
}

// sameResidual compares what sources had as times besides. It is dropped where times are coarse.
func (t *tolerance) sameResidual(a, b uint64) bool { return a == b || t.times != nil && b == 0 }

// isClose reports whether records of the cursor's kind have values that may deviate.
func (t *tolerance) isClose(c *cursor) bool {
	k := int(c.kind())
	for len(t.known) <= k {
		t.known, t.closely = append(t.known, false), append(t.closely, false)
	}
	if !t.known[k] {
		t.known[k] = true
		if spec := c.table.Spec(c.kind()); spec != nil {
			t.closely[k] = slices.ContainsFunc(spec.Fields, func(f trace.Field) bool { return f.Type == trace.TypeTime && t.times != nil }) ||
				len(t.counters) > 0 && (c.kind() == trace.KindMetric || c.kind() == trace.KindSnapshotMetric)
		}
	}
	return t.closely[k]
}

// sameFields compares records field by field.
func (t *tolerance) sameFields(a, b *cursor) bool {
	v, w := a.batch.Fields(a.at), b.batch.Fields(b.at)
	if len(v) != len(w) {
		return false
	}
	values := t.valuesOf(a.kind(), v)
	from := len(v) - len(values)
	same := true
	known := a.table.Spec(a.kind()).WalkIDs(v, func(i int, f *trace.Field, space trace.Space, word uint64) {
		switch {
		case i >= from && t.mayDeviate(a.kind(), v, i-from):
			same = t.sameValue(a.kind(), v, i-from, w[i]) && same
		case f.Type == trace.TypeTime && t.times != nil:
			same = t.sameTime(word-a.zero, w[i]-b.zero) && same
		case a.kind() == trace.KindBufferFlush && f.Type == trace.TypeSigned:
			same = t.sameResidual(word, w[i]) && same
		default:
			same = t.rules.sameField(a, b, f, space, word, w[i]) && same
		}
	})
	return same && (known || slices.Equal(v, w))
}

// valuesOf returns the types and values of a metric's members, in turn, without the words before them.
func (t *tolerance) valuesOf(k trace.Kind, words []uint64) []uint64 {
	switch before := metricOf(k); {
	case before < 0 || len(words) < before+2:
		return nil
	default:
		return words[before+2:]
	}
}

// metricOf returns which word of a kind names the metric whose values stand behind it, -1 if it has none.
func metricOf(k trace.Kind) int {
	switch k {
	case trace.KindMetric:
		return 0
	case trace.KindSnapshotMetric:
		return 1
	}
	return -1
}

// member returns what is known of the member whose word is at a place among types and values.
func (t *tolerance) member(k trace.Kind, words []uint64, at int) *Deviation {
	for _, c := range t.counters[words[metricOf(k)]] {
		if c.member == uint64(at/2) && at%2 == 1 {
			return c.Deviation
		}
	}
	return nil
}

func (t *tolerance) mayDeviate(k trace.Kind, words []uint64, at int) bool {
	return metricOf(k) >= 0 && t.member(k, words, at) != nil
}

// sameValue compares the value of a counter with another one.
func (t *tolerance) sameValue(k trace.Kind, words []uint64, at int, other uint64) bool {
	value := words[metricOf(k)+2+at]
	return t.member(k, words, at).add(apart(trace.ValueType(words[metricOf(k)+1+at]), value, other))
}

// apart returns how far two values are from each other; a number that is none, and an infinite one, is so from all others.
func apart(typ trace.ValueType, v, w uint64) float64 {
	switch {
	case v == w:
		return 0
	case typ.IsFloat():
		if d := math.Abs(typ.Float(v) - typ.Float(w)); d == d {
			return d
		}
		return math.Inf(1)
	case typ.Compare(v, w) > 0:
		return float64(v - w)
	}
	return float64(w - v)
}
