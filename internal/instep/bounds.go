package instep

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/pandotrace/pando/trace"
)

// FirstEvent returns the time of a trace's first event, 0 without events. It reads one event of each location.
func FirstEvent(ctx context.Context, src trace.Source) (first int64, err error) {
	first = math.MaxInt64
	for _, s := range src.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at, ok, err := FirstOf(src, s.StreamID)
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

// FirstOf returns the time of the first event of a stream; ok is false without events.
func FirstOf(src trace.Source, id trace.StreamID) (at int64, ok bool, err error) {
	s, err := src.Open(id)
	if err != nil {
		return 0, false, err
	}
	defer s.Close()
	var b trace.Batch
	switch err := s.Next(&b, 1); {
	case errors.Is(err, io.EOF):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return b.Times[0], true, nil
}

// LastEvent returns the time of a trace's last event, 0 without events. It reads all events.
func LastEvent(ctx context.Context, src trace.Source) (last int64, err error) {
	last = math.MinInt64
	for _, g := range Groups(src.Streams()) {
		if err := lastOf(ctx, src, g, &last); err != nil {
			return 0, err
		}
	}
	if last == math.MinInt64 {
		last = 0
	}
	return last, nil
}

// lastOf raises last to the time of the latest event of a group of streams, which it reads in step.
func lastOf(ctx context.Context, src trace.Source, group []trace.StreamInfo, last *int64) (err error) {
	var streams []trace.Stream
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
	var b trace.Batch
	limit := BatchSize(len(group))
	return Run(1, streams, func(s trace.Stream) (covered int64, err error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		covered, err = trace.Step(s, &b, limit)
		if n := b.Len(); err == nil && n > 0 {
			*last = max(*last, b.Times[n-1])
		}
		return covered, err
	})
}
