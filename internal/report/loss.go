package report

import (
	"encoding/hex"
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Bounds are how much less a trace tells than the one that it was made of.
type Bounds struct {
	List []ColumnBound `json:"bounds"`
	// OriginalSHA256 is the fingerprint of the original's events, empty if it is not known.
	OriginalSHA256 string `json:"original_sha256"`
}

// ColumnBound is how far values of a column may be from the original's.
type ColumnBound struct {
	// Column is "times", or the name of a counter.
	Column string `json:"column"`
	// MetricID and Member are those of a counter.
	MetricID *uint64 `json:"metric_id,omitempty"`
	Member   *uint64 `json:"member,omitempty"`
	// Bound is the largest deviation, in ticks or in the unit of the counter's values; BoundNs is that of times in nanoseconds.
	Bound   uint64  `json:"bound"`
	BoundNs float64 `json:"bound_ns,omitempty"`
	// Cell is the width of the cells that values were rounded in, 0 if there are no such cells.
	Cell uint64 `json:"cell"`
}

func lossOf(t *Trace) *Bounds {
	loss := t.Meta().Loss
	if loss == nil {
		return nil
	}
	l := &Bounds{OriginalSHA256: hex.EncodeToString(loss.Original)}
	for _, b := range loss.Bounds {
		line := ColumnBound{Column: "times", Bound: b.Bound, Cell: b.Cell}
		if b.Class == trace.LossMetric {
			line.Column, line.MetricID, line.Member = memberName(t.names.defs, b), &b.Metric, &b.Member
		} else {
			line.BoundNs = 1e9 * float64(b.Bound) / float64(max(t.Meta().Resolution, 1))
		}
		l.List = append(l.List, line)
	}
	return l
}

func memberName(defs *trace.Definitions, b trace.Bound) string {
	if ids := defs.MetricMembers(b.Metric); b.Member < uint64(len(ids)) {
		return defs.Name(trace.SpaceMetricMember, ids[b.Member])
	}
	return fmt.Sprintf("member %d of metric %d", b.Member, b.Metric)
}

// print says what is guaranteed, and what is not.
func (l *Bounds) print(f *facts) {
	if l == nil {
		return
	}
	name := "loss"
	line := func(format string, values ...any) {
		f.line(name, format, values...)
		name = ""
	}
	for _, b := range l.List {
		cells := ""
		if b.Cell > 0 {
			cells = fmt.Sprintf(" (cells of %s)", Grouped(b.Cell))
		}
		if b.Column == "times" && b.MetricID == nil {
			line("times within %s%s, durations and latencies within twice that; orders are kept,", Duration(b.BoundNs/1e9), cells)
			line("but events may coincide, and single durations below twice the bound mean nothing")
			continue
		}
		line("%s within %s%s", Printable(b.Column), Grouped(b.Bound), cells)
	}
	if l.OriginalSHA256 != "" {
		line("original sha-256 %s", l.OriginalSHA256)
	}
}
