package mpe

import (
	"io"
	"math"

	"github.com/pandotrace/pando/trace"
)

// ClockStream gives the local definitions of a location: the segments of its clock.
type ClockStream struct {
	location uint64
	segments []SecondsSegment
}

// NewClockStream returns the stream of a location.
func NewClockStream(location uint64, clock *SecondsClock) *ClockStream {
	return &ClockStream{location, clock.Segments()}
}

// Next implements trace.Stream.
func (s *ClockStream) Next(b *trace.Batch, max int) error {
	b.Reset(s.location)
	for len(s.segments) > 0 && b.Len() < max {
		c := &s.segments[0]
		b.Append(trace.KindSecondsClock, 0, uint64(c.From), math.Float64bits(c.Origin), uint64(c.Grid), c.Phase)
		s.segments = s.segments[1:]
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// Close ends the stream.
func (s *ClockStream) Close() error {
	s.segments = nil
	return nil
}

// Slack returns how many ticks a tick may be off its time, at most: more than one where the clock's grid is coarse.
func Slack(clock *SecondsClock, resolution int64) int64 {
	slack := int64(2)
	for _, s := range clock.Segments() {
		slack = max(slack, 2+resolution>>s.Grid)
	}
	return slack
}

var _ trace.Stream = (*ClockStream)(nil)
