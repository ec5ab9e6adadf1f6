package convert

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/convert/chrome"
	"github.com/pandotrace/pando/convert/clog2"
	"github.com/pandotrace/pando/convert/otf"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/convert/slog2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Format is a trace format that can be read.
type Format struct {
	// Name is the format's name ("OTF2").
	Name string
	// Main describes the file by which a trace is opened.
	Main string

	// holds are the names of the features that traces of the format can hold; nil means all.
	holds []string
	// detect reports whether a file that begins with prefix (prefixBytes of it, or all) is a main file.
	detect func(prefix []byte) bool
	open   func(ctx context.Context, path string, opt Options) (trace.Source, error)
	// parts are the files that belong to a main file STEM.EXT besides it, as patterns of what follows STEM.
	parts []string
	// joins, if not nil, reports whether a main file is one of several in a folder that make up one trace. Opening the folder
	// opens them all.
	joins func(prefix []byte) bool
}

// prefixBytes is how much of a file is read to tell its format.
const prefixBytes = 512

var formats = []Format{
	{Name: pandoName, Main: "the file", detect: isPando, open: openPando},
	{Name: "OTF2", Main: "the anchor file NAME.otf2", detect: otf2.Detect, open: openOTF2,
		parts: []string{".def", ".marker", ".*.thumb", "/*"},
		holds: []string{"calls", "call paths", "messages", "requests", "collectives", "one-sided", "threads", "files", "counters", "notes",
			"attributes", "clocks", "snapshots", "markers", "thumbnails"}},
	{Name: "OTF", Main: "the index file NAME.otf", detect: otf.Detect, open: openOTF,
		parts: []string{".*.def", ".*.events", ".*.snaps", ".*.stats", ".*.marker",
			".*.def.z", ".*.events.z", ".*.snaps.z", ".*.stats.z", ".*.marker.z"},
		holds: []string{"calls", "messages", "collectives", "one-sided", "files", "counters", "notes", "attributes", "snapshots", "statistics", "markers"}},
	{Name: "CLOG-2", Main: "the log NAME.clog2, or a folder of logs of single processes", detect: clog2.Detect,
		open: openCLOG2, joins: clog2.DetectPart,
		holds: []string{"calls", "states", "messages", "collectives", "notes", "attributes", "clocks"}},
	{Name: "SLOG-2", Main: "the file NAME.slog2", detect: slog2.Detect, open: openSLOG2,
		holds: []string{"calls", "states", "messages", "notes", "attributes"}},
	{Name: "Chrome", Main: "the file NAME.json or NAME.json.gz of trace events", detect: chrome.Detect, open: openChrome,
		holds: []string{"calls", "states", "messages", "requests", "counters", "notes", "attributes"}},
	{Name: "recording", Main: "the file RANK.pandorec, or the folder of those of a run", detect: recording.Detect, open: openRecording, joins: recording.Detect,
		holds: []string{"calls", "call paths", "messages", "requests", "collectives", "one-sided", "threads", "files", "counters", "notes", "statistics", "markers"}},
}

// Formats lists the formats that can be read.
func Formats() []Format { return append([]Format(nil), formats...) }

// known lists the formats for messages.
func known() string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// formatOf returns the format of a main file that begins with prefix, nil if it has none that is known.
func formatOf(prefix []byte) *Format {
	for i := range formats {
		if formats[i].detect(prefix) {
			return &formats[i]
		}
	}
	return nil
}

// isPando goes by the middle of the magic, so that a file damaged by a transfer in text mode is recognised as one.
func isPando(prefix []byte) bool {
	const from, to = 1, 4
	return len(prefix) >= to && string(prefix[from:to]) == format.Magic[from:to]
}

func openPando(ctx context.Context, path string, opt Options) (trace.Source, error) {
	r, err := store.Open(ctx, path, store.ReadOptions{Name: opt.stream})
	if err != nil {
		return nil, err
	}
	return &pandoSource{r.Source(), r}, nil
}

// pandoSource closes the file that it was opened from.
type pandoSource struct {
	trace.Source
	reader *store.Reader
}

// Close closes the file.
func (s *pandoSource) Close() error { return s.reader.Close() }

// Info returns what the file says of the trace.
func (s *pandoSource) Info() *store.Info { return s.reader.Info() }

// Structure yields the structure of all events, without their values.
func (s *pandoSource) Structure() iter.Seq2[*store.LaneStructure, error] {
	return s.reader.All().Structure()
}

// EventsOf yields the events of some kinds, in merged order.
func (s *pandoSource) EventsOf(kinds ...trace.Kind) iter.Seq2[trace.Event, error] {
	return s.reader.All().WithKinds(kinds...).Events()
}

// Deviations implements trace.Deviant.
func (s *pandoSource) Deviations() ([]trace.CallDeviation, bool) { return trace.DeviationsOf(s.Source) }

func openOTF2(_ context.Context, path string, opt Options) (trace.Source, error) {
	a, err := otf2.Open(path, otf2.Options{Lenient: opt.Lenient})
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}

func openOTF(_ context.Context, path string, opt Options) (trace.Source, error) {
	a, err := otf.Open(path, otf.Options{Lenient: opt.Lenient})
	if err != nil {
		return nil, err
	}
	return a, nil
}

func openSLOG2(_ context.Context, path string, opt Options) (trace.Source, error) {
	a, err := slog2.Open(path, slog2.Options{Lenient: opt.Lenient})
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}

func openCLOG2(_ context.Context, path string, opt Options) (trace.Source, error) {
	paths, err := joined(path, clog2.DetectPart)
	if err != nil {
		return nil, err
	}
	a, err := clog2.Open(clog2.Options{Lenient: opt.Lenient}, paths...)
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}

func openRecording(_ context.Context, path string, _ Options) (trace.Source, error) {
	paths, err := joined(path, recording.Detect)
	if err != nil {
		return nil, err
	}
	a, err := recording.Open(paths...)
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}

func openChrome(ctx context.Context, path string, opt Options) (trace.Source, error) {
	a, err := chrome.Open(ctx, path, chrome.Options{Lenient: opt.Lenient, TempDir: opt.TempDir, Memory: opt.Memory})
	if err != nil {
		return nil, err // not a: a nil *Archive is no nil Source
	}
	return a, nil
}

// joined returns the main files that make up one trace: those in a folder that join, or the file itself.
func joined(path string, joins func([]byte) bool) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if prefix, err := readPrefix(file); err == nil && joins(prefix) {
			paths = append(paths, file)
		}
	}
	return paths, nil
}
