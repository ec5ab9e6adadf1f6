package comparison

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
)

// Each is one run A compared with each of some others: a report of each, and in text a table of all.
type Each struct {
	Comparisons []json.RawMessage `json:"comparisons"`

	rows [][]string
}

// Add adds a report, and writes it if it is for people. Nothing else is kept of it.
func (e *Each) Add(w io.Writer, r *Report, f report.Format) error {
	if f == report.JSON {
		var b bytes.Buffer
		err := r.Write(&b, f)
		e.Comparisons = append(e.Comparisons, b.Bytes())
		return err
	}
	e.rows = append(e.rows, r.overview())
	if err := r.Write(w, f); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// End writes what is left: JSON as a whole, or the table.
func (e *Each) End(w io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(w, e)
	}
	p := &report.Printer{To: w}
	report.WriteTable(p, []string{"b", "structure", "difference", "slower"}, []bool{false, true, true, false}, slices.Values(e.rows))
	return p.Err
}

// mostSlower is the number of regions of a run in the table of all.
const mostSlower = 3

// overview returns the report as a row of a table: the time is that without MPI's start and end, regions are those of own work that are slower.
func (r *Report) overview() []string {
	s, structure, difference := &r.Structure, "", ""
	switch {
	case len(r.Pairs) == 0:
	case s.EqualPairs == len(r.Pairs):
		structure = "the same"
	default:
		structure = similarity(s.Lowest, s.Highest)
	}
	var slower []string
	if r.comparison.Timed {
		difference = r.change(r.Program.DifferenceTicks, r.Program.ATicks)
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.finding.Own() && row.finding.Judged != contrast.Noise && row.OverTicks > 0 && len(slower) < mostSlower {
				slower = append(slower, fmt.Sprintf("%s %s on %s", report.Cell(row.RegionName), r.signed(row.OverTicks), r.where(row)))
			}
		}
	}
	return []string{report.Cell(r.B), structure, difference, strings.Join(slower, "; ")}
}
