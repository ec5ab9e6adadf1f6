package main

import (
	"fmt"
	"io"
	"time"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/trace"
)

// conversion is the summary of a conversion.
type conversion struct {
	Input           string          `json:"input"`
	Output          string          `json:"output"`
	Format          string          `json:"format"`
	Written         string          `json:"written_as"`
	Events          uint64          `json:"events"`
	Locations       int             `json:"locations"`
	InputBytes      int64           `json:"input_bytes"`
	OutputBytes     int64           `json:"output_bytes"`
	Ratio           float64         `json:"ratio"`
	BitsPerEvent    float64         `json:"bits_per_event"`
	Seconds         float64         `json:"seconds"`
	EventsPerSecond float64         `json:"events_per_second"`
	Warnings        []trace.Warning `json:"-"`
	WarningList     []warning       `json:"warnings"`
}

type warning struct {
	Kind    string `json:"kind"`
	Count   uint64 `json:"count"`
	Example string `json:"example"`
}

// newConversion sums up what was written.
func newConversion(found *convert.Trace, w convert.Written, took time.Duration) *conversion {
	s := &conversion{Format: found.Format, InputBytes: found.Bytes, Events: w.Events, Locations: w.Locations, OutputBytes: w.Bytes,
		Seconds: took.Seconds(), Warnings: w.Warnings, WarningList: []warning{}}
	s.Ratio = float64(s.InputBytes) / float64(s.OutputBytes)
	s.EventsPerSecond = float64(s.Events) / s.Seconds
	if s.Events > 0 {
		s.BitsPerEvent = 8 * float64(s.OutputBytes) / float64(s.Events)
	}
	for _, w := range s.Warnings {
		s.WarningList = append(s.WarningList, warning(w))
	}
	return s
}

func (s *conversion) print(w io.Writer, json bool) error {
	if json {
		return printJSON(w, s)
	}
	fmt.Fprintf(w, "%s → %s\n", printable(s.Input), printable(s.Output))
	f := facts{w, 9}
	f.line("format", "%s → %s", s.Format, s.Written)
	f.line("events", "%s on %s", grouped(s.Events), plural(s.Locations, "location", "locations"))
	f.line("size", "%s → %s, %s : 1, %.2f bits per event", size(s.InputBytes), size(s.OutputBytes), fourDigits(s.Ratio), s.BitsPerEvent)
	f.line("time", "%s, %s", humanSeconds(s.Seconds), rate(s.EventsPerSecond, "events"))
	if len(s.Warnings) == 0 {
		f.line("warnings", "none")
	}
	name := "warnings"
	for i := range s.Warnings {
		f.line(name, "%s", warningText(&s.Warnings[i]))
		name = ""
	}
	return nil
}

func warningText(w *trace.Warning) string {
	text := fmt.Sprintf("%s: %s", grouped(w.Count), printable(w.Kind))
	if w.Example != "" {
		text += " (" + printable(w.Example) + ")"
	}
	return text
}
