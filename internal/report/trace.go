package report

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace/selector"
)

// Trace is an open file with the names and the clock that answers are written with. It is not for concurrent use.
type Trace struct {
	*store.Reader
	// Name is the name of the trace: that of its file without the folder and the extension.
	Name string
	// Path is the path of the file, which text shows.
	Path string

	ids    []uint64 // of locations
	names  *Names
	clock  clock
	groups cluster.Selection
}

// Extension is the extension of Pando files.
const Extension = ".pando"

// partExtension follows on the names of files while they are written.
const partExtension = ".part"

// NewTrace returns an open file for answers. It reads the definitions.
func NewTrace(r *store.Reader, path string) (*Trace, error) {
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), partExtension), Extension)
	return &Trace{Reader: r, Name: name, Path: path, ids: ids, names: newNames(defs, ids), clock: newClock(r.TimeAxis(), r.Info().Last)}, nil
}

// FindLocations returns the ids of locations that selectors select.
func (t *Trace) FindLocations(selectors []string) ([]uint64, error) {
	return t.FindLocationsContext(context.Background(), selectors)
}

// FindLocationsContext is like FindLocations. To find groups of locations, all of the file's structure is read; that ends with the context.
func (t *Trace) FindLocationsContext(ctx context.Context, selectors []string) ([]uint64, error) {
	return selector.LocationsAndSets(t.names.defs, t.ids, selectors, func(text string) ([]uint64, error) {
		return t.groups.Locations(ctx, t.Reader, text)
	})
}

// NamesGroup reports whether a selector of locations names a group of them: to find that, the structure of the whole file is read.
func NamesGroup(selector string) bool { return cluster.IsSelector(selector) }

// FindRegions returns the ids of regions that selectors select.
func (t *Trace) FindRegions(selectors []string) ([]uint64, error) {
	return selector.Regions(t.names.defs, selectors)
}

// Names returns the names of the trace's definitions. They are not for concurrent use.
func (t *Trace) Names() *Names { return t.names }

// Label returns the name by which text shows a location: no two locations of the trace have the same.
func (t *Trace) Label(location uint64) string { return t.names.Location(location) }

// Format is a form of an answer.
type Format uint8

const (
	// Text is for people: tables and sentences.
	Text Format = iota
	// JSON is for programs.
	JSON
	// CSV is for programs: comma-separated values below a line with the names of columns. Only tables have this format.
	CSV
)

// Answer is an answer that is one JSON document.
type Answer interface {
	// writeText writes the answer for people.
	writeText(w io.Writer)
}

// Write writes an answer as text, or as an indented JSON document.
func Write(w io.Writer, a Answer, f Format) error {
	if f == JSON {
		return WriteJSON(w, a)
	}
	a.writeText(w)
	return nil
}

// WriteJSON writes a value as an indented JSON document.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
