// Package tracegen makes traces for tests: by hand, at random, in the likeness of a real program, and at the edge of what can be.
package tracegen

import (
	"fmt"
	"io"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// Trace is a trace in memory, built record by record. It implements [trace.Source]; while it is read, it must not change.
type Trace struct {
	meta    trace.Meta
	log     []trace.Record
	late    []trace.Record
	streams []*stream
	strings map[string]uint64
	ids     map[trace.Space]uint64 // the next id to give out

	mu     sync.Mutex
	unread int // event streams that were not read to their ends yet
}

type stream struct {
	id     trace.StreamID
	batch  trace.Batch
	isRead bool // guarded by the trace's mutex
}

var _ trace.Source = (*Trace)(nil)

// New returns an empty trace.
func New(meta trace.Meta) *Trace {
	return &Trace{meta: meta, strings: map[string]uint64{}, ids: map[trace.Space]uint64{}}
}

// Events returns the batch that holds all events of a location, to be appended to.
func (t *Trace) Events(location uint64) *trace.Batch {
	return t.Stream(trace.StreamID{Class: trace.StreamEvents, Location: location})
}

// Stream returns the batch that holds all records of a stream, to be appended to.
func (t *Trace) Stream(id trace.StreamID) *trace.Batch {
	for _, s := range t.streams {
		if s.id == id {
			return &s.batch
		}
	}
	s := &stream{id: id}
	s.batch.Reset(id.Location)
	t.streams = append(t.streams, s)
	if id.Class == trace.StreamEvents {
		t.unread++
	}
	return &s.batch
}

// Check reports the first thing that breaks the rules of batches and event streams.
func (t *Trace) Check() error {
	for _, s := range t.streams {
		if err := s.batch.Check(t.meta.Table()); err != nil {
			return err
		}
		if s.id.Class != trace.StreamEvents {
			continue
		}
		for i := 1; i < s.batch.Len(); i++ {
			if s.batch.Times[i] < s.batch.Times[i-1] {
				return fmt.Errorf("location %d, event %d: time runs backwards", s.id.Location, i)
			}
		}
	}
	return nil
}

// Meta implements [trace.Source].
func (t *Trace) Meta() *trace.Meta { return &t.meta }

// Definitions implements [trace.Source]. Late definitions are known when all event streams were read.
func (t *Trace) Definitions(from int) ([]trace.Record, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	log := t.log
	if t.unread == 0 {
		log = append(log[:len(log):len(log)], t.late...)
	}
	return log[min(from, len(log)):], nil
}

// Streams implements [trace.Source].
func (t *Trace) Streams() []trace.StreamInfo {
	var all []trace.StreamInfo
	for _, s := range t.streams {
		all = append(all, trace.StreamInfo{StreamID: s.id, Records: uint64(s.batch.Len())})
	}
	return all
}

// Open implements [trace.Source].
func (t *Trace) Open(id trace.StreamID) (trace.Stream, error) {
	for _, s := range t.streams {
		if s.id == id {
			return &cursor{trace: t, stream: s}, nil
		}
	}
	return nil, fmt.Errorf("no stream of class %d for %d", id.Class, id.Location)
}

// Warnings implements [trace.Source].
func (t *Trace) Warnings() []trace.Warning { return nil }

// Close implements [trace.Source].
func (t *Trace) Close() error { return nil }

// cursor reads a stream.
type cursor struct {
	trace  *Trace
	stream *stream
	at     int
}

func (c *cursor) Next(b *trace.Batch, most int) error {
	b.Reset(c.stream.id.Location)
	all := &c.stream.batch
	if c.at == all.Len() {
		c.trace.wasRead(c.stream)
		return io.EOF
	}
	for end := min(all.Len(), c.at+most); c.at < end; c.at++ {
		b.AppendFrom(all, c.at, c.trace.meta.Table())
	}
	return nil
}

func (c *cursor) Close() error { return nil }

func (t *Trace) wasRead(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.id.Class == trace.StreamEvents && !s.isRead {
		s.isRead = true
		t.unread--
	}
}
