package edit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
	"github.com/pandotrace/pando/trace/topology"
)

// mergedPrefix begins the names of properties that a merged trace has of one of its traces: "merged.2.otf2.machine".
const mergedPrefix = "merged."

// say unites properties and annotations. What the format of a trace says of it is true of that trace alone, and its name says which one it is. A note is one of all
// traces unless two say different things; then each has the number of its trace: note.2.KEY. Annotations are called 2/NAME if two traces have the name.
func (m *merge) say() error {
	notes, names := map[string]map[string]bool{}, map[string]int{}
	for _, t := range m.members {
		for _, p := range t.src.Meta().Properties {
			if notes[p.Name] == nil {
				notes[p.Name] = map[string]bool{}
			}
			notes[p.Name][p.Value] = true
		}
		for i := range t.src.Meta().Annotations {
			names[t.src.Meta().Annotations[i].Name]++
		}
	}
	for i, t := range m.members {
		for _, p := range t.src.Meta().Properties {
			key, note := strings.CutPrefix(p.Name, trace.NotePrefix)
			switch {
			case p.Name == topology.InferredName: // see infer
				continue
			case !note:
				p.Name = fmt.Sprint(mergedPrefix, i+1, ".", p.Name)
			case len(notes[p.Name]) > 1:
				p.Name = fmt.Sprint(trace.NotePrefix, i+1, ".", key)
			}
			m.note(p)
		}
		for _, a := range t.src.Meta().Annotations {
			a = t.annotation(a)
			if names[a.Name] > 1 {
				a.Name = fmt.Sprint(i+1, annotation.Below, a.Name)
			}
			m.annotate(a)
		}
	}
	return nil
}

// note adds a property, unless it is there. One of a name that stands for something else already is left out, and that is said.
func (m *merge) note(p trace.Property) {
	if slices.Contains(m.meta.Properties, p) {
		return
	}
	if slices.ContainsFunc(m.meta.Properties, func(o trace.Property) bool { return o.Name == p.Name }) {
		m.warnings.Add("property left out", "%s, since another trace has another one of that name", p.Name)
		return
	}
	m.meta.Properties = append(m.meta.Properties, p)
}

// annotate adds an annotation, unless its name is too long, or stands for another one.
func (m *merge) annotate(a annotation.Annotation) {
	if len(a.Name) > annotation.MostBytes || annotation.Find(m.meta.Annotations, a.Name) != nil || len(m.meta.Annotations) == annotation.Most {
		m.warnings.Add("annotation left out", "%.100q, since its name is too long, or taken", a.Name)
		return
	}
	m.meta.Annotations = annotation.With(m.meta.Annotations, a)
}

// annotation returns an annotation of the trace as one of the merged trace. Times that do not fit 64 bits there are the last ones that do.
func (t *member) annotation(a annotation.Annotation) annotation.Annotation {
	a.From, a.To = t.near(a.From), t.near(a.To)
	if a.Communicator != annotation.NoCommunicator {
		if a.Communicator = t.id(trace.SpaceComm, a.Communicator, 32); a.Communicator == trace.Undefined>>32 {
			a.Communicator = annotation.NoCommunicator
		}
	}
	if a.Routine != nil {
		r := *a.Routine
		r.Locations = t.spans(r.Locations)
		a.Routine = &r
	}
	return a
}

// near returns a time of the merged trace, or the nearest one of it.
func (t *member) near(time int64) int64 {
	at := max(min(time, t.reach), -t.reach) * int64(t.scale)
	switch {
	case t.shift > 0 && at > store.MaxTime-min(t.shift, store.MaxTime):
		return store.MaxTime
	case t.shift < 0 && at < -store.MaxTime-max(t.shift, -store.MaxTime):
		return -store.MaxTime
	}
	return at + t.shift
}

// spans returns ids of locations, as spans, in the merged trace. Those of locations that the trace does not have are left out.
func (t *member) spans(list []annotation.Span) []annotation.Span {
	var ids []uint64
	for id, to := range t.maps[trace.SpaceLocation].all {
		if i := sort.Search(len(list), func(i int) bool { return list[i].Last >= id }); i < len(list) && list[i].First <= id {
			ids = append(ids, to)
		}
	}
	slices.Sort(ids)
	return annotation.Spans(ids)
}
