package model

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// named is an id of a space.
type named struct {
	space trace.Space
	id    uint64
}

// references finds ids that are not defined, the first event of each, and those that are defined twice.
func (f *findings) references() {
	table, known := f.Meta.Table(), map[named]bool{}
	for i := range f.Definitions.Log {
		d := &f.Definitions.Log[i]
		walkDefinition(table, d, func(field *trace.Field, space trace.Space, word uint64) {
			if field.Type != trace.TypeSelf {
				return
			}
			if n := (named{space, word}); known[n] {
				f.define("defined-twice", "space %d, id %d", space, word)
			} else {
				known[n] = true
			}
		})
	}
	for i := range f.Definitions.Log {
		d := &f.Definitions.Log[i]
		walkDefinition(table, d, func(field *trace.Field, space trace.Space, word uint64) {
			refers := field.Type != trace.TypeSelf && space != trace.SpaceNone && space != trace.SpaceParadigm && !field.Undefined(word)
			if refers && !known[named{space, word}] {
				f.define("undefined", "space %d, id %d", space, word)
			}
		})
	}
	missed := map[named]*Event{}
	events := f.Events()
	for i := range events {
		e := &events[i]
		for word, field := range table.Spec(e.Kind).Fields {
			if field.Repeat {
				break
			}
			if field.Type != trace.TypeRef || field.Ref == trace.SpaceParadigm || field.Undefined(e.Words[word]) {
				continue
			}
			n := named{field.Ref, e.Words[word]}
			if first := missed[n]; !known[n] && (first == nil || e.Time == first.Time && e.Location < first.Location) {
				missed[n] = e
			}
		}
	}
	for _, e := range missed {
		f.add("undefined", e.ID(), false)
	}
}

func walkDefinition(table *trace.Table, d *trace.Record, visit func(field *trace.Field, space trace.Space, word uint64)) {
	if spec := table.Spec(d.Kind); spec != nil {
		spec.WalkIDs(d.Words, func(_ int, field *trace.Field, space trace.Space, word uint64) { visit(field, space, word) })
	}
}

// topologies looks at the coordinates of ranks.
func (f *findings) topologies() {
	sizes := map[uint64]uint64{}
	topologies := map[uint64]*trace.Record{}
	for i := range f.Definitions.Log {
		switch d := &f.Definitions.Log[i]; d.Kind {
		case trace.KindCartDimension:
			sizes[d.Words[0]] = d.Words[2]
		case trace.KindCartTopology:
			topologies[d.Words[0]] = d
		}
	}
	for id, topology := range topologies {
		dimensions := topology.Words[4:]
		ranksAt, placed := map[string]bool{}, map[uint64]bool{}
		for i := range f.Definitions.Log {
			d := &f.Definitions.Log[i]
			if d.Kind != trace.KindCartCoordinate || d.Words[0] != id {
				continue
			}
			rank, at := d.Words[1], d.Words[3:]
			where := fmt.Sprintf("topology %d, rank %d", id, rank)
			outside := len(at) != len(dimensions)
			for n := range min(len(at), len(dimensions)) {
				outside = outside || at[n] >= sizes[dimensions[n]]
			}
			if outside {
				f.define("outside-grid", "%s", where)
				continue
			}
			if ranksAt[fmt.Sprint(at)] {
				f.define("coordinates-twice", "%s", where)
			}
			ranksAt[fmt.Sprint(at)], placed[rank] = true, true
		}
		comm, ok := f.Definitions.Comms[topology.Words[2]]
		if !ok || len(placed) == 0 {
			continue
		}
		for rank := range f.Definitions.GroupLists[comm.Group].Members {
			if !placed[uint64(rank)] {
				f.define("no-coordinates", "topology %d, rank %d", id, rank)
			}
		}
	}
}
