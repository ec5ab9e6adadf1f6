package shapes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

func (r *Report) seconds(ticks int64) string {
	return report.Duration(float64(ticks) / float64(r.TicksPerSecond))
}

// writeText writes the classes for people.
func (r *Report) writeText(to io.Writer, limit int) error {
	w := &report.Printer{To: to}
	fmt.Fprintf(w, "%s: %s of like calls, compared by %s\n", report.Printable(r.Trace), report.Plural(len(r.Classes), "class", "classes"), r.Compared)
	if r.Cut > 0 {
		fmt.Fprintf(w, "  left out  %s that the window cuts or that are never left\n", report.Plural(r.Cut, "call", "calls"))
	}
	if len(r.Classes) == 0 {
		return w.Err
	}
	fmt.Fprintln(w)
	shown := r.Classes
	if limit > 0 {
		shown = shown[:min(limit, len(shown))]
	}
	var rows [][]string
	for i := range shown {
		c := &shown[i]
		rows = append(rows, []string{
			report.Grouped(c.Calls), strconv.Itoa(c.Locations), report.Duration(c.Own.Sum.Float() / float64(r.TicksPerSecond)), r.seconds(c.Own.Median), r.seconds(c.Own.MAD),
			r.seconds(c.Own.P99), r.seconds(c.Own.Largest), report.Grouped(c.Unusual), report.Cell(c.Structure),
		})
	}
	report.WriteTable(w, []string{"calls", "locations", "exclusive", "median", "mad", "p99", "largest", "unusual", "class"},
		[]bool{true, true, true, true, true, true, true, true, false}, slices.Values(rows))
	if n := len(r.Classes) - len(shown); n > 0 {
		fmt.Fprintf(w, "and %s more: --limit 0\n", report.Grouped(n))
	}
	return w.Err
}

// writeLines writes the unusual calls as JSON, one a line, behind the line of the window.
func (r *Report) writeLines(to *bufio.Writer) error {
	noCalls := func(func(trace.Call, error) bool) {}
	if err := report.NewListing(to, r.of, report.ListOptions{Format: report.JSON, Window: r.window}).Calls(noCalls); err != nil {
		return err
	}
	lines := json.NewEncoder(to)
	for i := range r.Unusual {
		if err := lines.Encode(unusualLine{"unusual_call", &r.Unusual[i]}); err != nil {
			return err
		}
	}
	return nil
}

// unusualLine is the line of an unusual call.
type unusualLine struct {
	Type string `json:"type"`
	*Call
}

// WriteUnusual writes the unusual calls for people, or as JSON, one a line.
func (r *Report) WriteUnusual(to *bufio.Writer, f report.Format) error {
	if f == report.JSON {
		return r.writeLines(to)
	}
	w := &report.Printer{To: to}
	if len(r.Unusual) == 0 {
		fmt.Fprintln(w, "no call is unusual for its class")
		return w.Err
	}
	var rows [][]string
	for i := range r.Unusual {
		u := &r.Unusual[i]
		rows = append(rows, []string{
			u.Kind, report.Cell(u.Location), strconv.FormatFloat(float64(u.Start)/float64(r.TicksPerSecond), 'f', 9, 64), r.seconds(u.Duration), r.seconds(u.Own),
			r.seconds(u.Usual), strconv.FormatFloat(u.Z, 'f', 1, 64), report.Cell(strings.Join(u.Path, " > ")),
		})
	}
	report.WriteTable(w, []string{"kind", "location", "start [s]", "duration", "exclusive", "usual", "z", "path"},
		[]bool{false, false, true, true, true, true, true, false}, slices.Values(rows))
	return w.Err
}
