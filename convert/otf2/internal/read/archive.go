package read

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets archives be opened in which the event files of locations that should have events are missing or cut off: they
	// are empty, or have the events that are there as a whole. Each is a warning.
	Lenient bool
	// WindowBytes is the size of the pieces that files are read in. A longer record makes its stream's window grow,
	// at most to the size of a chunk. The default is between 2 KiB and 64 KiB, less if there are many locations.
	WindowBytes int
}

// Archive is an OTF2 archive. It implements trace.Source.
type Archive struct {
	stem        string // path of the anchor without its extension
	lenient     bool
	Anchor      *form.Anchor
	Origin      form.Origin
	Description *trace.Meta
	defs        []trace.Record
	marks       form.Marks // of cuts
	streams     []trace.StreamInfo
	files       map[trace.StreamID]bool  // has all streams; true for those that have a file
	missing     map[trace.StreamID]error // of event streams that need a file and have none
	window      int                      // bytes
	Opened      *OpenFiles
	warnings    trace.Warnings
}

// Open opens the archive of an anchor file. It reads all global definitions.
func Open(anchorPath string, opt Options) (*Archive, error) {
	an, err := form.ReadAnchor(anchorPath)
	if err != nil {
		return nil, err
	}
	a := &Archive{stem: strings.TrimSuffix(anchorPath, filepath.Ext(anchorPath)), lenient: opt.Lenient, Anchor: an,
		Origin: an.TakeOrigin(), files: map[trace.StreamID]bool{}, missing: map[trace.StreamID]error{}, Opened: &opened}
	if err := a.readDefinitions(); err != nil {
		return nil, err
	}
	a.Origin.Restore(a.defs)
	a.Description = metaOf(an, a.defs, &a.warnings)
	locations := a.locations()
	if a.window = opt.WindowBytes; a.window <= 0 {
		a.window = form.WindowFor(len(locations))
	}
	a.compareCounts(len(locations))
	if err := a.listStreams(locations); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Archive) readDefinitions() error {
	w, err := openWindow(a.stem+".def", int64(a.Anchor.DefChunk), form.MostWindow, a.Opened)
	if err != nil {
		return err
	}
	s := NewStream(w, form.DefinitionGrammar, 0, 0, nil, nil, &a.warnings)
	defer s.Close()
	a.defs, err = ReadRecords(s)
	a.defs, a.marks = form.TakeMarks(a.defs)
	a.Anchor.Definitions -= min(a.Anchor.Definitions, uint64(len(a.marks.Definitions)))
	return err
}

// ReadRecords reads a stream to its end.
func ReadRecords(s *Stream) ([]trace.Record, error) {
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
	if n := uint64(locations); n != a.Anchor.Locations {
		a.warnings.Add("number of locations", "%d are defined, the anchor says %d", n, a.Anchor.Locations)
	}
	n := uint64(0)
	for i := range a.defs {
		if a.defs[i].Kind != trace.KindDefinitionRest {
			n++
		}
	}
	if n != a.Anchor.Definitions {
		a.warnings.Add("number of definitions", "there are %d, the anchor says %d", n, a.Anchor.Definitions)
	}
}

// Meta describes the trace. The properties named "otf2." are the content of the anchor file.
func (a *Archive) Meta() *trace.Meta { return a.Description }

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
		return &Stream{location: id.Location, window: &Window{}, err: io.EOF}, nil
	}
	s, err := a.OpenFile(id)
	if err != nil {
		return nil, err // not s: a nil *stream is no nil Stream
	}
	return form.MovedOffsets(s, id, -a.Origin.Moved), nil
}

// OpenFile opens the file of a stream, and for events also the location's own definitions.
func (a *Archive) OpenFile(id trace.StreamID) (*Stream, error) {
	g, chunk := a.Anchor.FormOf(id.Class)
	w, err := openWindow(a.Path(id), int64(chunk), a.window, a.Opened)
	if err != nil {
		return nil, err
	}
	var maps *form.Mappings
	var clock *trace.Clock
	if id.Class == trace.StreamEvents {
		if a.lenient {
			w.torn = func(at int64) { a.warnings.Add("event file cut off", "%s ends at byte %d, within a chunk", w.Path, at) }
		}
		if maps, clock, err = a.Local(id.Location); err != nil {
			return nil, err
		}
	}
	s := NewStream(w, g, id.Location, a.Description.Epoch+a.Origin.Moved, maps, clock, &a.warnings)
	if id.Class == trace.StreamEvents {
		s.Marks = &a.marks
	}
	return s, nil
}

// Local reads what a location's own definitions say of its ids and of its clock; nil for what they do not say.
func (a *Archive) Local(location uint64) (*form.Mappings, *trace.Clock, error) {
	id := trace.StreamID{Class: trace.StreamLocalDefinitions, Location: location}
	if !a.files[id] {
		return nil, nil, nil
	}
	s, err := a.OpenFile(id)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	return form.ReadLocal(s, id.Location, &a.warnings)
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning { return a.warnings.All() }

// Close does nothing: what streams hold open they close.
func (a *Archive) Close() error { return nil }

var _ trace.Source = (*Archive)(nil)
