package scale

import (
	"errors"
	"fmt"
	"io"

	"github.com/pandotrace/pando/trace"
)

// Base is a trace in memory, prepared for being played again and again.
type Base struct {
	meta        *trace.Meta
	definitions *trace.Definitions
	ids         ids
	locations   []*location
	clock       clock
	last        int64 // tick of the last event of all
	length      int64 // what the body takes, in ticks
	laws        []law
}

// location is a location of the base.
type location struct {
	id uint64
	// events are all that the location has. Their times are ticks of the base's clock.
	events trace.Batch
	// from and to are the first event of the body and the first one after it.
	from, to int
	// laws are, for each event, the number of the law by which its distance from the event before is drawn.
	laws []uint32
	// spans divide the events; bodySpan is the first one of the body.
	spans    []span
	bodySpan int
	// patches are in the order of their events; bodyPatch is the first one of the body or after it.
	patches   []patch
	bodyPatch int
}

// Record reads a trace to be played. Its events stay in memory, the source is needed no longer.
func Record(src trace.Source) (*Base, error) {
	b := &Base{meta: src.Meta()}
	if err := b.read(src); err != nil {
		return nil, err
	}
	if err := b.settleClock(); err != nil {
		return nil, err
	}
	messages := b.match()
	if err := b.findBody(messages); err != nil {
		return nil, err
	}
	longFrom := b.longFrom()
	b.fitLaws(longFrom)
	b.divide(messages, longFrom)
	b.findIDs()
	b.findPatches()
	return b, nil
}

// Parts are the numbers of events that a base has before its body, in it, and after it. The body is what is repeated; if
// there is nothing else, the program is started anew with each repetition.
type Parts struct{ Head, Body, Tail uint64 }

// Parts returns the sizes of the base's parts.
func (b *Base) Parts() (p Parts) {
	for _, l := range b.locations {
		p.Head += uint64(l.from)
		p.Body += uint64(l.to - l.from)
		p.Tail += uint64(l.events.Len() - l.to)
	}
	return p
}

// Processes returns the number of processes that have locations.
func (b *Base) Processes() int {
	all := map[process]bool{}
	for i := range b.locations {
		all[b.process(i)] = true
	}
	return len(all)
}

func (b *Base) read(src trace.Source) error {
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		l := &location{id: info.Location}
		if err := l.read(src, info.StreamID); err != nil {
			return fmt.Errorf("location %d: %w", l.id, err)
		}
		b.locations = append(b.locations, l)
	}
	log, err := src.Definitions(0) // now that also late ones are known
	b.definitions = trace.NewDefinitions(log)
	return err
}

func (l *location) read(src trace.Source, id trace.StreamID) error {
	s, err := src.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	l.events.Reset(l.id)
	for batch := new(trace.Batch); ; {
		if err := s.Next(batch, 4096); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		batch.Residuals = batch.Residuals[:0] // they belong to the times, which will be others
		l.events.AppendRange(batch, 0, batch.Len(), src.Meta().Table())
	}
}
