// Package said lays out what was said of a trace afterwards: its annotations.
package said

import (
	"encoding/hex"
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
		o.valid()
		list = append(list, o)
	}
	return list
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
