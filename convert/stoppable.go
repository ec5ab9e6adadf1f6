package convert

import (
	"context"

	"github.com/pandotrace/pando/trace"
)

// stoppable is a source whose streams end with the context.
type stoppable struct {
	trace.Source
	ctx context.Context
}

// DefinitionsPart implements trace.PartialDefiner.
func (s stoppable) DefinitionsPart(from, max int) ([]trace.Record, error) {
	return trace.DefinitionsPart(s.Source, from, max)
}

// Open implements trace.Source.
func (s stoppable) Open(id trace.StreamID) (trace.Stream, error) {
	stream, err := s.Source.Open(id)
	if err != nil {
		return nil, err
	}
	return stoppableStream{stream, s.ctx}, nil
}

type stoppableStream struct {
	trace.Stream
	ctx context.Context
}

// Next implements trace.Stream.
func (s stoppableStream) Next(b *trace.Batch, limit int) error {
	if err := s.ctx.Err(); err != nil {
		b.Reset(b.Location)
		return err
	}
	return s.Stream.Next(b, limit)
}

// Step implements trace.Stepper.
func (s stoppableStream) Step(b *trace.Batch, limit int) (covered int64, err error) {
	if err := s.ctx.Err(); err != nil {
		b.Reset(b.Location)
		return 0, err
	}
	return trace.Step(s.Stream, b, limit)
}
