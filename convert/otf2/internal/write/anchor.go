package write

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Properties of archives of traces of other formats: versions of the format and of the library, sizes of chunks in bytes.
const (
	anchorFormat      = 3
	traceFormat       = 2
	defaultEventChunk = 1 << 20
	defaultDefChunk   = 4 << 20
)

// lossProperty returns the name of a property of what was lost as OTF2 names properties: PANDO::MAX_ERROR_NS.
func lossProperty(name string) string { return strings.ToUpper(strings.ReplaceAll(name, ".", "::")) }

var libraryVersion = [3]uint64{3, 0, 2}

// anchorOf makes an anchor of what the properties say, see [properties].
func anchorOf(meta *trace.Meta) *form.Anchor {
	a := &form.Anchor{Format: anchorFormat, TraceFormat: traceFormat, Version: libraryVersion, EventChunk: defaultEventChunk,
		DefChunk: defaultDefChunk, Substrate: form.SubstratePosix, Compression: form.CompressionNone, Creator: "pando"}
	if meta.Format != "" && meta.Format != form.FormatName {
		a.Describe = "converted from " + meta.Format
	}
	for _, p := range meta.Properties {
		if name, ok := strings.CutPrefix(p.Name, "otf2."); ok {
			setProperty(a, name, p.Value)
		}
		if note, ok := strings.CutPrefix(p.Name, trace.NotePrefix); ok {
			a.Properties = append(a.Properties, trace.Property{Name: form.NotePrefix + note, Value: p.Value})
		}
	}
	for _, p := range meta.LossProperties() {
		p.Name = lossProperty(p.Name)
		a.Properties = append(slices.DeleteFunc(a.Properties, func(o trace.Property) bool { return o.Name == p.Name }), p)
	}
	return a
}

// setProperty sets a field of the anchor from a property of the trace. Counts are left out, since they are counted anew, and so are
// impossible chunk sizes.
func setProperty(a *form.Anchor, name, value string) {
	if free, ok := strings.CutPrefix(name, "property."); ok {
		a.Properties = append(a.Properties, trace.Property{Name: free, Value: value})
		return
	}
	number, _ := strconv.ParseUint(value, 10, 64)
	switch name {
	case "byteOrder":
		a.Big = value == "big"
	case "version":
		fmt.Sscanf(value, "%d.%d.%d", &a.Version[0], &a.Version[1], &a.Version[2])
	case "eventChunkSize":
		a.EventChunk = chunkOr(number, defaultEventChunk)
	case "definitionChunkSize":
		a.DefChunk = chunkOr(number, defaultDefChunk)
	case "machine":
		a.Machine = value
	case "creator":
		a.Creator = value
	case "description":
		a.Describe = value
	case "traceId":
		a.TraceID = number
	case "numberOfSnapshots":
		a.Snapshots = number
	}
}

func chunkOr(size, otherwise uint64) uint64 {
	if size < form.MinChunk || size > form.MaxChunk {
		return otherwise
	}
	return size
}

// anchorBytes returns the content of the anchor file.
func anchorBytes(a *form.Anchor) []byte {
	e := Encoder{big: a.Big, data: []byte{form.IdChunk, form.MarkLittle}}
	if a.Big {
		e.data[1] = form.MarkBig
	}
	e.text([]byte("OTF2"))
	for _, v := range []uint64{a.Format, a.TraceFormat, a.Version[0], a.Version[1], a.Version[2]} {
		e.byte(v)
	}
	e.fixed(a.EventChunk, 8)
	e.fixed(a.DefChunk, 8)
	e.byte(a.Substrate)
	e.byte(a.Compression)
	e.fixed(a.Locations, 8)
	e.fixed(a.Definitions, 8)
	for _, s := range []string{a.Machine, a.Creator, a.Describe} {
		e.text([]byte(s))
	}
	e.fixed(uint64(len(a.Properties)), 4)
	for _, p := range a.Properties {
		e.text([]byte(p.Name))
		e.text([]byte(p.Value))
	}
	e.fixed(a.TraceID, 8)
	e.fixed(a.Snapshots, 4)
	e.fixed(a.Thumbnails, 4)
	e.data = append(e.data, form.IdEndOfFile, form.IdEndOfBuffer, 0)
	return e.data
}
