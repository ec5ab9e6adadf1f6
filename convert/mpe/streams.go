package mpe

import (
	"os"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Streams are those of an archive: the events of all locations, then their clocks.
type Streams struct {
	list     []trace.StreamInfo
	location map[trace.StreamID]int
}

// NewStreams lists the streams of locations 0 to n-1, of which at gives each.
func NewStreams(n int, at func(i int) (*Location, *SecondsClock)) Streams {
	s := Streams{location: map[trace.StreamID]int{}}
	for _, class := range []trace.StreamClass{trace.StreamEvents, trace.StreamLocalDefinitions} {
		for i := range n {
			l, clock := at(i)
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

// List returns all streams; the list is the caller's.
func (s *Streams) List() []trace.StreamInfo { return slices.Clone(s.list) }

// Find returns the number of the location that a stream is of.
func (s *Streams) Find(id trace.StreamID) (location int, ok bool) {
	location, ok = s.location[id]
	return location, ok
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
