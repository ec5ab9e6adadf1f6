package summary

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// metricRows lists the values of counters, one counter after the other. Programs get values as they were recorded, with unit, base and
// exponent; people get them in the unit.
func metricRows(s *summed) rows {
	type row = trace.MetricTotals
	slices.SortStableFunc(s.Metrics, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Member, b.Member))
	})
	in := func(head, name, doc string, v func(*row) value) column[*row] {
		return column[*row]{Column: Column{Name: name, Type: "number", Unit: "unit", Null: true, Doc: doc}, head: head, right: true, value: v,
			text: func(r *row) string {
				x := v(r)
				if x.kind == null {
					return "-"
				}
				m, _ := s.member(r)
				return quantity(&m, s.unit(r), &x)
			}}
	}
	some := func(word func(*row) uint64) func(*row) value {
		return func(r *row) value {
			if r.Count == 0 {
				return value{}
			}
			return metricOf(r.Type, word(r))
		}
	}
	columns := []column[*row]{
		count("values", "count", "number of values in the window", func(r *row) uint64 { return r.Count }),
		in("least", "min", "the least of them as recorded: times base to the power of exponent in unit; null if there are none", some(func(r *row) uint64 { return r.Min })),
		in("greatest", "max", "the greatest of them, likewise", some(func(r *row) uint64 { return r.Max })),
		in("last", "last", "the value at the window's last instant, likewise", func(r *row) value { return metricOf(r.Type, r.Last) }),
		{Column: Column{Name: "integral", Type: "number", Unit: "unit times ticks", Doc: "integral of the value over the window, likewise"}, value: func(r *row) value {
			if r.Type.IsFloat() {
				return floatValue(r.FloatIntegral)
			}
			return sumValue(r.Integral)
		}},
		{Column: Column{Name: "unit", Type: "string", Doc: "unit of value times base^exponent; empty if it has none"}, fixed: true, value: func(r *row) value { return textValue(s.unit(r)) }},
		number("base", "2 or 10; null if the metric is not defined", func(r *row) (int64, bool) { m, ok := s.member(r); return int64(m.BaseNumber()), ok }),
		number("exponent", "the power of base that recorded values are multiplied by", func(r *row) (int64, bool) { m, ok := s.member(r); return m.Exponent, ok }),
		id("metric", "id of the metric class or instance", func(r *row) uint64 { return r.Metric }),
		{Column: Column{Name: "position", Type: "integer", Doc: "place of the value among those of its events, from 0"}, key: true, fixed: true, value: func(r *row) value { return countValue(r.Member) }},
		id("member", "id of the metric member", s.memberID),
		named("counter", "member_name", "its name", func(r *row) *string { return s.names.Optional(trace.SpaceMetricMember, s.memberID(r)) }, s.counter),
		{Column: Column{Name: "type", Type: "string", Doc: "type of the values as recorded: UINT64, DOUBLE, ..."}, key: true, fixed: true, value: func(r *row) value { return textValue(r.Type.String()) }},
	}
	return &rowsOf[*row]{rows: pointers(s.Metrics), shown: "last", columns: append(columns, places(s, "location", "", "", func(r *row) uint64 { return r.Location })...)}
}

// memberID returns the id of the member of a metric that values are of, undefined if it is not known.
func (s *summed) memberID(m *trace.MetricTotals) uint64 {
	if members := s.names.Definitions().MetricMembers(m.Metric); m.Member < uint64(len(members)) {
		return members[m.Member]
	}
	return trace.Undefined
}

// member returns the definition of the counter that values are of.
func (s *summed) member(m *trace.MetricTotals) (trace.MetricMember, bool) {
	member, ok := s.names.Definitions().Members[s.memberID(m)]
	return member, ok
}

// counter returns the text for a counter.
func (s *summed) counter(m *trace.MetricTotals) string {
	if id := s.memberID(m); !trace.IsUndefined(id) {
		return s.names.Plain(trace.SpaceMetricMember, id)
	}
	return s.names.Plain(trace.SpaceMetric, m.Metric)
}

// unit returns the unit of a counter, "" if it has none.
func (s *summed) unit(m *trace.MetricTotals) string {
	member, ok := s.member(m)
	if !ok {
		return ""
	}
	return s.names.Definitions().Strings[member.Unit]
}

// prefixes are those of decimal and binary multiples, from 10^-9 and 2^0 up.
var (
	decimalPrefixes = []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binaryPrefixes  = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// quantity returns a recorded value in its unit, for people: with a prefix where the unit is one that takes prefixes, of bytes those of the
// member's base.
func quantity(m *trace.MetricMember, unit string, v *value) string {
	scaled := m.Scaled(v.asFloat())
	if m.Exponent == 0 && !v.typ.IsFloat() || math.IsNaN(scaled) || math.IsInf(scaled, 0) {
		if text := string(v.appendText(nil)); unit != "s" && !isBytes(unit) {
			return strings.TrimSpace(grouped(text) + " " + report.Cell(plainUnit(unit)))
		}
	}
	switch {
	case unit == "s":
		return report.Duration(scaled)
	case isBytes(unit):
		if m.Base == 0 && m.Exponent != 0 {
			return withPrefix(scaled, 1024, 0, binaryPrefixes, "B")
		}
		return withPrefix(scaled, 1000, 0, decimalPrefixes[3:], "B")
	case len(unit) <= 2 && unit != "" && unit != "#" && unit != "%":
		return withPrefix(scaled, 1000, 3, decimalPrefixes, report.Cell(unit))
	}
	return strings.TrimSpace(significant(scaled) + " " + report.Cell(plainUnit(unit)))
}

// isBytes reports whether a unit is the byte.
func isBytes(unit string) bool {
	switch strings.ToLower(unit) {
	case "byte", "bytes":
		return true
	}
	return unit == "B"
}

// plainUnit returns a unit for text; # is that of PAPI's counters, which have none.
func plainUnit(unit string) string {
	if unit == "#" {
		return ""
	}
	return unit
}

// grouped puts commas between the thousands of an integer.
func grouped(text string) string {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return report.Grouped(n)
	}
	return text
}

// withPrefix returns a value with the prefix that brings it between 1 and the step; one is the place of no prefix.
func withPrefix(v, step float64, one int, prefixes []string, unit string) string {
	at := one
	for at+1 < len(prefixes) && math.Abs(v) >= step {
		v, at = v/step, at+1
	}
	for at > 0 && v != 0 && math.Abs(v) < 1 {
		v, at = v*step, at-1
	}
	return significant(v) + " " + prefixes[at] + unit
}

// significant returns a number with four significant digits, or all digits of an integer.
func significant(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return report.Grouped(int64(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
