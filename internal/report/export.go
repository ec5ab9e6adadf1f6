package report

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/convert/columnar"
)

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
		list = append(list, ExportedTable(f))
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
