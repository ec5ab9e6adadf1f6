package scale

import (
	"fmt"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// Options say what is played.
type Options struct {
	// Repetitions is how often the body is played, 0 for once.
	Repetitions int
	// Copies is how many times all locations stand side by side, 0 for once. Copies do not know each other.
	Copies int
	// Seed makes the times; equal seeds make equal traces.
	Seed uint64
}

// Repetitions returns how often the body is played for a trace of about the given number of events.
func (b *Base) Repetitions(events uint64, copies int) int {
	p := b.Parts()
	once, all := events/uint64(max(1, copies)), p.Head+p.Body+p.Tail
	if once <= all {
		return 1
	}
	return 1 + int((once-all+p.Body/2)/p.Body)
}

// Play returns the trace that options ask for. Nothing of it is there before it is read.
func (b *Base) Play(o Options) (trace.Source, error) {
	o.Repetitions, o.Copies = max(1, o.Repetitions), max(1, o.Copies)
	if err := b.checkCopies(o.Copies); err != nil {
		return nil, err
	}
	if b.last > maxTicks/int64(2*o.Repetitions) {
		return nil, errTooLong
	}
	s := &source{Base: b, options: o, places: map[uint64]place{}}
	for number := range o.Copies {
		for i, l := range b.locations {
			s.places[b.ids.copied(trace.SpaceLocation, l.id, number)] = place{number, i}
		}
	}
	s.log = s.define()
	return s, nil
}

// source is a played trace.
type source struct {
	*Base
	options Options
	places  map[uint64]place // of locations, by id
	log     []trace.Record
}

// place says where a location comes from.
type place struct{ number, location int }

// Meta implements [trace.Source].
func (s *source) Meta() *trace.Meta {
	return &trace.Meta{
		Resolution: s.meta.Resolution, Epoch: s.meta.Epoch, Kinds: s.meta.Kinds,
		Properties: []trace.Property{
			{Name: "scale.repetitions", Value: strconv.Itoa(s.options.Repetitions)},
			{Name: "scale.copies", Value: strconv.Itoa(s.options.Copies)},
			{Name: "scale.seed", Value: strconv.FormatUint(s.options.Seed, 10)},
		},
	}
}

// Definitions implements [trace.Source].
func (s *source) Definitions(from int) ([]trace.Record, error) {
	return s.log[min(from, len(s.log)):], nil
}

// Streams implements [trace.Source]. It knows the numbers of records.
func (s *source) Streams() []trace.StreamInfo {
	var all []trace.StreamInfo
	for number := range s.options.Copies {
		for _, l := range s.locations {
			id := trace.StreamID{Class: trace.StreamEvents, Location: s.ids.copied(trace.SpaceLocation, l.id, number)}
			all = append(all, trace.StreamInfo{StreamID: id, Records: s.events(l)})
		}
	}
	return all
}

// events returns how many events of a location are played.
func (s *source) events(l *location) uint64 {
	return uint64(l.events.Len()) + uint64(s.options.Repetitions-1)*uint64(l.to-l.from)
}

// duration returns a little more than the time from the first to the last event that is played, in the trace's ticks.
func (s *source) duration() uint64 {
	last := s.last + int64(s.options.Repetitions-1)*s.length + newWeather(s.Base, 0, 0).most(s.options.Repetitions)
	return uint64(s.clock.time(last+1, 0) - s.clock.origin)
}

// Open implements [trace.Source].
func (s *source) Open(id trace.StreamID) (trace.Stream, error) {
	p, ok := s.places[id.Location]
	if !ok || id.Class != trace.StreamEvents {
		return nil, fmt.Errorf("no stream of class %d for %d", id.Class, id.Location)
	}
	return newStream(s, id.Location, p), nil
}

// Warnings implements [trace.Source].
func (s *source) Warnings() []trace.Warning { return nil }

// Close implements [trace.Source].
func (s *source) Close() error { return nil }
