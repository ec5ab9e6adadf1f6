package query

import (
	"io"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// openEvents starts to read the events of a location.
func (s *readerSource) openEvents(location uint32) (trace.Stream, error) {
	info := &s.locations[location]
	e := &eventStream{w: s.w, location: location, id: info.ID, whole: s.whole, want: info.Events}
	if info.Events == 0 || !s.w.keeps(location) || s.w.From >= s.w.To {
		e.err = io.EOF
		return e, nil
	}
	e.walk = s.walks[info.Lane]
	place, _ := s.r.KnownLane(info.Lane).Place(location)
	e.place = int(place)
	e.last = s.r.Root().Slices
	if !s.whole {
		var err error
		if e.slice, e.last, err = s.r.Slices(s.w.From, s.w.To); err != nil {
			return nil, err
		}
	}
	e.walk.begin(e.place, e.slice)
	return e, nil
}

// eventStream gives the events of one location in a window, slice by slice.
type eventStream struct {
	w           *Window
	walk        *laneWalk
	location    uint32
	id          uint64
	place       int // of the location in its lane
	slice, last uint64
	whole       bool

	run        locationRun // of the current slice
	left       int         // of its events
	covered    int64       // last instant of the current slice
	done, want uint64
	err        error
}

// Next implements trace.Stream.
func (s *eventStream) Next(b *trace.Batch, limit int) error {
	for {
		if _, err := s.Step(b, limit); err != nil || b.Len() > 0 {
			return err
		}
	}
}

// Step implements trace.Stepper: it gives events of one slice, and covers all of it with the last one, so that those who take the
// stream that is furthest behind go through a file slice by slice.
func (s *eventStream) Step(b *trace.Batch, limit int) (covered int64, err error) {
	b.Reset(s.id)
	if s.err == nil && s.left == 0 {
		s.err = s.advance()
	}
	if s.err != nil {
		return 0, s.err
	}
	n := min(limit, s.left)
	if n > 0 {
		s.run.take(b, n, s.w.Reader.Meta().Kinds)
		s.left -= n
		s.done += uint64(n)
	}
	if s.left > 0 {
		return b.Times[n-1], nil
	}
	s.leave(s.slice)
	return s.covered, nil
}

// advance finds the location's part of the next slice; it may be empty.
func (s *eventStream) advance() error {
	r := s.w.Reader
	if s.done == s.want || s.slice == s.last {
		s.leave(r.Root().Slices)
		if s.whole && s.done != s.want {
			return r.LocationFault(format.BlockLocationTotals, "location %d does not have the %d events that are declared", s.id, s.want)
		}
		return io.EOF
	}
	bounds, err := r.Slice(s.slice)
	if err != nil {
		return err
	}
	s.covered = bounds.End - 1
	if s.run, err = s.walk.run(s.slice, s.location); err != nil {
		return err
	}
	s.slice++
	s.left = s.run.within(s.w.From, s.w.To)
	return nil
}

// leave is called when what is before a slice is not needed any longer.
func (s *eventStream) leave(slice uint64) {
	s.run = locationRun{}
	s.walk.move(s.place, slice)
}

// Close implements trace.Stream.
func (s *eventStream) Close() error {
	if s.err == nil {
		s.leave(s.w.Reader.Root().Slices)
		s.err = io.EOF
	}
	return nil
}
