package read

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// metaOf describes the trace. The properties hold all that is in the anchor, so that it could be written again.
func metaOf(a *form.Anchor, defs []trace.Record, warn *trace.Warnings) *trace.Meta {
	m := &trace.Meta{Format: form.FormatName, Properties: Properties(a)}
	m.Resolution, m.Epoch = ClockOf(defs)
	if m.Resolution == 0 {
		warn.Add("no timer resolution", "1 tick per second is assumed")
		m.Resolution = 1
	}
	return m
}

// ClockOf returns resolution and epoch from the last ClockProperties record. The epoch is the global offset if it
// can be one: half of all u64 values are no instants of a clock but a sign of an unset or negative offset.
func ClockOf(defs []trace.Record) (resolution, epoch uint64) {
	for i := range defs {
		if defs[i].Kind == trace.KindClockProperties {
			resolution, epoch = defs[i].Words[0], defs[i].Words[1]
		}
	}
	if epoch >= 1<<63 {
		epoch = 0
	}
	return resolution, epoch
}

func Properties(a *form.Anchor) []trace.Property {
	number := func(v uint64) string { return strconv.FormatUint(v, 10) }
	byteOrder := "little"
	if a.Big {
		byteOrder = "big"
	}
	list := []trace.Property{
		{Name: "otf2.byteOrder", Value: byteOrder},
		{Name: "otf2.anchorFormat", Value: number(a.Format)},
		{Name: "otf2.traceFormat", Value: number(a.TraceFormat)},
		{Name: "otf2.version", Value: fmt.Sprintf("%d.%d.%d", a.Version[0], a.Version[1], a.Version[2])},
		{Name: "otf2.eventChunkSize", Value: number(a.EventChunk)},
		{Name: "otf2.definitionChunkSize", Value: number(a.DefChunk)},
		{Name: "otf2.fileSubstrate", Value: number(a.Substrate)},
		{Name: "otf2.compression", Value: number(a.Compression)},
		{Name: "otf2.numberOfLocations", Value: number(a.Locations)},
		{Name: "otf2.numberOfGlobalDefinitions", Value: number(a.Definitions)},
		{Name: "otf2.machine", Value: a.Machine},
		{Name: "otf2.creator", Value: a.Creator},
		{Name: "otf2.description", Value: a.Describe},
	}
	for _, p := range a.Properties {
		name := "otf2.property." + p.Name
		if note, ok := strings.CutPrefix(p.Name, form.NotePrefix); ok {
			name = trace.NotePrefix + note
		}
		list = append(list, trace.Property{Name: name, Value: p.Value})
	}
	return append(list,
		trace.Property{Name: "otf2.traceId", Value: number(a.TraceID)},
		trace.Property{Name: "otf2.numberOfSnapshots", Value: number(a.Snapshots)},
		trace.Property{Name: "otf2.numberOfThumbnails", Value: number(a.Thumbnails)})
}
