package read

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

func (a *Archive) Path(id trace.StreamID) string { return form.PathOf(a.stem, id) }

// locations returns the event streams of the defined locations in order, with their defined numbers of events.
func (a *Archive) locations() []trace.StreamInfo {
	var list []trace.StreamInfo
	seen := map[uint64]bool{}
	for i := range a.defs {
		if a.defs[i].Kind != trace.KindLocation {
			continue
		}
		id, events := a.defs[i].Words[0], a.defs[i].Words[3]
		if seen[id] {
			a.warnings.Add("duplicate location", "location %d", id)
			continue
		}
		seen[id] = true
		list = append(list, trace.StreamInfo{
			StreamID: trace.StreamID{Class: trace.StreamEvents, Location: id}, Records: events, Group: uint32(len(list))})
	}
	return list
}

// listStreams lists the event streams of all locations, then the others that have a file.
func (a *Archive) listStreams(locations []trace.StreamInfo) error {
	found, err := a.findFiles()
	if err != nil {
		return err
	}
	for _, l := range locations {
		if !found[l.StreamID] {
			a.miss(l)
		}
		a.list(l, found[l.StreamID])
	}
	for _, class := range []trace.StreamClass{trace.StreamLocalDefinitions, trace.StreamSnapshots} {
		for _, l := range locations {
			id := trace.StreamID{Class: class, Location: l.Location}
			if found[id] {
				a.list(trace.StreamInfo{StreamID: id}, true)
			} else if class == trace.StreamLocalDefinitions {
				a.warnings.Add("missing local definitions", "%s", a.Path(id))
			}
		}
	}
	a.listNumbered(trace.StreamMarkers, 1)
	a.listNumbered(trace.StreamThumbnails, a.Anchor.Thumbnails)
	return nil
}

func (a *Archive) list(s trace.StreamInfo, hasFile bool) {
	a.streams = append(a.streams, s)
	a.files[s.StreamID] = hasFile
}

// miss notes that a location has no event file. If it should have events, its stream cannot be opened; others can; a lenient archive takes it for empty.
func (a *Archive) miss(l trace.StreamInfo) {
	if l.Records > 0 && !a.lenient {
		a.missing[l.StreamID] = &trace.SourceError{Format: "otf2", File: a.Path(l.StreamID), Class: trace.ErrMissing, Cause: fs.ErrNotExist,
			Problem: fmt.Sprintf("the %d events of location %d cannot be read", l.Records, l.Location)}
		return
	}
	a.warnings.Add("missing event file", "%s", a.Path(l.StreamID))
}

// findFiles returns the streams that have a file in the archive's folder.
func (a *Archive) findFiles() (map[trace.StreamID]bool, error) {
	found := map[trace.StreamID]bool{}
	dir, err := os.Open(a.stem)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil // each location will be missed by itself
	}
	if err != nil {
		return nil, &trace.SourceError{Format: "otf2", File: a.stem, Problem: "cannot be read", Cause: err}
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, &trace.SourceError{Format: "otf2", File: a.stem, Problem: "cannot be read", Cause: err}
	}
	for _, name := range names {
		for class, ext := range form.Extensions {
			if digits, ok := strings.CutSuffix(name, ext); ok {
				if id, err := strconv.ParseUint(digits, 10, 64); err == nil {
					found[trace.StreamID{Class: class, Location: id}] = true
				}
			}
		}
	}
	return found, nil
}

// listNumbered lists those of the n streams of a class that have a file.
func (a *Archive) listNumbered(class trace.StreamClass, n uint64) {
	for i := range n {
		id := trace.StreamID{Class: class, Location: i}
		if _, err := os.Stat(a.Path(id)); err == nil {
			a.list(trace.StreamInfo{StreamID: id}, true)
		} else if class == trace.StreamThumbnails {
			a.warnings.Add("missing thumbnail", "%s", a.Path(id))
			return // the number may be wrong, and in the billions
		}
	}
}
