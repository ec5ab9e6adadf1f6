package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/trace"
)

// clock writes times of one trace in a column of a fixed width.
type clock struct {
	trace.TimeAxis
	width int // bytes of the longest time of the trace
}

func newClock(axis trace.TimeAxis, last int64) clock {
	return clock{axis, len(axis.AppendTime(nil, last))}
}

// padded appends a time, given in ticks relative to the epoch, right-aligned in the width of the longest time.
func (c *clock) padded(dst []byte, t int64) []byte {
	return alignRight(c.AppendTime(dst, t), len(dst), c.width)
}

// nanoseconds converts a number of ticks.
func (c *clock) nanoseconds(ticks int64) int64 { return trace.Nanoseconds(ticks, c.Resolution()) }

// human returns a duration, in ticks, with four digits and a fitting unit.
func (c *clock) human(ticks int64) string { return Duration(c.Seconds(ticks)) }

// Lost is how what a trace lost is written.
var Lost = lost.Format{Duration: Duration, Grouped: Grouped[uint64], Printable: Printable}

// LeftOut says which calls were left out of a trace.
func LeftOut(m *trace.Meta) string {
	var list []string
	calls := m.Loss.Calls()
	for i := range calls {
		list = append(list, Lost.Which(&calls[i], m.Resolution))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, " and ")
}

// Duration returns a duration, in seconds, with four digits and a fitting unit: "12.35 ms".
func Duration(s float64) string { return string(appendDuration(nil, s)) }

// appendDuration appends what Duration returns.
func appendDuration(dst []byte, s float64) []byte {
	size := math.Abs(s)
	switch {
	case s == 0:
		return append(dst, "0 s"...)
	case size >= 1:
		return append(appendFour(dst, s), " s"...)
	case size >= 1e-3:
		return append(appendFour(dst, s*1e3), " ms"...)
	case size >= 1e-6:
		return append(appendFour(dst, s*1e6), " us"...)
	}
	return append(appendFour(dst, s*1e9), " ns"...)
}

// fourDigits returns a number with four significant digits, or all digits of its integer part.
func fourDigits(v float64) string { return string(appendFour(nil, v)) }

func appendFour(dst []byte, v float64) []byte {
	places := 3
	for limit := 10.0; places > 0 && math.Abs(v) >= limit; limit *= 10 {
		places--
	}
	return strconv.AppendFloat(dst, v, 'f', places, 64)
}
