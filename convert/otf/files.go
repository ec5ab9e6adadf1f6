package otf

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// sorts are the files that a stream may have besides that of its definitions.
var sorts = []struct {
	class   trace.StreamClass
	ext     string
	grammar *grammar
}{
	{trace.StreamEvents, ".events", eventGrammar},
	{trace.StreamSnapshots, ".snaps", snapshotGrammar},
	{trace.StreamStatistics, ".stats", statisticsGrammar},
	{trace.StreamMarkers, ".marker", markerGrammar},
}

// findFiles finds the files of all streams, and lists what they have.
func (a *Archive) findFiles(m *modeler) error {
	if err := a.findEvents(m); err != nil {
		return err
	}
	for _, s := range m.index.streams {
		if sc := m.scopes[s.id]; sc != nil && len(sc.mappings()) > 0 {
			for _, p := range s.processes {
				a.local[p] = sc
				a.list(trace.StreamLocalDefinitions, p)
			}
		}
	}
	for _, sort := range sorts[1:] {
		all := m.index.streams
		if sort.class == trace.StreamMarkers {
			all = append([]indexed{{id: 0}}, all...)
		}
		for _, s := range all {
			if err := a.findRecords(m, s, sort.class, sort.ext, sort.grammar); err != nil {
				return err
			}
		}
	}
	return nil
}

// findEvents finds the event files, and lists the event streams of all processes.
func (a *Archive) findEvents(m *modeler) error {
	inline := m.announcesInline()
	parts := map[uint64]*part{} // of processes
	for _, s := range m.index.streams {
		p, err := a.findPart(m, s, ".events", eventGrammar)
		if err != nil {
			return err
		}
		if p == nil {
			a.missEvents(s)
			continue
		}
		p.inline.Store(inline)
		a.events = append(a.events, p)
		for _, process := range s.processes {
			parts[process] = p
		}
	}
	for _, process := range m.order {
		a.list(trace.StreamEvents, process, parts[process])
	}
	return nil
}

// missEvents notes that a stream has no event file, so that those of its processes cannot be opened, unless the archive is lenient.
func (a *Archive) missEvents(s indexed) {
	err := a.miss(len(s.processes) > 0, "events", a.path(s.id, ".events"))
	for _, process := range s.processes {
		a.missing[trace.StreamID{Class: trace.StreamEvents, Location: process}] = err
	}
}

// findRecords finds a file of a stream that need not be there.
func (a *Archive) findRecords(m *modeler, s indexed, class trace.StreamClass, ext string, g *grammar) error {
	p, err := a.findPart(m, s, ext, g)
	if p == nil || err != nil {
		return err
	}
	if class == trace.StreamMarkers {
		p.processes = []uint64{s.id}
	}
	for _, process := range p.processes {
		a.list(class, process, p)
	}
	return nil
}

// findPart finds a file; nil if it is not there.
func (a *Archive) findPart(m *modeler, s indexed, ext string, g *grammar) (*part, error) {
	f, ok, err := a.find(a.path(s.id, ext))
	if !ok || err != nil {
		return nil, err
	}
	return &part{archive: a, file: f, grammar: g, scope: m.scopeOf(s.id), indexed: s}, nil
}

// list lists a stream whose records are in a file, if there is one, after those that it has already.
func (a *Archive) list(class trace.StreamClass, location uint64, parts ...*part) {
	id := trace.StreamID{Class: class, Location: location}
	if _, ok := a.places[id]; !ok {
		a.streams = append(a.streams, trace.StreamInfo{StreamID: id})
	}
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p == nil })
	a.places[id] = append(a.places[id], parts...)
}

// listInline lists the snapshots of event files in which some were found.
func (a *Archive) listInline() {
	for i, p := range a.events {
		if p == nil || !p.inline.Load() {
			continue
		}
		a.events[i] = nil // once
		snapshots := &part{archive: a, file: p.file, grammar: p.grammar, scope: p.scope, indexed: p.indexed, snapshots: true}
		for _, process := range p.processes {
			a.list(trace.StreamSnapshots, process, snapshots)
		}
	}
}

// announcesInline reports whether definitions say that there are snapshots among events.
func (m *modeler) announcesInline() bool {
	const inline = 2 // type of sample points
	return slices.ContainsFunc(m.log, func(r trace.Record) bool { return r.Kind == trace.KindOtfSamplePoint && r.Words[2] == inline })
}
