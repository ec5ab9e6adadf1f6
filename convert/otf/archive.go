package otf

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets traces be opened of which files are missing, and reads on behind damaged lines and pieces. Each becomes a
	// warning.
	Lenient bool
	// WindowBytes is the size of the pieces that files are read in. A longer line makes its file's window grow. The default is
	// between 4 KiB and 64 KiB, less if there are many streams. Compressed files take some 60 KiB more while they are read.
	WindowBytes int
}

// Bounds of the default window, and of the memory of the windows of all streams together, in bytes.
const (
	leastWindow = 4 << 10
	mostWindow  = 64 << 10
	allWindows  = 64 << 20
)

// Archive is an OTF trace. It implements trace.Source.
type Archive struct {
	stem    string // path of the index without its extension
	find    func(path string) (f file, ok bool, err error)
	context context
	meta    *trace.Meta
	log     []trace.Record
	window  int     // bytes
	events  []*part // the event files; nil for those whose snapshots are listed
	streams []trace.StreamInfo
	places  map[trace.StreamID][]*part // the files that the records of a stream are in
	missing map[trace.StreamID]error   // of event streams whose file is not there
	local   map[uint64]*scope          // of locations whose stream has ids of its own
}

// Open opens the trace of an index file. It reads all definitions.
func Open(path string, opt Options) (*Archive, error) {
	x, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	a, err := open(strings.TrimSuffix(path, filepath.Ext(path)), x, find, opt)
	if err != nil {
		return nil, err
	}
	return a, a.noteUnlisted(x)
}

// open opens the trace of an index whose files can be found.
func open(stem string, x *index, find func(string) (file, bool, error), opt Options) (*Archive, error) {
	a := &Archive{stem: stem, find: find, window: opt.WindowBytes, places: map[trace.StreamID][]*part{}, missing: map[trace.StreamID]error{}, local: map[uint64]*scope{}}
	a.context.lenient = opt.Lenient
	if a.window <= 0 {
		a.window = min(max(allWindows/len(x.streams), leastWindow), mostWindow)
	}
	d, err := a.readDefinitions(x)
	if err != nil {
		return nil, err
	}
	a.describe(d, x)
	m := model(d, x)
	a.context.special = m.special
	a.log = slices.Concat(d.log, m.out)
	if err := a.findFiles(m); err != nil {
		return nil, err
	}
	return a, nil
}

// readDefinitions reads the definitions of the whole trace, then those of the streams.
func (a *Archive) readDefinitions(x *index) (*definitions, error) {
	var log []trace.Record
	for _, stream := range append([]uint64{0}, x.ids()...) {
		f, ok, err := a.find(a.path(stream, ".def"))
		if err != nil {
			return nil, err
		}
		if !ok {
			if err := a.miss(stream == 0, "definitions", f.path); err != nil {
				return nil, err
			}
			continue
		}
		t := newText(f.open(a.context.lenient, &a.context.warnings), f.path, a.window)
		list, err := readDefinitions(t, &a.context, stream)
		if err != nil {
			return nil, err
		}
		log = append(log, list...)
	}
	return newDefinitions(log, &a.context.warnings), nil
}

// miss notes that a file is not there, which is an error if it has to be, unless the archive is lenient.
func (a *Archive) miss(needed bool, what, path string) error {
	if !needed {
		return nil
	}
	if !a.context.lenient {
		return &trace.SourceError{Format: "otf", File: path, Problem: "there are no " + what, Class: trace.ErrMissing}
	}
	a.context.warnings.Add("missing file", "%s", path)
	return nil
}

// path returns the path of a stream's file, if it is not compressed.
func (a *Archive) path(stream uint64, ext string) string {
	return a.stem + "." + strconv.FormatUint(stream, 16) + ext
}

// describe makes the trace's description.
func (a *Archive) describe(d *definitions, x *index) {
	a.meta = &trace.Meta{Format: "OTF", Resolution: d.clock.Words[0], Epoch: d.clock.Words[1]}
	a.context.epoch = a.meta.Epoch
	add := func(name, value string) {
		a.meta.Properties = append(a.meta.Properties, trace.Property{Name: name, Value: value})
	}
	for i := range d.log {
		switch r := &d.log[i]; r.Kind {
		case trace.KindOtfVersion:
			const major, minor = 1, 12
			a.context.ends.closes = r.Words[1] == major && r.Words[2] >= minor
			add("otf.version", fmt.Sprintf("%d.%d.%d %s", r.Words[1], r.Words[2], r.Words[3], r.TextOf(r.Words[4])))
		case trace.KindOtfUniqueID:
			add("otf.uniqueId", strconv.FormatUint(r.Words[1], 10))
		case trace.KindOtfCreator:
			add("otf.creator", r.TextOf(r.Words[1]))
		}
	}
	add("otf.index", x.text)
}

// Meta describes the trace. The property otf.index is the index file.
func (a *Archive) Meta() *trace.Meta { return a.meta }

// Definitions returns the definitions from index `from` on: those of the files as they stand, then those of the model.
func (a *Archive) Definitions(from int) ([]trace.Record, error) {
	return a.log[min(max(from, 0), len(a.log)):], nil
}

// Streams lists the event streams of all processes in the order of their definitions, then all others. Snapshots that stand among
// events are listed when events were read, unless the definitions announce them.
func (a *Archive) Streams() []trace.StreamInfo {
	a.listInline()
	return a.streams
}

// Open starts to read a stream from its begin.
func (a *Archive) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class == trace.StreamLocalDefinitions && a.local[id.Location] != nil {
		return &tables{location: id.Location, words: a.local[id.Location].mappings()}, nil
	}
	if err := a.missing[id]; err != nil {
		return nil, err
	}
	parts, ok := a.places[id]
	if !ok {
		return nil, fmt.Errorf("otf: %s has no stream of class %d and location %d", a.stem, id.Class, id.Location)
	}
	s := &stream{location: id.Location}
	for _, p := range parts {
		s.members = append(s.members, p.join(id.Location))
	}
	return s, nil
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning {
	list := a.context.warnings.All()
	if w := a.context.ends.warning(); w.Count > 0 {
		list = append(list, w)
	}
	return list
}

// Close does nothing: an archive holds nothing open.
func (a *Archive) Close() error { return nil }

var _ trace.Source = (*Archive)(nil)
