package scale

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// definer writes the definitions of a played trace: those of the base, and after them, for each further copy, all that
// copies own, with new ids and names.
type definer struct {
	*source
	log     []trace.Record
	names   map[uint64]uint64 // string id in the base to that in the copy
	strings uint64            // the next string id
	number  int               // of the copy
}

// define returns the log of definitions.
func (s *source) define() []trace.Record {
	d := definer{source: s}
	for id := range s.definitions.Strings {
		d.strings = max(d.strings, id+1)
	}
	table := s.meta.Table()
	for d.number = range s.options.Copies {
		d.names = map[uint64]uint64{}
		for i := range s.definitions.Log {
			r := &s.definitions.Log[i]
			spec := table.Spec(r.Kind)
			everybody := r.Kind == trace.KindGroup && groupOf(r).Type == groupCommLocations
			switch {
			case everybody && s.options.Copies > 1:
				d.everybody(r)
			case d.number == 0 || s.ids.isOwned(spec, r):
				d.add(spec, r)
			}
		}
	}
	return d.log
}

// add adds the copy of a definition.
func (d *definer) add(spec *trace.Spec, r *trace.Record) {
	c := trace.Record{Kind: r.Kind, Words: slices.Clone(r.Words), Text: r.Text}
	code := trace.ValueNone
	spec.Walk(r.Words, func(w int, f *trace.Field, word uint64) {
		switch f.Type {
		case trace.TypeSelf, trace.TypeRef:
			c.Words[w] = d.ids.copied(f.Ref, word, d.number)
		case trace.TypeCode:
			code = trace.ValueType(word)
		case trace.TypeValue:
			c.Words[w] = d.ids.copied(code.Space(), word, d.number)
		}
		if f.Name == "name" && f.Ref == trace.SpaceString {
			c.Words[w] = d.name(word)
		}
	})
	d.special(&c, r)
	d.log = append(d.log, c)
}

// special fills in what the table of kinds does not say of a definition.
func (d *definer) special(c, r *trace.Record) {
	switch r.Kind {
	case trace.KindLocation:
		c.Words[3] = d.events(d.locations[d.places[r.Words[0]].location])
	case trace.KindClockProperties:
		c.Words[2] = d.duration()
	case trace.KindGroup:
		d.members(groupOf(c))
	case trace.KindMetricInstance:
		if scope := r.Words[3]; scope < uint64(len(scopes)) {
			c.Words[4] = d.ids.copied(scopes[scope], r.Words[4], d.number)
		}
	case trace.KindComm:
		if g := d.definitions.GroupLists[r.Words[2]]; g.Type == groupCommLocations && d.options.Copies > 1 {
			c.Words[2] = d.everybodyID(g.ID)
		}
	}
}

// members turns the members of a group into those of the copy.
func (d *definer) members(g trace.Group) {
	for i, m := range g.Members {
		switch g.Type {
		case groupLocations:
			g.Members[i] = d.ids.copied(trace.SpaceLocation, m, d.number)
		case groupCommGroup:
			g.Members[i] = m + uint64(d.number)*d.processes(g.Paradigm)
		}
	}
}

// everybody adds, with the first copy, the group that all ranks refer to, which lists the locations of all copies; and with each
// copy, the group of those that are the copy's.
func (d *definer) everybody(r *trace.Record) {
	g := groupOf(r)
	n := uint64(len(g.Members))
	var all, own []uint64
	for number := range uint64(d.options.Copies) {
		for _, m := range g.Members {
			all = append(all, m+number*d.ids.steps[trace.SpaceLocation])
		}
	}
	for i := range n {
		own = append(own, uint64(d.number)*n+i)
	}
	if d.number == 0 {
		d.group(g.ID, g, all, groupCommLocations)
	}
	d.group(d.everybodyID(g.ID), g, own, groupCommGroup)
}

func (d *definer) group(id uint64, g trace.Group, members []uint64, kind uint64) {
	words := append([]uint64{id, d.name(g.Name), uint64(len(members))}, members...)
	d.log = append(d.log, trace.Record{Kind: trace.KindGroup, Words: append(words, kind, g.Paradigm, g.Flags)})
}

// everybodyID returns the id of a copy's own group in place of one that all ranks refer to.
func (d *definer) everybodyID(group uint64) uint64 {
	place := uint64(0) // of the group among those of its kind
	for _, g := range d.definitions.GroupLists {
		if g.Type == groupCommLocations && g.ID < group {
			place++
		}
	}
	return d.ids.comm + place + uint64(d.number)*d.ids.steps[trace.SpaceGroup]
}

// name returns the string for a name of the copy; the first copy keeps the base's names.
func (d *definer) name(base uint64) uint64 {
	text, defined := d.definitions.Strings[base]
	if d.number == 0 || !defined {
		return base
	}
	id, ok := d.names[base]
	if !ok {
		id = d.strings
		d.strings++
		d.names[base] = id
		r := trace.Record{Kind: trace.KindString}
		r.Words = []uint64{id, r.PutText(fmt.Sprintf("%s @%d", text, d.number))}
		d.log = append(d.log, r)
	}
	return id
}
