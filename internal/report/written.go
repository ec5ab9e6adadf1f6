package report

import (
	"fmt"
	"io"
	"time"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/trace"
)

// Written is the outcome of writing a trace: what was read and written, how long it took, and what there is to warn of.
type Written struct {
	Input           string    `json:"input"`
	Output          string    `json:"output"`
	Format          string    `json:"format"`
	Written         string    `json:"written_as"`
	Events          uint64    `json:"events"`
	Locations       int       `json:"locations"`
	InputBytes      int64     `json:"input_bytes"`
	OutputBytes     int64     `json:"output_bytes"`
	Ratio           float64   `json:"ratio"`
	BitsPerEvent    float64   `json:"bits_per_event"`
	Seconds         float64   `json:"seconds"`
	EventsPerSecond float64   `json:"events_per_second"`
	Warnings        []Warning `json:"warnings"`
	// Suspicious is there if a Pando file was written.
	Suspicious *Suspicious `json:"suspicious,omitempty"`
	// Recorded is there if the program was run to record itself.
	Recorded *lost.Recorded `json:"recorded,omitempty"`
}

// Warning is a kind of warning, how often it was given, and one of the cases.
type Warning struct {
	Kind    string `json:"kind"`
	Count   uint64 `json:"count"`
	Example string `json:"example"`
}

// NewWritten returns the outcome of writing a trace that was found.
func NewWritten(found *convert.Trace, w convert.Written, took time.Duration) *Written {
	s := &Written{Format: found.Format, InputBytes: found.Bytes, Events: w.Events, Locations: w.Locations, OutputBytes: w.Bytes,
		Seconds: took.Seconds(), Warnings: []Warning{}}
	s.Ratio = float64(s.InputBytes) / float64(s.OutputBytes)
	s.EventsPerSecond = float64(s.Events) / s.Seconds
	if s.Events > 0 {
		s.BitsPerEvent = 8 * float64(s.OutputBytes) / float64(s.Events)
	}
	for _, w := range w.Warnings {
		s.Warnings = append(s.Warnings, Warning(w))
	}
	if w.Info != nil {
		suspicious := newSuspicious(w.Info)
		s.Suspicious = &suspicious
	}
	return s
}

func (s *Written) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s → %s\n", Printable(s.Input), Printable(s.Output))
	f := facts{w, 10}
	f.line("format", "%s → %s", s.Format, s.Written)
	f.line("events", "%s on %s", Grouped(s.Events), Plural(s.Locations, "location", "locations"))
	f.line("size", "%s → %s, %s : 1, %.2f bits per event", Size(s.InputBytes), Size(s.OutputBytes), fourDigits(s.Ratio), s.BitsPerEvent)
	f.line("time", "%s, %s", Duration(s.Seconds), Rate(s.EventsPerSecond, "events"))
	if s.Recorded != nil {
		f.line("overhead", "%s", s.Recorded.Line(Lost))
	}
	if len(s.Warnings) == 0 {
		f.line("warnings", "none")
	}
	name := "warnings"
	for i := range s.Warnings {
		f.line(name, "%s", WarningText((*trace.Warning)(&s.Warnings[i])))
		name = ""
	}
	if s.Suspicious != nil {
		if text := s.Suspicious.text(s.Output); text != "" {
			f.line("suspicious", "%s", text)
		}
	}
}

// WarningText returns a warning in one line.
func WarningText(w *trace.Warning) string {
	text := fmt.Sprintf("%s: %s", Grouped(w.Count), Printable(w.Kind))
	if w.Example != "" {
		text += " (" + Printable(w.Example) + ")"
	}
	return text
}

// Export is the list of tables that were written.
type Export []ExportedTable

// ExportedTable is a table that was written: its file or folder, and its size there.
type ExportedTable struct {
	Table string `json:"table"`
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// NewExport returns the list of tables that were written.
func NewExport(files []columnar.File) Export {
	list := Export{}
	for _, f := range files {
		list = append(list, ExportedTable{f.Table, f.Path, f.Rows, f.Bytes})
	}
	return list
}

func (e Export) writeText(w io.Writer) {
	t := newTable([]string{"rows", "size"}, "table", "rows", "size", "file")
	for _, f := range e {
		t.row(f.Table, Grouped(f.Rows), Size(f.Bytes), Printable(f.Path))
	}
	t.write(w)
}

// TraceEvents is a file of Chrome's trace events that was written.
type TraceEvents struct {
	Input  string `json:"input"`
	Output string `json:"output"`
	// Bytes is the size of the output.
	Bytes int64 `json:"output_bytes"`
}

func (s *TraceEvents) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s → %s\n  size      %s of trace events; open it with Perfetto or chrome://tracing\n", Printable(s.Input), Printable(s.Output), Size(s.Bytes))
}
