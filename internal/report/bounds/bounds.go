// Package bounds tells how large files are within bounds of what is left out of them.
package bounds

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report"
)

// Foreseen is how large a Pando file would be with times within some bounds.
type Foreseen struct {
	// Asked is the bound that was asked for, or found for a budget, in ticks; 0 if there is none.
	Asked uint64 `json:"asked_ticks"`
	// Trials are in order of their bounds; the first one leaves no time out.
	Trials []Trial `json:"trials"`
}

// Trial is the size of a file with a bound of times.
type Trial struct {
	BoundTicks uint64  `json:"bound_ticks"`
	BoundNs    float64 `json:"bound_ns"`
	Bytes      int64   `json:"bytes"`
}

// Add adds the trials that were made.
func (f *Foreseen) Add(trials *convert.Trials) {
	for _, t := range trials.Made() {
		f.Trials = append(f.Trials, Trial{t.Bound, 1e9 * float64(t.Bound) / float64(trials.Resolution), t.Bytes})
	}
}

// WriteText writes a table.
func (f *Foreseen) WriteText(w io.Writer) {
	rows := func(yield func([]string) bool) {
		for _, s := range f.Trials {
			bound, mark := "none", ""
			if s.BoundTicks > 0 {
				bound = report.Duration(s.BoundNs / 1e9)
			}
			if s.BoundTicks == f.Asked && f.Asked > 0 {
				mark = "asked for"
			}
			if !yield([]string{bound, report.Grouped(s.Bytes), fmt.Sprintf("%.1f %%", 100*float64(s.Bytes)/float64(f.Trials[0].Bytes)), mark}) {
				return
			}
		}
	}
	report.WriteTable(w, []string{"max-error", "bytes", "part", ""}, []bool{false, true, true, false}, rows)
}

// FloorText says that a file is too large whatever the bound, and what its bytes are for.
func FloorText(e *convert.FloorError) string {
	text := fmt.Sprintf("no bound of times is enough: the smallest file has %s", report.Size(e.Floor))
	for i, p := range e.Parts {
		text += fmt.Sprintf("%s%s %s", map[bool]string{true: ": ", false: ", "}[i == 0], report.PartName(p.Part), report.Size(p.Bytes))
	}
	return text
}
