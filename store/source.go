package store

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Source returns the file as a source, for copying it or converting it into something else.
func (r *Reader) Source() trace.Source { return &readerSource{r} }

type readerSource struct{ r *Reader }

func (s *readerSource) Meta() *trace.Meta { return s.r.meta }

func (s *readerSource) Warnings() []trace.Warning { return nil }

func (s *readerSource) Close() error { return nil }

func (s *readerSource) Definitions(from int) ([]trace.Record, error) {
	d, err := s.r.Definitions()
	if err != nil {
		return nil, err
	}
	return d.Log[min(from, len(d.Log)):], nil
}

func (s *readerSource) Streams() []trace.StreamInfo {
	var streams []trace.StreamInfo
	for _, l := range s.r.info.Locations {
		streams = append(streams, trace.StreamInfo{StreamID: trace.StreamID{Location: l.ID}, Records: l.Events})
	}
	return append(streams, s.r.info.AuxStreams...)
}

func (s *readerSource) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class != trace.StreamEvents {
		return s.openAuxiliary(id)
	}
	i, ok := s.r.byID[id.Location]
	if !ok {
		return nil, fmt.Errorf("%s: no location %d", s.r.name, id.Location)
	}
	return &eventStream{r: s.r, location: i}, nil
}

// eventStream gives the events of one location, slice by slice.
type eventStream struct {
	r        *Reader
	location uint32
	slice    uint64
	batch    *trace.Batch // what is left of the current slice
	at       int
	done     uint64
	err      error
}

// Next implements trace.Stream.
func (s *eventStream) Next(b *trace.Batch, limit int) error {
	info := &s.r.info.Locations[s.location]
	b.Reset(info.ID)
	for s.err == nil && b.Len() < limit {
		if s.batch != nil && s.at < s.batch.Len() {
			n := min(limit-b.Len(), s.batch.Len()-s.at)
			b.AppendRange(s.batch, s.at, s.at+n, s.r.meta.Kinds)
			s.at += n
			s.done += uint64(n)
			continue
		}
		if s.done == info.Events {
			s.err = io.EOF
		} else {
			s.err = s.advance()
		}
	}
	if b.Len() > 0 {
		return nil
	}
	return s.err
}

// Close implements trace.Stream.
func (s *eventStream) Close() error { return nil }

// advance finds the location's part of the next slice; it may be empty.
func (s *eventStream) advance() error {
	s.batch, s.at = nil, 0
	if s.slice >= s.r.root.Slices {
		return format.At(format.Corruptf("totals block", -1, "location %d has fewer events than declared", s.r.info.Locations[s.location].ID), s.r.name, -1)
	}
	var err error
	s.batch, err = s.r.run(s.slice, s.location)
	s.slice++
	return err
}

// indexAuxiliary notes which blocks hold records of which auxiliary stream.
func (r *Reader) indexAuxiliary() (map[trace.StreamID][]format.Ref, error) {
	refs := map[trace.StreamID][]format.Ref{}
	for _, e := range r.root.Entries {
		if e.Kind != format.BlockAuxiliary {
			continue
		}
		err := r.readAuxiliary(e.Ref, func(id trace.StreamID, _ *trace.Batch) error {
			if n := len(refs[id]); n == 0 || refs[id][n-1] != e.Ref {
				refs[id] = append(refs[id], e.Ref)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return refs, nil
}

func (r *Reader) readAuxiliary(ref format.Ref, visit func(trace.StreamID, *trace.Batch) error) error {
	b, err := r.block(format.BlockAuxiliary, ref)
	if err != nil {
		return err
	}
	return format.At(encode.ReadBatches(b, r.meta.Kinds, visit), r.name, int64(ref.Offset))
}

func (s *readerSource) openAuxiliary(id trace.StreamID) (trace.Stream, error) {
	refs, err := s.r.auxiliary.get(s.r.indexAuxiliary)
	if err != nil {
		return nil, err
	}
	return &auxiliaryStream{r: s.r, id: id, refs: refs[id]}, nil
}

// auxiliaryStream gives the records of one auxiliary stream, block by block.
type auxiliaryStream struct {
	r     *Reader
	id    trace.StreamID
	refs  []format.Ref
	batch trace.Batch // what is left of the current block, from at on
	at    int
	err   error
}

// Next implements trace.Stream.
func (s *auxiliaryStream) Next(b *trace.Batch, limit int) error {
	b.Reset(s.id.Location)
	for s.err == nil && s.at == s.batch.Len() {
		s.err = s.advance()
	}
	if s.err != nil {
		return s.err
	}
	n := min(limit, s.batch.Len()-s.at)
	b.AppendRange(&s.batch, s.at, s.at+n, s.r.meta.Kinds)
	s.at += n
	return nil
}

// Close implements trace.Stream.
func (s *auxiliaryStream) Close() error { return nil }

func (s *auxiliaryStream) advance() error {
	if len(s.refs) == 0 {
		return io.EOF
	}
	s.batch.Reset(s.id.Location)
	s.at = 0
	ref := s.refs[0]
	s.refs = s.refs[1:]
	return s.r.readAuxiliary(ref, func(id trace.StreamID, b *trace.Batch) error {
		if id == s.id {
			s.batch.AppendRange(b, 0, b.Len(), s.r.meta.Kinds)
		}
		return nil
	})
}
