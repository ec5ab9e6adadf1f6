package edit

import (
	"github.com/pandotrace/pando/trace"
)

// Select returns the selected part of a trace of any format, of which no window is selected: From and To do not count. Nothing is cut
// then, so no event has to be put in, and a stream of a location that is not selected is never opened. It is empty instead, and so are
// the location's local definitions, snapshots and statistics. Definitions, markers and thumbnails belong to the whole trace and stay.
// Ids stay too. To close the result closes src.
func Select(src trace.Source, s Selection) (trace.Source, error) {
	p, err := newSelected(src, s)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// selected is a part of a trace.
type selected struct {
	trace.Source
	selection   Selection
	locations   map[uint64]bool    // nil for all
	regions     map[uint64]bool    // nil for all
	definitions *trace.Definitions // nil if all regions are kept
}

func newSelected(src trace.Source, s Selection) (*selected, error) {
	p := &selected{Source: src, selection: s, locations: setOf(s.Locations), regions: setOf(s.Regions)}
	if p.regions == nil {
		return p, nil
	}
	log, err := src.Definitions(0)
	p.definitions = trace.NewDefinitions(log)
	return p, err
}

// setOf returns a list as a set, nil for nil.
func setOf(ids []uint64) map[uint64]bool {
	if ids == nil {
		return nil
	}
	set := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// keeps reports whether a location is selected.
func (p *selected) keeps(location uint64) bool { return p.locations == nil || p.locations[location] }

// has reports whether a stream has records.
func (p *selected) has(id trace.StreamID) bool {
	switch id.Class {
	case trace.StreamMarkers, trace.StreamThumbnails:
		return true // of the whole trace
	}
	return p.keeps(id.Location)
}

// filters reports whether events of selected locations are left out.
func (p *selected) filters() bool { return p.regions != nil || p.selection.DropMetrics }

// Streams implements trace.Source. The number of events is known as long as no selected location loses some.
func (p *selected) Streams() []trace.StreamInfo {
	streams := append([]trace.StreamInfo(nil), p.Source.Streams()...)
	for i, s := range streams {
		if !p.has(s.StreamID) || s.Class == trace.StreamEvents && p.filters() {
			streams[i].Records = 0
		}
	}
	return streams
}

// Open implements trace.Source.
func (p *selected) Open(id trace.StreamID) (trace.Stream, error) {
	if !p.has(id) {
		return &fixed{batch: &trace.Batch{Location: id.Location}}, nil
	}
	body, err := p.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents || !p.filters() {
		return body, err
	}
	return &filter{Stream: body, part: p}, nil
}

// WholeProcesses returns the locations of all processes that some locations belong to, in the order of the streams.
func WholeProcesses(src trace.Source, locations []uint64) (all []uint64, err error) {
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	definitions, wanted := trace.NewDefinitions(log), map[uint64]bool{}
	chosen := setOf(locations)
	for _, id := range locations {
		if process, ok := definitions.Process(id); ok {
			wanted[process] = true
		}
	}
	all = []uint64{}
	for _, s := range src.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		if process, ok := definitions.Process(s.Location); chosen[s.Location] || ok && wanted[process] {
			all = append(all, s.Location)
		}
	}
	return all, nil
}
