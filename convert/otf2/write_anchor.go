package otf2

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// What archives of traces from elsewhere say of themselves: versions of the format and of the library, sizes of chunks in
// bytes.
const (
	anchorFormat      = 3
	traceFormat       = 2
	defaultEventChunk = 1 << 20
	defaultDefChunk   = 4 << 20
)

var libraryVersion = [3]uint64{3, 0, 2}

// anchorOf makes an anchor of what the properties say, see [properties].
func anchorOf(meta *trace.Meta) *anchor {
	a := &anchor{format: anchorFormat, traceFormat: traceFormat, version: libraryVersion, eventChunk: defaultEventChunk,
		defChunk: defaultDefChunk, substrate: substratePosix, compression: compressionNone, creator: "pando"}
	if meta.Format != "" && meta.Format != formatName {
		a.describe = "converted from " + meta.Format
	}
	for _, p := range meta.Properties {
		if name, ok := strings.CutPrefix(p.Name, "otf2."); ok {
			a.set(name, p.Value)
		}
	}
	return a
}

// set takes in a property. What is counted anew is left out, and what cannot be right.
func (a *anchor) set(name, value string) {
	if free, ok := strings.CutPrefix(name, "property."); ok {
		a.properties = append(a.properties, trace.Property{Name: free, Value: value})
		return
	}
	number, _ := strconv.ParseUint(value, 10, 64)
	switch name {
	case "byteOrder":
		a.big = value == "big"
	case "version":
		fmt.Sscanf(value, "%d.%d.%d", &a.version[0], &a.version[1], &a.version[2])
	case "eventChunkSize":
		a.eventChunk = chunkOr(number, defaultEventChunk)
	case "definitionChunkSize":
		a.defChunk = chunkOr(number, defaultDefChunk)
	case "machine":
		a.machine = value
	case "creator":
		a.creator = value
	case "description":
		a.describe = value
	case "traceId":
		a.traceID = number
	case "numberOfSnapshots":
		a.snapshots = number
	}
}

func chunkOr(size, otherwise uint64) uint64 {
	if size < minChunk || size > maxChunk {
		return otherwise
	}
	return size
}

// bytes returns the content of the anchor file.
func (a *anchor) bytes() []byte {
	e := encoder{big: a.big, data: []byte{idChunk, markLittle}}
	if a.big {
		e.data[1] = markBig
	}
	e.text([]byte("OTF2"))
	for _, v := range []uint64{a.format, a.traceFormat, a.version[0], a.version[1], a.version[2]} {
		e.byte(v)
	}
	e.fixed(a.eventChunk, 8)
	e.fixed(a.defChunk, 8)
	e.byte(a.substrate)
	e.byte(a.compression)
	e.fixed(a.locations, 8)
	e.fixed(a.definitions, 8)
	for _, s := range []string{a.machine, a.creator, a.describe} {
		e.text([]byte(s))
	}
	e.fixed(uint64(len(a.properties)), 4)
	for _, p := range a.properties {
		e.text([]byte(p.Name))
		e.text([]byte(p.Value))
	}
	e.fixed(a.traceID, 8)
	e.fixed(a.snapshots, 4)
	e.fixed(a.thumbnails, 4)
	e.data = append(e.data, idEndOfFile, idEndOfBuffer, 0)
	return e.data
}
