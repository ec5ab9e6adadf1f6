package store

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Source returns the window as a source: the events in it, of the locations that it keeps, and all that the file has besides events.
// All locations have an event stream. Other filters are not applied.
func (w *Window) Source() trace.Source { return &windowSource{readerSource{w.reader}, w} }

type windowSource struct {
	readerSource
	w *Window
}

func (s *windowSource) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class != trace.StreamEvents {
		return s.openAuxiliary(id)
	}
	location, ok := s.r.byID[id.Location]
	if !ok {
		return nil, fmt.Errorf("%s: no location %d", s.r.name, id.Location)
	}
	stream := &windowStream{w: s.w, location: location}
	if s.w.locations != nil && !s.w.locations[location] || s.w.from >= s.w.to {
		return stream, nil
	}
	var err error
	stream.slice, stream.end, err = s.r.slices(s.w.from, s.w.to)
	return stream, err
}

// windowStream gives the events of one location in a window, slice by slice.
type windowStream struct {
	w          *Window
	location   uint32
	slice, end uint64
	left       *trace.Batch // of the current slice; nil for nothing
	err        error
}

// Next implements trace.Stream.
func (s *windowStream) Next(b *trace.Batch, limit int) error {
	r := s.w.reader
	b.Reset(r.info.Locations[s.location].ID)
	for s.err == nil && b.Len() < limit {
		switch {
		case s.left != nil && s.left.Len() > 0:
			n := min(limit-b.Len(), s.left.Len())
			b.AppendRange(s.left, 0, n, r.meta.Kinds)
			s.left = s.left.View(n, s.left.Len())
		case s.slice == s.end:
			s.err = io.EOF
		default:
			s.left, s.err = s.w.part(s.slice, s.location)
			s.slice++
		}
	}
	if b.Len() > 0 {
		return nil
	}
	return s.err
}

// Close implements trace.Stream.
func (s *windowStream) Close() error { return nil }

// part returns the window's events of a location in a slice, nil if there are none.
func (w *Window) part(slice uint64, location uint32) (*trace.Batch, error) {
	b, err := w.reader.run(slice, location)
	if err != nil || b == nil {
		return nil, err
	}
	return b.View(lowerBound(b.Times, w.from), lowerBound(b.Times, w.to)), nil
}

// run returns the events of a location in a slice, nil if there are none.
func (r *Reader) run(slice uint64, location uint32) (*trace.Batch, error) {
	e, err := r.events(slice, r.info.Locations[location].Lane)
	if err != nil || e == nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(e.Runs, location, func(r encode.Run, l uint32) int { return cmp.Compare(r.Location, l) })
	if !ok {
		return nil, nil
	}
	b, err := e.Batch(i)
	return b, format.At(err, r.name, -1)
}
