package read

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// metadata takes in what an event says of a process or a thread.
func (r *reader) metadata(e *event) error {
	name := string(r.valid(scan.Text(e.name(), &r.room)))
	pid := r.identOf(e.pid())
	if strings.HasPrefix(name, "thread_") {
		at := r.Locations.get(place{pid, r.identOf(e.tid())})
		l := &r.Locations.List[at]
		switch name {
		case "thread_name":
			l.name = r.stringArgument(e, l.name)
		case "thread_sort_index":
			l.sort = r.integerArgument(e)
			r.Locations.notes[at] = r.addNote(r.Locations.notes[at], e)
		default:
			r.Locations.notes[at] = r.addNote(r.Locations.notes[at], e)
		}
		return r.limits()
	}
	p := &r.Locations.processes[r.Locations.processOf(pid)]
	switch name {
	case "process_name":
		p.name = r.stringArgument(e, p.name)
	case "process_sort_index":
		p.sort = r.integerArgument(e)
		p.notes = r.addNote(p.notes, e)
	case "process_labels":
		r.label(e, p)
		p.notes = r.addNote(p.notes, e)
	default:
		p.notes = r.addNote(p.notes, e)
	}
	return r.limits()
}

// limits returns an error if the file has too many threads or names.
func (r *reader) limits() error {
	if len(r.Locations.List) > maxLocations || len(r.Locations.processes) > maxLocations || r.names.full() {
		return &trace.SourceError{Format: "chrome", File: r.Path, Line: r.event.line, Offset: r.event.at, Problem: fmt.Sprintf("more than %d threads or %d names", maxLocations, maxNames), Class: trace.ErrUnsupported}
	}
	return nil
}

// argument gives an argument of the event, nil if it has none of that name.
func (r *reader) argument(e *event, name string) (value []byte) {
	members, _ := r.membersOf(e.args())
	for _, m := range members {
		if string(m.Key.Of(e.args())) == name {
			value = m.Value.Of(e.args())
		}
	}
	return value
}

func (r *reader) stringArgument(e *event, before uint32) uint32 {
	v := r.argument(e, `"name"`)
	if v == nil {
		r.warnings.Add("metadata without a name", "line %d", r.event.line)
		return before
	}
	return r.names.strings.id(r.valid(scan.Text(v, &r.room)))
}

func (r *reader) integerArgument(e *event) int64 {
	d, _ := number(r.argument(e, `"sort_index"`))
	v, ok := integer(d)
	if !ok || v > 1<<62 {
		r.warnings.Add("metadata without a number", "line %d", r.event.line)
		return 0
	}
	if d.Negative {
		return -int64(v)
	}
	return int64(v)
}

// addNote keeps other metadata as they are. What is said again replaces what was said before.
func (r *reader) addNote(list []note, e *event) []note {
	name := r.name(e)
	if len(e.args()) > maxPropertyBytes {
		r.warnings.Add("metadata that are not kept", "line %d: %d bytes", r.event.line, len(e.args()))
		return list
	}
	n := note{name, r.names.strings.id(r.valid(e.args()))}
	for i := range list {
		if list[i].name == name {
			list[i] = n
			return list
		}
	}
	if len(list) == maxNotes {
		r.warnings.Add("metadata that are not kept", "line %d: more than %d of them", r.event.line, maxNotes)
		return list
	}
	return append(list, n)
}
