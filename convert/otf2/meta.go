package otf2

import (
	"fmt"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// formatName is the Format of traces that come from archives.
const formatName = "OTF2"

// metaOf describes the trace. The properties hold all that is in the anchor, so that it could be written again.
func metaOf(a *anchor, defs []trace.Record, warn *trace.Warnings) *trace.Meta {
	m := &trace.Meta{Format: formatName, Properties: properties(a)}
	m.Resolution, m.Epoch = clockOf(defs)
	if m.Resolution == 0 {
		warn.Add("no timer resolution", "1 tick per second is assumed")
		m.Resolution = 1
	}
	return m
}

// clockOf returns resolution and epoch from the last ClockProperties record. The epoch is the global offset if it
// can be one: half of all u64 values are no instants of a clock but a sign of an unset or negative offset.
func clockOf(defs []trace.Record) (resolution, epoch uint64) {
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

func properties(a *anchor) []trace.Property {
	number := func(v uint64) string { return strconv.FormatUint(v, 10) }
	byteOrder := "little"
	if a.big {
		byteOrder = "big"
	}
	list := []trace.Property{
		{Name: "otf2.byteOrder", Value: byteOrder},
		{Name: "otf2.anchorFormat", Value: number(a.format)},
		{Name: "otf2.traceFormat", Value: number(a.traceFormat)},
		{Name: "otf2.version", Value: fmt.Sprintf("%d.%d.%d", a.version[0], a.version[1], a.version[2])},
		{Name: "otf2.eventChunkSize", Value: number(a.eventChunk)},
		{Name: "otf2.definitionChunkSize", Value: number(a.defChunk)},
		{Name: "otf2.fileSubstrate", Value: number(a.substrate)},
		{Name: "otf2.compression", Value: number(a.compression)},
		{Name: "otf2.numberOfLocations", Value: number(a.locations)},
		{Name: "otf2.numberOfGlobalDefinitions", Value: number(a.definitions)},
		{Name: "otf2.machine", Value: a.machine},
		{Name: "otf2.creator", Value: a.creator},
		{Name: "otf2.description", Value: a.describe},
	}
	for _, p := range a.properties {
		list = append(list, trace.Property{Name: "otf2.property." + p.Name, Value: p.Value})
	}
	return append(list,
		trace.Property{Name: "otf2.traceId", Value: number(a.traceID)},
		trace.Property{Name: "otf2.numberOfSnapshots", Value: number(a.snapshots)},
		trace.Property{Name: "otf2.numberOfThumbnails", Value: number(a.thumbnails)})
}
