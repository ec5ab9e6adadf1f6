package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pandotrace/pando/trace"
)

// Conversion is one conversion in the history of a trace.
type Conversion struct {
	Program string        `json:"program"`
	Options string        `json:"options"`
	Note    string        `json:"note"`
	Files   []SourceFiles `json:"files"`
}

// SourceFiles are files that a conversion read and that are called alike; Oldest and Newest are times of modification in UTC (RFC 3339).
type SourceFiles struct {
	Name   string `json:"name"`
	Count  uint64 `json:"count"`
	Bytes  uint64 `json:"bytes"`
	Oldest string `json:"oldest"`
	Newest string `json:"newest"`
}

func historyOf(m *trace.Meta) []Conversion {
	list := []Conversion{}
	for _, c := range m.History {
		s := Conversion{Program: c.Program, Options: c.Options, Note: c.Note, Files: []SourceFiles{}}
		for _, f := range c.Files {
			s.Files = append(s.Files, SourceFiles{f.Name, f.Count, f.Bytes, secondText(f.Oldest), secondText(f.Newest)})
		}
		list = append(list, s)
	}
	return list
}

func secondText(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }

// printHistory lists the conversions that the trace went through, and the files that were read.
func printHistory(w io.Writer, history []Conversion) {
	if len(history) == 0 {
		return
	}
	t := newTable([]string{"files", "size"}, "converted by", "options", "of", "files", "size", "modified")
	for _, s := range history {
		who, options := strings.TrimSpace(s.Program+" "+s.Note), s.Options
		for _, f := range s.Files {
			modified := f.Oldest
			if f.Newest != f.Oldest {
				modified += " to " + f.Newest
			}
			t.row(cell(who), cell(options), cell(f.Name), Grouped(f.Count), Size(f.Bytes), modified)
			who, options = "", ""
		}
	}
	fmt.Fprintln(w)
	t.write(w)
}
