package write

import (
	"encoding/json"
	"strings"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/trace"
)

// numbers is what the properties of a trace say that processes and threads were called in the file of trace events that it came from.
type numbers struct {
	defs      *trace.Definitions
	processes map[uint64]*keptPlace
	threads   map[uint64]*keptPlace
}

// keptPlace is a process or a thread: its number, as the property has it, and its metadata.
type keptPlace struct {
	number string
	notes  []keptNote
}

// keptNote is an event of metadata; args are JSON.
type keptNote struct{ name, args string }

// newNumbers reads the properties.
func newNumbers(defs *trace.Definitions) *numbers {
	n := &numbers{defs: defs, processes: map[uint64]*keptPlace{}, threads: map[uint64]*keptPlace{}}
	for i := range defs.Log {
		r := &defs.Log[i]
		places := n.threads
		switch r.Kind {
		case trace.KindLocationGroupProperty:
			places = n.processes
		case trace.KindLocationProperty:
		default:
			continue
		}
		name, ok := strings.CutPrefix(defs.Strings[r.Words[1]], form.PropertyPrefix)
		if !ok || trace.ValueType(r.Words[2]) != trace.ValueString {
			continue
		}
		p := places[r.Words[0]]
		if p == nil {
			p = &keptPlace{}
			places[r.Words[0]] = p
		}
		if value := defs.Strings[r.Words[3]]; form.PropertyPrefix+name == form.PidProperty || form.PropertyPrefix+name == form.TidProperty {
			p.number = value
		} else if json.Valid([]byte(value)) {
			p.notes = append(p.notes, keptNote{name, value})
		}
	}
	return n
}

// number gives threads the numbers that they had. It returns false if these would mix up different ones, as after traces were merged.
func (n *numbers) number(list []thread) bool {
	type pair struct{ pid, tid string }
	seen, owner := map[pair]bool{}, map[string]int{}
	numbered := make([]pair, len(list))
	for i := range list {
		t := &list[i]
		p := pair{n.of(n.processes, t.process), n.of(n.threads, t.id)}
		if of, ok := owner[p.pid]; seen[p] || ok && of != t.index {
			return false
		}
		seen[p], owner[p.pid], numbered[i] = true, t.index, p
	}
	for i, p := range numbered {
		list[i].pid, list[i].tid = p.pid, p.tid
	}
	return true
}

func (n *numbers) of(places map[uint64]*keptPlace, id uint64) string {
	if p := places[id]; p != nil && p.number != "" {
		return form.IdentJSON(p.number)
	}
	return ""
}

// introduceKept writes the names of a thread, and of its process before the first of its threads, as the file had them: names that were made
// of numbers are left out.
func (l *lines) introduceKept(i int, t *thread) {
	process, own := l.kept.processes[t.process], l.kept.threads[t.id]
	if !l.told[t.index] {
		l.told[t.index] = true
		l.place(i, "process_name", l.defs.Name(trace.SpaceLocationGroup, t.process), process, form.ProcessName)
	}
	l.place(i, "thread_name", l.defs.Name(trace.SpaceLocation, t.id), own, form.ThreadName, form.StreamName)
}

// place writes the name of a place, if it is neither its label nor one of the words with its number, and its metadata.
func (l *lines) place(i int, what, name string, p *keptPlace, words ...string) {
	made := name == ""
	if p == nil {
		p = &keptPlace{}
	}
	text := p.number
	if strings.HasPrefix(text, `"`) {
		_ = json.Unmarshal([]byte(p.number), &text) // of text that is no JSON, what there is
	}
	for _, word := range words {
		made = made || name == word && text == "" || name == word+" "+text
	}
	for _, n := range p.notes {
		made = made || n.name == what || n.name == "process_labels" && what == "process_name" && labels(n.args) == name
	}
	if !made {
		l.metadata(i, what, `{"name":`+string(AppendString(nil, name))+`}`)
	}
	for _, n := range p.notes {
		l.metadata(i, n.name, n.args)
	}
}

// labels returns what an event of metadata says that a process is labelled with.
func labels(args string) string {
	var a struct{ Labels string }
	_ = json.Unmarshal([]byte(args), &a) // what is no such object has no labels
	return a.Labels
}

// members begins the object with the members that the file had besides its events; it returns false if it had none.
func (l *lines) members(properties []trace.Property) (some bool) {
	for _, p := range properties {
		name, ok := strings.CutPrefix(p.Name, form.PropertyPrefix)
		if !ok || name == "traceEvents" || name == trace.MaxErrorName || name == trace.CallsBelowName || strings.HasPrefix(name, trace.CallsLeftOutPrefix) || !json.Valid([]byte(p.Value)) {
			continue
		}
		l.add(map[bool]string{false: "{", true: ","}[some])
		l.string(name)
		l.add(":" + p.Value)
		some = true
	}
	if some {
		l.add(",")
	}
	return some
}
