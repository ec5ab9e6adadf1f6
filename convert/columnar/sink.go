package columnar

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// A batch is full when it has this many rows, or one of its columns this many bytes of text.
const (
	batchRows = 16 << 10
	batchText = 16 << 20
)

// sink collects the rows of a table in batches, which an encoder writes while the next one is being filled.
type sink struct {
	ctx        context.Context
	batch      *batch // being filled
	full, free chan *batch
}

// rowsTo gives all rows of a table to an encoder and returns their number.
func (e *exporter) rowsTo(out encoder, s *source) (rows int64, err error) {
	g, ctx := errgroup.WithContext(e.ctx)
	k := &sink{ctx: ctx, batch: newBatch(len(s.Columns)), full: make(chan *batch), free: make(chan *batch, 2)} // room for both batches
	k.free <- newBatch(len(s.Columns))
	g.Go(func() error {
		for b := range k.full {
			if err := out.write(b); err != nil {
				return err
			}
			rows += int64(b.rows)
			e.written(b.rows)
			b.reset()
			k.free <- b
		}
		return nil
	})
	g.Go(func() error {
		defer close(k.full)
		return s.export(e.catalog, e.window, k)
	})
	err = g.Wait()
	return rows, err
}

// written tells how far the export is.
func (e *exporter) written(rows int) {
	e.rows += int64(rows)
	if e.options.Progress != nil {
		e.options.Progress(e.rows)
	}
}

// next ends a row.
func (s *sink) next() error {
	s.batch.rows++
	if s.batch.rows < batchRows && !s.batch.fullOfText() {
		return nil
	}
	return s.flush()
}

// flush hands over the rows collected and waits for an empty batch.
func (s *sink) flush() error {
	if s.batch.rows > 0 {
		select {
		case s.full <- s.batch:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
		select {
		case s.batch = <-s.free:
		case <-s.ctx.Done():
		}
	}
	return s.ctx.Err()
}
