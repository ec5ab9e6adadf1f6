package otf2

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets archives be opened in which the event files of locations that should have events are missing.
	// They count as empty, with a warning.
	Lenient bool
	// WindowBytes is the size of the pieces that files are read in. A longer record makes its stream's window grow,
	// at most to the size of a chunk. The default is between 2 KiB and 64 KiB, less if there are many locations.
	WindowBytes int
}

// Bounds of the default window, and of the memory of the windows of all event streams together, in bytes.
const (
	leastWindow = 2 << 10
	mostWindow  = 64 << 10
	allWindows  = 20 << 20
)

// windowFor returns the default window for a number of streams.
func windowFor(streams int) int {
	return min(max(allWindows/(streams+1), leastWindow), mostWindow)
}

// Archive is an OTF2 archive. It implements trace.Source.
type Archive struct {
	stem     string // path of the anchor without its extension
	anchor   *anchor
	origin   origin
	meta     *trace.Meta
	defs     []trace.Record
	marks    marks // of cuts
	streams  []trace.StreamInfo
	files    map[trace.StreamID]bool  // has all streams; true for those that have a file
	missing  map[trace.StreamID]error // of event streams that need a file and have none
	window   int                      // bytes
	opened   *openFiles
	warnings trace.Warnings
}

// Open opens the archive of an anchor file. It reads all global definitions.
func Open(anchorPath string, opt Options) (*Archive, error) {
	an, err := readAnchor(anchorPath)
	if err != nil {
		return nil, err
	}
	a := &Archive{stem: strings.TrimSuffix(anchorPath, filepath.Ext(anchorPath)), anchor: an,
		origin: an.takeOrigin(), files: map[trace.StreamID]bool{}, missing: map[trace.StreamID]error{}, opened: &opened}
	if err := a.readDefinitions(); err != nil {
		return nil, err
	}
	a.origin.restore(a.defs)
	a.meta = metaOf(an, a.defs, &a.warnings)
	locations := a.locations()
	if a.window = opt.WindowBytes; a.window <= 0 {
		a.window = windowFor(len(locations))
	}
	a.compareCounts(len(locations))
	if err := a.listStreams(locations, opt.Lenient); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Archive) readDefinitions() error {
	w, err := openWindow(a.stem+".def", int64(a.anchor.defChunk), mostWindow, a.opened)
	if err != nil {
		return err
	}
	s := newStream(w, definitionGrammar, 0, 0, nil, nil, &a.warnings)
	defer s.Close()
	a.defs, err = readRecords(s)
	a.defs, a.marks = takeMarks(a.defs)
	a.anchor.definitions -= min(a.anchor.definitions, uint64(len(a.marks.definitions)))
	return err
}

// readRecords reads a stream to its end.
func readRecords(s *stream) ([]trace.Record, error) {
	var list []trace.Record
	var b trace.Batch
	for {
		err := s.Next(&b, 1)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		r := trace.Record{Kind: b.Kinds[0], Words: append([]uint64(nil), b.Words...)}
		if len(b.Text) > 0 {
			r.Text = append([]byte(nil), b.Text...)
		}
		list = append(list, r)
	}
}

func (a *Archive) compareCounts(locations int) {
	if n := uint64(locations); n != a.anchor.locations {
		a.warnings.Add("number of locations", "%d are defined, the anchor says %d", n, a.anchor.locations)
	}
	n := uint64(0)
	for i := range a.defs {
		if a.defs[i].Kind != trace.KindDefinitionRest {
			n++
		}
	}
	if n != a.anchor.definitions {
		a.warnings.Add("number of definitions", "there are %d, the anchor says %d", n, a.anchor.definitions)
	}
}

// Meta describes the trace. The properties named "otf2." are the content of the anchor file.
func (a *Archive) Meta() *trace.Meta { return a.meta }

// Definitions returns the global definitions from index `from` on.
func (a *Archive) Definitions(from int) ([]trace.Record, error) {
	return a.defs[min(max(from, 0), len(a.defs)):], nil
}

// Streams lists the event streams of all locations in the order of their definitions, then all others.
func (a *Archive) Streams() []trace.StreamInfo { return a.streams }

// Open starts to read a stream from its begin.
func (a *Archive) Open(id trace.StreamID) (trace.Stream, error) {
	present, ok := a.files[id]
	if !ok {
		return nil, fmt.Errorf("otf2: %s has no stream of class %d and location %d", a.stem, id.Class, id.Location)
	}
	if err := a.missing[id]; err != nil {
		return nil, err
	}
	if !present {
		return &stream{location: id.Location, window: &window{}, err: io.EOF}, nil
	}
	s, err := a.open(id)
	if err != nil {
		return nil, err // not s: a nil *stream is no nil Stream
	}
	return movedOffsets(s, id, -a.origin.moved), nil
}

// open opens the file of a stream, and for events also the location's own definitions.
func (a *Archive) open(id trace.StreamID) (*stream, error) {
	g, chunk := a.anchor.formOf(id.Class)
	w, err := openWindow(a.path(id), int64(chunk), a.window, a.opened)
	if err != nil {
		return nil, err
	}
	var maps *mappings
	var clock *trace.Clock
	if id.Class == trace.StreamEvents {
		if maps, clock, err = a.local(id.Location); err != nil {
			return nil, err
		}
	}
	s := newStream(w, g, id.Location, a.meta.Epoch+a.origin.moved, maps, clock, &a.warnings)
	if id.Class == trace.StreamEvents {
		s.marks = &a.marks
	}
	return s, nil
}

// local reads what a location's own definitions say of its ids and of its clock; nil for what they do not say.
func (a *Archive) local(location uint64) (*mappings, *trace.Clock, error) {
	id := trace.StreamID{Class: trace.StreamLocalDefinitions, Location: location}
	if !a.files[id] {
		return nil, nil, nil
	}
	s, err := a.open(id)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	return readLocal(s, id.Location, &a.warnings)
}

// readLocal reads a stream of local definitions to its end.
func readLocal(s trace.Stream, location uint64, warn *trace.Warnings) (maps *mappings, clock *trace.Clock, err error) {
	var b trace.Batch
	var last uint64 // time of the last clock offset
	for {
		err := s.Next(&b, 1)
		if err == io.EOF {
			return maps, clock, nil
		}
		if err != nil {
			return nil, nil, err
		}
		switch b.Kinds[0] {
		case trace.KindMappingTable:
			if maps == nil {
				maps = new(mappings)
			}
			if !maps.add(b.Words) {
				warn.Add("unused mapping table", "type %d of location %d", b.Words[0], location)
			}
		case trace.KindClockOffset:
			if clock == nil {
				clock = new(trace.Clock)
			} else if b.Words[0] <= last {
				warn.Add("unused clock offset", "time %d after %d of location %d", b.Words[0], last, location)
				continue
			}
			last = b.Words[0]
			clock.Add(last, int64(b.Words[1]))
		}
	}
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning { return a.warnings.All() }

// Close does nothing: what streams hold open they close.
func (a *Archive) Close() error { return nil }

var _ trace.Source = (*Archive)(nil)
