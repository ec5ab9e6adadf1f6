package hotspots

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

func (r *Report) ns(ticks int64) int64 { return trace.Nanoseconds(ticks, r.TicksPerSecond) }

// duration writes a time in ticks.
func (r *Report) duration(ticks int64) string {
	return report.Duration(float64(ticks) / float64(r.TicksPerSecond))
}

// writeText writes the report for people: findings first.
func (r *Report) writeText(to io.Writer) error {
	w := bufio.NewWriter(to)
	if r.Why != "" {
		fmt.Fprintln(w, report.Printable(r.Why))
		return w.Flush()
	}
	for i := range r.Findings {
		fmt.Fprintln(w, r.sentence(&r.Findings[i]))
	}
	switch {
	case r.OmittedFindings > 0:
		fmt.Fprintf(w, "… %s (--limit %d)\n", report.Plural(r.OmittedFindings, "more finding", "more findings"), len(r.Findings))
	case len(r.Findings) == 0:
		fmt.Fprintln(w, "nothing stands out: SOS times differ no more than noise does")
	}
	r.where(w)
	r.summary(w)
	return w.Flush()
}

// sentence says all of a finding in a line.
func (r *Report) sentence(f *Finding) string {
	which := fmt.Sprintf("segment %s of %s", report.Grouped(f.First), report.Printable(f.Segments))
	if f.First != f.Last {
		which = fmt.Sprintf("segments %s to %s of %s", report.Grouped(f.First), report.Grouped(f.Last), report.Printable(f.Segments))
	}
	in := ""
	if len(f.Where) > 0 {
		in = fmt.Sprintf(", %s of it in %s", r.duration(f.Where[0].OwnTicks), report.Printable(last(f.Where[0].Path)))
	}
	place, own, median := report.Printable(f.LocationLabel), r.duration(f.SosTicks), r.duration(f.MedianTicks)
	switch f.Kind {
	case segment.Slow.String():
		takes := "takes"
		if f.First != f.Last {
			takes = "take"
		}
		return fmt.Sprintf("%s %s long on all locations: %s%s; median of all segments %s", which, takes, own, in, median)
	case segment.Imbalance.String():
		return fmt.Sprintf("%s is late in %s%s, by %s in all: in segment %s %s of its own%s; median of the others %s", place, r.lateOf(f), which,
			r.duration(f.ExcessTicks), report.Grouped(f.Shown), own, in, median)
	}
	return fmt.Sprintf("%s is late in %s: %s of its own%s; median of the others %s", place, which, own, in, median)
}

// where lists the call paths of all findings.
func (r *Report) where(w io.Writer) {
	heads := []string{"location", "segment", "begin [s]", "duration", "sos", "z", "time", "usually", "call path"}
	right := []bool{false, true, true, true, true, true, true, true, false}
	var rows [][]string
	for i := range r.Findings {
		f := &r.Findings[i]
		row := []string{report.Cell(f.LocationLabel), report.Grouped(f.Shown), r.instant(f), r.duration(f.DurationTicks), r.duration(f.SosTicks), zText(f.Z)}
		if len(f.Where) == 0 {
			rows = append(rows, append(row, "", "", ""))
		}
		for _, p := range f.Where {
			rows = append(rows, append(row, r.duration(p.OwnTicks), r.duration(p.UsualTicks), report.Cell(strings.Join(p.Path, " > "))))
			row = make([]string, len(row))
		}
	}
	if len(rows) > 0 {
		fmt.Fprintln(w)
		report.WriteTable(w, heads, right, slices.Values(rows))
	}
}

// lateOf returns how many of the segments of a finding are late.
func (r *Report) lateOf(f *Finding) string {
	if n := f.Last - f.First + 1; int64(f.Late) != n {
		return fmt.Sprintf("%s of the %s ", report.Grouped(f.Late), report.Grouped(n))
	}
	return "each of "
}

func last(path []string) string { return path[len(path)-1] }

// instant returns the begin of the shown segment on the trace's axis of time.
func (r *Report) instant(f *Finding) string {
	axis := r.trace.TimeAxis()
	return string(axis.AppendTime(nil, f.StartTicks+r.trace.Info().First))
}

// zText says how far a segment is from the others.
func zText(z *float64) string {
	if z == nil {
		return ""
	}
	return fmt.Sprintf("%.1f", *z)
}

// summary says what was compared.
func (r *Report) summary(w io.Writer) {
	s := &r.Segments
	seconds := func(ns float64) string { return report.Duration(ns / 1e9) }
	fmt.Fprintf(w, "\nsegments: %s, %s on %s; SOS time %s\n", r.levelText(&s.Level), report.Grouped(s.Count), report.Plural(s.Locations, "location", "locations"), seconds(s.CoveredNs))
	if s.Fewest < s.Most {
		fmt.Fprintf(w, "  locations have from %s to %s: those of equal number, from the begin of the trace, are compared\n", report.Grouped(s.Fewest), report.Grouped(s.Most))
	}
	if s.Stride > 1 {
		fmt.Fprintf(w, "  there are very many: %s neighbours are one segment each\n", report.Grouped(s.Stride))
	}
	if s.Locations > 1 {
		fmt.Fprintf(w, "waste: %s, %.1f %% of the time if all wait for the slowest in each segment; %s is that in %.1f %% of segments\n",
			seconds(s.WasteNs), 100*s.WasteShare, report.Printable(s.Slowest), 100*s.SlowestShare)
	}
	if !s.Synchronises {
		fmt.Fprintln(w, "nothing in the window synchronises: SOS times are durations")
	}
	if s.Locations == 1 {
		fmt.Fprintln(w, "there is one location: its segments are compared with each other")
	}
	var finer []string
	for i := range r.Finer {
		finer = append(finer, report.Printable(r.Finer[i].Title))
	}
	if len(finer) > 0 {
		fmt.Fprintf(w, "finer: %s\n", strings.Join(finer, ", then "))
	}
}

// mostBody is the number of calls of a body that text names.
const mostBody = 4

// levelText describes a level.
func (r *Report) levelText(l *Level) string {
	if l.Region != nil {
		return "calls of " + report.Printable(l.Title)
	}
	body := l.Body[:min(len(l.Body), mostBody)]
	text := report.Printable(l.Title) + " (" + report.Printable(strings.Join(body, ", "))
	if more := len(l.Body) - len(body); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + ")"
}
