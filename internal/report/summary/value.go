package summary

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// value is a value in a row of an answer. The zero value is null.
type value struct {
	kind   valueKind
	number trace.Sum       // of an integer; the word of a metric value in Lo
	float  float64         // of a float
	text   string          // of a text
	typ    trace.ValueType // of a metric value
	list   []uint64        // a list, or what a text is ordered by before its letters
}

type valueKind uint8

const (
	null valueKind = iota
	integer
	float
	name
	metric
	list
)

func countValue(n uint64) value    { return value{kind: integer, number: trace.Sum{Lo: n}} }
func sumValue(s trace.Sum) value   { return value{kind: integer, number: s} }
func floatValue(f float64) value   { return value{kind: float, float: f} }
func textValue(s string) value     { return value{kind: name, text: s} }
func listValue(ids []uint64) value { return value{kind: list, list: ids} }
func metricOf(t trace.ValueType, word uint64) value {
	return value{kind: metric, typ: t, number: trace.Sum{Lo: word}}
}

// idValue returns an id, null for an undefined one.
func idValue(id uint64) value {
	if trace.IsUndefined(id) {
		return value{}
	}
	return countValue(id)
}

// asFloat returns a number, rounded.
func (v *value) asFloat() float64 {
	switch v.kind {
	case integer:
		if v.number.Hi == 0 {
			return float64(v.number.Lo)
		}
		return v.number.Float()
	case float:
		return v.float
	case metric:
		return v.typ.Float(v.number.Lo)
	}
	return 0
}

// compare orders the values of one column: numbers from the largest down, texts up, null last.
func (v *value) compare(o *value) int {
	switch {
	case v.kind == null || o.kind == null:
		return cmp.Compare(b2i(v.kind == null), b2i(o.kind == null))
	case v.kind == integer && o.kind == integer:
		return o.number.Cmp(v.number)
	case v.kind == name && o.kind == name:
		return cmp.Or(slices.Compare(v.list, o.list), cmp.Compare(v.text, o.text))
	}
	return cmp.Compare(o.asFloat(), v.asFloat())
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendText appends a value for CSV, nothing for null.
func (v *value) appendText(dst []byte) []byte {
	switch v.kind {
	case integer:
		if v.number.Hi == 0 {
			return strconv.AppendUint(dst, v.number.Lo, 10)
		}
		return append(dst, v.number.String()...)
	case float:
		return appendFloat(dst, v.float)
	case name:
		return append(dst, v.text...)
	case metric:
		return append(dst, v.typ.Format(v.number.Lo)...)
	case list:
		return appendList(dst, v.list, ' ')
	}
	return dst
}

func appendList(dst []byte, ids []uint64, between byte) []byte {
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, between)
		}
		dst = strconv.AppendUint(dst, id, 10)
	}
	return dst
}

// appendFloat appends a number with all its digits, in the form that JSON has in other programs: without an exponent where it is near 1.
func appendFloat(dst []byte, f float64) []byte {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendJSON appends a value as JSON. JSON has no number for infinity and for what is not a number: they become null.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case null:
		return append(dst, "null"...)
	case name:
		return report.AppendJSONString(dst, v.text)
	case list:
		return append(appendList(append(dst, '['), v.list, ','), ']')
	case float, metric:
		if f := v.asFloat(); math.IsInf(f, 0) || math.IsNaN(f) {
			return append(dst, "null"...)
		}
	}
	return v.appendText(dst)
}
