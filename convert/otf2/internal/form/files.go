package form

import (
	"fmt"
	"path/filepath"

	"github.com/pandotrace/pando/trace"
)

// Bounds of the default window, and of the memory of the windows of all event streams together, in bytes.
const (
	leastWindow = 2 << 10
	MostWindow  = 64 << 10
	allWindows  = 20 << 20
)

// WindowFor returns the default window for a number of streams.
func WindowFor(streams int) int {
	return min(max(allWindows/(streams+1), leastWindow), MostWindow)
}

// thumbnailChunk is the chunk size of thumbnail files, in bytes.
const thumbnailChunk = 1 << 20

// PathOf returns the file of a stream of the archive of a stem.
func PathOf(stem string, id trace.StreamID) string {
	switch id.Class {
	case trace.StreamMarkers:
		return stem + ".marker"
	case trace.StreamThumbnails:
		return fmt.Sprintf("%s.%d.thumb", stem, id.Location)
	}
	return filepath.Join(stem, fmt.Sprintf("%d%s", id.Location, Extensions[id.Class]))
}

// Extensions of the files that belong to a location.
var Extensions = map[trace.StreamClass]string{
	trace.StreamEvents: ".evt", trace.StreamLocalDefinitions: ".def", trace.StreamSnapshots: ".snap",
}

// FormOf returns the grammar and the chunk size of the files of a class of streams.
func (a *Anchor) FormOf(class trace.StreamClass) (g *Grammar, chunk uint64) {
	switch class {
	case trace.StreamEvents:
		return EventGrammar, a.EventChunk
	case trace.StreamSnapshots:
		return SnapshotGrammar, a.EventChunk
	case trace.StreamLocalDefinitions:
		return LocalGrammar, a.DefChunk
	case trace.StreamMarkers:
		return MarkerGrammar, a.DefChunk
	default:
		return ThumbnailGrammar, thumbnailChunk
	}
}

// FormatName is the Format of traces that come from archives.
const FormatName = "OTF2"

// ChunkHeader is the size of a chunk's header: 03, byte order, first and last event number.
const ChunkHeader = 18
