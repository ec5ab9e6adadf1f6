// Package said lays out what was said of a trace afterwards: its annotations.
package said

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// Annotation is a name for a part of a trace. Instants are since the trace's first event.
type Annotation struct {
	Name string `json:"name"`
	// Kind is note, messages or calls: what it is of.
	Kind string `json:"kind"`
	// Class says in words what it is: "4 x 4 grid".
	Class     string `json:"class"`
	FromNs    int64  `json:"from_ns"`
	FromTicks int64  `json:"from_ticks"`
	ToNs      int64  `json:"to_ns"`
	ToTicks   int64  `json:"to_ticks"`
	// Communicator is the id of the communicator that it is of, null for none.
	Communicator *uint64 `json:"communicator"`
	// Fingerprint is in hexadecimal digits, empty without one.
	Fingerprint string `json:"fingerprint"`
	Text        string `json:"text"`
	// Routine is what a pattern of calls consists of, null for others.
	Routine *Routine `json:"routine"`
}

// Routine is what is repeated, how often, and by whom.
type Routine struct {
	Steps []Step `json:"steps"`
	// Least and Most are how often it is repeated on the locations that have it.
	Least uint64 `json:"least"`
	Most  uint64 `json:"most"`
	// Share is the time of all repetitions, as a share of that of all locations in the window, from 0 to 1.
	Share float64 `json:"share"`
	// Locations is the number of locations that have it, and Spans are their ids: from the first to the last of each.
	Locations uint64      `json:"locations"`
	Spans     [][2]uint64 `json:"location_spans"`
}

// Step is calls of a region that follow each other: null where their number differs, or is not known.
type Step struct {
	RegionName string  `json:"region_name"`
	Count      *uint64 `json:"count"`
}

// List lists the annotations of a trace whose first event is at a time, in ticks relative to the epoch.
func List(m *trace.Meta, first int64) (list []Annotation) {
	for i := range m.Annotations {
		a := &m.Annotations[i]
		o := Annotation{Name: a.Name, Kind: a.Kind.String(), Class: a.Class, FromTicks: a.From - first, ToTicks: a.To - first, Fingerprint: hex.EncodeToString(a.Fingerprint), Text: a.Text}
		o.FromNs, o.ToNs = trace.Nanoseconds(o.FromTicks, m.Resolution), trace.Nanoseconds(o.ToTicks, m.Resolution)
		if a.Communicator != annotation.NoCommunicator {
			o.Communicator = &a.Communicator
		}
		if a.Routine != nil {
			o.Routine = routineOf(a.Routine)
		}
		o.valid()
		list = append(list, o)
	}
	return list
}

func routineOf(r *annotation.Routine) *Routine {
	o := &Routine{Least: r.Least, Most: r.Most, Share: float64(r.Share) / annotation.Whole, Locations: r.Count(), Spans: [][2]uint64{}}
	for _, s := range r.Steps {
		step := Step{RegionName: strings.ToValidUTF8(s.Region, "\ufffd")}
		if s.Count > 0 {
			step.Count = &s.Count
		}
		o.Steps = append(o.Steps, step)
	}
	for _, s := range r.Locations {
		o.Spans = append(o.Spans, [2]uint64{s.First, s.Last})
	}
	return o
}

// valid makes texts of bytes.
func (a *Annotation) valid() {
	for _, s := range []*string{&a.Name, &a.Class, &a.Text} {
		*s = strings.ToValidUTF8(*s, "\ufffd")
	}
}

// Heads are those of the columns of Rows.
var Heads = []string{"annotation", "of", "class", "from", "to", "text"}

// Rows are the lines of a table for people. duration writes a number of ticks, cell a text.
func Rows(list []Annotation, duration func(ticks int64) string, cell func(string) string) (rows [][]string) {
	for i := range list {
		a := &list[i]
		rows = append(rows, []string{cell(a.Name), a.Kind, cell(a.Class), duration(a.FromTicks), duration(a.ToTicks), cell(a.Text)})
	}
	return rows
}

// Routines says what patterns of calls consist of, a line for each behind an empty one: "solver/2/calls: 80 times on 16 locations, 18.7 % of the time: exchange, stencil, 2 boundary".
// printable makes a text of a name.
func Routines(list []Annotation, printable func(string) string) (text string) {
	for i := range list {
		r := list[i].Routine
		if r == nil {
			continue
		}
		var steps []string
		for _, s := range r.Steps {
			if s.Count != nil && *s.Count > 1 {
				s.RegionName = fmt.Sprint(*s.Count, " ", s.RegionName)
			}
			steps = append(steps, s.RegionName)
		}
		times := strconv.FormatUint(r.Most, 10)
		if r.Least < r.Most {
			times = fmt.Sprint(r.Least, " to ", r.Most)
		}
		on := "locations"
		if r.Locations == 1 {
			on = "location"
		}
		text += printable(fmt.Sprintf("%s: %s times on %d %s, %.1f %% of the time: %s", list[i].Name, times, r.Locations, on, 100*r.Share, strings.Join(steps, ", "))) + "\n"
	}
	if text != "" {
		text = "\n" + text
	}
	return text
}
