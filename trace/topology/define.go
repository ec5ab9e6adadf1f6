package topology

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// InferredName is the name of the property of a trace that lists the ids of topologies that no program has defined, but that were found
// from messages, with a comma between them. It is a note, so that archives of other formats keep it.
const InferredName = trace.NotePrefix + "pando.inferred_topologies"

// Define returns the definitions of a topology as a trace with some definitions lacks them, and the id that it gets there. Its ids, that of
// the topology too, are the next free ones; members are defined by Rank and At.
func Define(defs *trace.Definitions, t *Topology) (list []trace.Record, id uint64) {
	next := freeIDs(defs)
	text := func(s string) uint64 {
		r := trace.Record{Kind: trace.KindString}
		r.Words = []uint64{next[trace.SpaceString], r.PutText(s)}
		list = append(list, r)
		next[trace.SpaceString]++
		return r.Words[0]
	}
	add := func(k trace.Kind, words ...uint64) { list = append(list, trace.Record{Kind: k, Words: words}) }
	var axes []uint64
	for i, d := range t.Dimensions {
		periodic := uint64(0)
		if d.Periodic {
			periodic = 1
		}
		add(trace.KindCartDimension, next[trace.SpaceCartDimension], text(t.DimensionName(i)), uint64(d.Size), periodic)
		axes = append(axes, next[trace.SpaceCartDimension])
		next[trace.SpaceCartDimension]++
	}
	id = next[trace.SpaceCartTopology]
	add(trace.KindCartTopology, append([]uint64{id, text(t.Name), t.Communicator, uint64(len(axes))}, axes...)...)
	for i := range t.Members {
		m := &t.Members[i]
		words := []uint64{id, m.Rank, uint64(len(m.At))}
		for _, x := range m.At {
			words = append(words, uint64(x))
		}
		add(trace.KindCartCoordinate, words...)
	}
	return list, id
}

// freeIDs returns the least id of each space above all that are defined.
func freeIDs(defs *trace.Definitions) map[trace.Space]uint64 {
	next := map[trace.Space]uint64{}
	for i := range defs.Log {
		spec := trace.Standard.Spec(defs.Log[i].Kind)
		if spec == nil || len(defs.Log[i].Words) == 0 || len(spec.Fields) == 0 || spec.Fields[0].Type != trace.TypeSelf {
			continue
		}
		space := spec.Fields[0].Ref
		next[space] = max(next[space], defs.Log[i].Words[0]+1)
	}
	return next
}

// InferredProperty returns the property of a trace of which some topologies are inferred.
func InferredProperty(ids map[uint64]bool) trace.Property {
	var list []string
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		list = append(list, strconv.FormatUint(id, 10))
	}
	return trace.Property{Name: InferredName, Value: strings.Join(list, ",")}
}

// Inferred returns which topologies the properties of a trace say are inferred.
func Inferred(properties []trace.Property) map[uint64]bool {
	found := map[uint64]bool{}
	for _, p := range properties {
		if p.Name != InferredName {
			continue
		}
		for s := range strings.SplitSeq(p.Value, ",") {
			if id, err := strconv.ParseUint(s, 10, 64); err == nil {
				found[id] = true
			}
		}
	}
	return found
}
