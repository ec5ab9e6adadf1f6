package trace

import (
	"errors"
	"io"
	"math"
)

// FirstEvent returns the time of a trace's first event, 0 without events. It reads the begin of each location.
func FirstEvent(src Source) (first int64, err error) {
	first = math.MaxInt64
	for _, s := range src.Streams() {
		if s.Class != StreamEvents {
			continue
		}
		at, ok, err := firstOf(src, s.StreamID)
		if err != nil {
			return 0, err
		}
		if ok {
			first = min(first, at)
		}
	}
	if first == math.MaxInt64 {
		first = 0
	}
	return first, nil
}

// firstOf returns the time of the first event of a stream; ok is false without events.
func firstOf(src Source, id StreamID) (at int64, ok bool, err error) {
	s, err := src.Open(id)
	if err != nil {
		return 0, false, err
	}
	defer s.Close()
	var b Batch
	switch err := s.Next(&b, 1); {
	case errors.Is(err, io.EOF):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return b.Times[0], true, nil
}

// LastEvent returns the time of a trace's last event, 0 without events. It reads all of them.
func LastEvent(src Source) (last int64, err error) {
	last = math.MinInt64
	for _, g := range EventGroups(src.Streams()) {
		if err := lastOf(src, g, &last); err != nil {
			return 0, err
		}
	}
	if last == math.MinInt64 {
		last = 0
	}
	return last, nil
}

// lastOf makes last at least the time of the last event of some streams, which it reads in step.
func lastOf(src Source, group []StreamInfo, last *int64) (err error) {
	var streams []Stream
	defer func() {
		for _, s := range streams {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, info := range group {
		s, err := src.Open(info.StreamID)
		if err != nil {
			return err
		}
		streams = append(streams, s)
	}
	var b Batch
	limit := BatchInStep(len(group))
	return InStep(1, streams, func(s Stream) (covered int64, err error) {
		covered, err = Step(s, &b, limit)
		if n := b.Len(); err == nil && n > 0 {
			*last = max(*last, b.Times[n-1])
		}
		return covered, err
	})
}
