package chrome

import (
	"strings"

	"github.com/pandotrace/pando/trace"
)

// metadata takes in what an event says of a process or a thread.
func (r *reader) metadata(e *event) error {
	name := string(r.valid(text(e.name, &r.room)))
	pid := r.identOf(e.pid)
	if strings.HasPrefix(name, "thread_") {
		at := r.locations.get(place{pid, r.identOf(e.tid)})
		l := &r.locations.list[at]
		switch name {
		case "thread_name":
			l.name = r.stringArgument(e, l.name)
		case "thread_sort_index":
			l.sort = r.integerArgument(e)
		default:
			r.locations.notes[at] = r.addNote(r.locations.notes[at], e)
		}
		return r.limits()
	}
	p := &r.locations.processes[r.locations.processOf(pid)]
	switch name {
	case "process_name":
		p.name = r.stringArgument(e, p.name)
	case "process_sort_index":
		p.sort = r.integerArgument(e)
	default:
		p.notes = r.addNote(p.notes, e)
	}
	return r.limits()
}

// limits returns an error if the file has too many threads or names.
func (r *reader) limits() error {
	if len(r.locations.list) > maxLocations || len(r.locations.processes) > maxLocations || r.names.full() {
		return r.failure(trace.ErrUnsupported, "more than %d threads or %d names", maxLocations, maxNames)
	}
	return nil
}

// argument gives an argument of the event, nil if it has none of that name.
func (r *reader) argument(e *event, name string) (value []byte) {
	s := scan{b: e.args}
	_ = s.members(func(k, v []byte) error {
		if string(k) == name {
			value = v
		}
		return nil
	})
	return value
}

func (r *reader) stringArgument(e *event, before uint32) uint32 {
	v := r.argument(e, `"name"`)
	if v == nil {
		r.warnings.Add("metadata without a name", "line %d", r.line())
		return before
	}
	return r.names.strings.id(r.valid(text(v, &r.room)))
}

func (r *reader) integerArgument(e *event) int64 {
	d, _ := number(r.argument(e, `"sort_index"`))
	v, ok := d.integer()
	if !ok || v > 1<<62 {
		r.warnings.Add("metadata without a number", "line %d", r.line())
		return 0
	}
	if d.negative {
		return -int64(v)
	}
	return int64(v)
}

// addNote keeps other metadata as they are. What is said again replaces what was said before.
func (r *reader) addNote(list []note, e *event) []note {
	name := r.name(e)
	if len(e.args) > maxPropertyBytes {
		r.warnings.Add("metadata that are not kept", "line %d: %d bytes", r.line(), len(e.args))
		return list
	}
	n := note{name, r.names.strings.id(r.valid(e.args))}
	for i := range list {
		if list[i].name == name {
			list[i] = n
			return list
		}
	}
	if len(list) == maxNotes {
		r.warnings.Add("metadata that are not kept", "line %d: more than %d of them", r.line(), maxNotes)
		return list
	}
	return append(list, n)
}
