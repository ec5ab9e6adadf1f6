// Package lost lays out how much less a trace tells than the one that it was made of.
package lost

import (
	"encoding/hex"
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Bounds are how much less a trace tells than the one that it was made of.
type Bounds struct {
	List []Bound `json:"bounds"`
	// CallsLeftOut is the number of calls that were left out, if it is known.
	CallsLeftOut *uint64 `json:"calls_left_out,omitempty"`
	// OriginalSHA256 is the fingerprint of the original's events, empty if it is not known.
	OriginalSHA256 string `json:"original_sha256"`

	resolution uint64
}

// Bound is how far values of a column may be from the original's, or which calls were left out.
type Bound struct {
	// Column is "times", "calls", or the name of a counter.
	Column string `json:"column"`
	// MetricID and Member are those of a counter.
	MetricID *uint64 `json:"metric,omitempty"`
	Member   *uint64 `json:"member,omitempty"`
	// Reason is why calls were left out: "short", "deep", "filtered", "level", "class", "later" or "phases".
	Reason string `json:"reason,omitempty"`
	// Bound is the largest deviation, in ticks or in the unit of the counter's values; BoundNs is that of times in nanoseconds. Of calls that were left out for being short, it is the
	// duration from which on all are there (2^60 if no duration is enough); of those that were too deep or of too deep a level, the depth; of classes, how many
	// of them; of later ones, the first number that is missing; of phases, the most for one that was
	// recorded.
	Bound   uint64  `json:"bound"`
	BoundNs float64 `json:"bound_ns,omitempty"`
	// Cell is the width of the cells that values were rounded in, 0 if there are no such cells. Of calls it is the bound, or 0 if not all such calls were left out.
	Cell uint64 `json:"cell"`

	of trace.Bound
}

// reasons are the names of why calls were left out.
var reasons = [...]string{trace.LeftShort: "short", trace.LeftDeep: "deep", trace.LeftFiltered: "filtered", trace.LeftLevel: "level", trace.LeftClass: "class", trace.LeftLater: "later", trace.LeftPhases: "phases"}

// Of returns what a trace lost, nil if it lost nothing. Deviations are those of its calls, nil if they are not known.
func Of(m *trace.Meta, deviations []trace.CallDeviation, defs *trace.Definitions) *Bounds {
	if m.Loss == nil {
		return nil
	}
	l := &Bounds{OriginalSHA256: hex.EncodeToString(m.Loss.Original), resolution: max(m.Resolution, 1)}
	for _, b := range m.Loss.Bounds {
		line := Bound{Column: "times", Bound: b.Bound, Cell: b.Cell, of: b}
		switch b.Class {
		case trace.LossMetric:
			line.Column, line.MetricID, line.Member = memberName(defs, b), &b.Metric, &b.Member
		case trace.LossCalls:
			line.Column, line.Reason = "calls", reasons[b.Metric]
		}
		if b.Class == trace.LossTimes || line.Reason == reasons[trace.LeftShort] {
			line.BoundNs = 1e9 * float64(b.Bound) / float64(l.resolution)
		}
		l.List = append(l.List, line)
	}
	if len(m.Loss.Calls()) > 0 && deviations != nil {
		n := Calls(deviations)
		l.CallsLeftOut = &n
	}
	return l
}

// Calls returns the number of calls that were left out.
func Calls(deviations []trace.CallDeviation) (n uint64) {
	for i := range deviations {
		n += deviations[i].Count
	}
	return n
}

func memberName(defs *trace.Definitions, b trace.Bound) string {
	if ids := defs.MetricMembers(b.Metric); b.Member < uint64(len(ids)) {
		return defs.Name(trace.SpaceMetricMember, ids[b.Member])
	}
	return fmt.Sprintf("member %d of metric %d", b.Member, b.Metric)
}

// Format is how durations, in seconds, numbers, and names from traces are written.
type Format struct {
	Duration  func(seconds float64) string
	Grouped   func(uint64) string
	Printable func(string) string
}

// Lines say what is guaranteed, and what is not.
func (l *Bounds) Lines(f Format) (lines []string) {
	if l == nil {
		return nil
	}
	add := func(format string, values ...any) { lines = append(lines, fmt.Sprintf(format, values...)) }
	for i := range l.List {
		b := &l.List[i]
		cells := ""
		if b.Cell > 0 {
			cells = fmt.Sprintf(" (cells of %s)", f.Grouped(b.Cell))
		}
		switch b.of.Class {
		case trace.LossTimes:
			add("times within %s%s, durations and latencies within twice that; orders are kept,", f.Duration(b.BoundNs/1e9), cells)
			add("but events may coincide, and single durations below twice the bound mean nothing")
		case trace.LossCalls:
			add("%s were left out", f.Which(&b.of, l.resolution))
		default:
			add("%s within %s%s", f.Printable(b.Column), f.Grouped(b.Bound), cells)
		}
	}
	if l.CallsLeftOut != nil {
		add("%s calls were left out in all; sums of the whole trace have them", f.Grouped(*l.CallsLeftOut))
	}
	if l.OriginalSHA256 != "" {
		add("original sha-256 %s", l.OriginalSHA256)
	}
	return lines
}

func counted(n uint64, one, more string) string {
	if n == 1 {
		return "the " + one
	}
	return fmt.Sprintf("the %d %s", n, more)
}

// Which says which calls a bound is about. The trace has that many ticks per second.
func (f Format) Which(b *trace.Bound, resolution uint64) string {
	switch {
	case b.Metric == uint64(trace.LeftDeep):
		return fmt.Sprintf("calls inside %s others or more", f.Grouped(b.Bound))
	case b.Metric == uint64(trace.LeftFiltered):
		return "calls of filtered regions or of pauses"
	case b.Metric == uint64(trace.LeftLevel):
		if b.Bound == 1 {
			return "calls inside others without events inside"
		}
		return fmt.Sprintf("calls inside %s others or more without events inside", f.Grouped(b.Bound))
	case b.Metric == uint64(trace.LeftClass):
		return fmt.Sprintf("calls of the regions of %s that went first, without events inside", counted(b.Bound, "class", "classes"))
	case b.Metric == uint64(trace.LeftLater):
		return fmt.Sprintf("calls of a region from number %s on at a location, without events inside", f.Grouped(b.Bound))
	case b.Metric == uint64(trace.LeftPhases):
		return fmt.Sprintf("calls and events in loop phases, of which at least one in %s was recorded,", f.Grouped(b.Bound))
	case b.Bound >= trace.MaxCell:
		return "calls without events inside"
	}
	return fmt.Sprintf("calls shorter than %s (%s ticks) without events inside", f.Duration(float64(b.Bound)/float64(max(resolution, 1))), f.Grouped(b.Bound))
}
