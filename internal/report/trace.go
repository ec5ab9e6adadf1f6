package report

import (
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/store"
)

// Trace is an open file with the names and the clock that answers are written with. It is not for concurrent use.
type Trace struct {
	*store.Reader
	// Name is the name of the trace: that of its file without the folder and the extension.
	Name string
	// Path is the path of the file, which text shows.
	Path string

	names *names
	clock clock
}

// Extension is the extension of Pando files.
const Extension = ".pando"

// NewTrace returns an open file for answers. It reads the definitions.
func NewTrace(r *store.Reader, path string) (*Trace, error) {
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	info := r.Info()
	return &Trace{Reader: r, Name: strings.TrimSuffix(filepath.Base(path), Extension), Path: path, names: newNames(defs, info.LocationIDs), clock: newClock(r.TimeAxis(), info.Last)}, nil
}

// FindLocations returns the ids of locations that one of the patterns matches: by id, name, name of the process, or label.
func (t *Trace) FindLocations(patterns []string) ([]uint64, error) {
	return t.names.defs.FindLocations(t.Info().LocationIDs(), t.names.labels(), patterns)
}

// FindRegions returns the ids of regions that one of the patterns matches.
func (t *Trace) FindRegions(patterns []string) ([]uint64, error) {
	return t.names.defs.FindRegions(patterns)
}

// Label returns the name by which text shows a location: no two locations of the trace have the same.
func (t *Trace) Label(location uint64) string { return t.names.location(location) }
