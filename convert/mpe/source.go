package mpe

import (
	"fmt"
	"os"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Source has the methods of [trace.Source] that archives of both formats share, all but Warnings. Its streams are the events of all
// locations, then the segments of their clocks.
type Source struct {
	name     string // of the format, with the path
	meta     *trace.Meta
	log      *Log
	list     []trace.StreamInfo
	location map[trace.StreamID]int
	contents Contents
}

// Contents are the streams of an archive of locations 0 to Locations-1.
type Contents struct {
	Locations int
	// Location returns a location with its clock, Events a new stream of its events.
	Location func(i int) (*Location, *SecondsClock)
	Events   func(i int) trace.Stream
}

// NewSource lists the streams of an archive. format and path appear in errors.
func NewSource(format, path string, meta *trace.Meta, log *Log, c Contents) Source {
	s := Source{name: format + ": " + path, meta: meta, log: log, location: map[trace.StreamID]int{}, contents: c}
	for _, class := range []trace.StreamClass{trace.StreamEvents, trace.StreamLocalDefinitions} {
		for i := range c.Locations {
			l, clock := c.Location(i)
			info := trace.StreamInfo{StreamID: trace.StreamID{Class: class, Location: l.ID}, Records: l.Records}
			if class == trace.StreamLocalDefinitions {
				info.Records = uint64(len(clock.Segments()))
			}
			s.list = append(s.list, info)
			s.location[info.StreamID] = i
		}
	}
	return s
}

// Meta describes the trace.
func (s *Source) Meta() *trace.Meta { return s.meta }

// Definitions returns the definitions from index `from` on.
func (s *Source) Definitions(from int) ([]trace.Record, error) { return s.log.From(from), nil }

// Streams lists the event streams of all locations in the order of their definitions, then their local definitions.
func (s *Source) Streams() []trace.StreamInfo { return slices.Clone(s.list) }

// Open starts to read a stream from its begin.
func (s *Source) Open(id trace.StreamID) (trace.Stream, error) {
	i, ok := s.location[id]
	switch {
	case !ok:
		return nil, fmt.Errorf("%s has no stream of class %d and location %d", s.name, id.Class, id.Location)
	case id.Class == trace.StreamEvents:
		return s.contents.Events(i), nil
	}
	_, clock := s.contents.Location(i)
	return NewClockStream(id.Location, clock), nil
}

// Close does nothing: an archive holds nothing open.
func (s *Source) Close() error { return nil }

// Next implements the method Next of a stream by steps.
func Next(s trace.Stepper, b *trace.Batch, max int) error {
	for {
		_, err := s.Step(b, max)
		if err != nil || b.Len() > 0 {
			return err
		}
	}
}

// ReadAt fills p from a position of a file, which is open no longer than that.
func ReadAt(path string, p []byte, at int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.ReadAt(p, at)
	return err
}
