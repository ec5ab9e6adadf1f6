// Package model is a trace held in plain slices, with the naive answer to every question that can be asked of it. It is
// written to be obviously right, not fast: tests compare the engine with it, so it shares nothing with the engine but
// the types of package trace.
package model

import (
	"errors"
	"fmt"
	"io"

	"github.com/pandotrace/pando/trace"
)

// Trace is a whole trace in memory.
type Trace struct {
	Meta        *trace.Meta
	Definitions *trace.Definitions
	// Locations are in the order that merging uses: defined ones in the order of their definitions, then those that
	// only have a stream, as the source lists them.
	Locations []Location
	// Auxiliary are all streams that are not a location's events, as the source lists them.
	Auxiliary []Stream

	messages map[uint64]string // names of regions that stand for messages
}

// Location is a location with all its events.
type Location struct {
	ID     uint64
	Events []Record
}

// Stream is an auxiliary stream with all its records.
type Stream struct {
	ID      trace.StreamID
	Records []Record
}

// Record is one record, independent of the batch it came in: comparing two of them compares all there is.
type Record struct {
	Kind trace.Kind
	Time int64
	// Words are the record's words; those of text and byte fields are 0 and stand in Texts instead.
	Words    []uint64
	Texts    []string
	Attrs    []trace.Attr
	Residual int64
}

// Load reads a whole source. It reads definitions last, when late ones are known, too.
func Load(src trace.Source) (*Trace, error) {
	t := &Trace{Meta: src.Meta()}
	var streams []Stream
	for _, info := range src.Streams() {
		records, err := readStream(src, info.StreamID)
		if err != nil {
			return nil, fmt.Errorf("stream %d of %d: %w", info.Class, info.Location, err)
		}
		streams = append(streams, Stream{info.StreamID, records})
	}
	log, err := src.Definitions(0)
	if err != nil {
		return nil, fmt.Errorf("definitions: %w", err)
	}
	t.Definitions = trace.NewDefinitions(log)
	t.place(streams)
	return t, nil
}

func readStream(src trace.Source, id trace.StreamID) ([]Record, error) {
	s, err := src.Open(id)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var records []Record
	var b trace.Batch
	for {
		err := s.Next(&b, 1000)
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Len() {
			records = append(records, RecordOf(&b, i, src.Meta().Table()))
		}
	}
}

// place puts event streams into the order of the definitions and the others aside.
func (t *Trace) place(streams []Stream) {
	events := map[uint64][]Record{}
	for _, s := range streams {
		if s.ID.Class == trace.StreamEvents {
			events[s.ID.Location] = s.Records
		} else {
			t.Auxiliary = append(t.Auxiliary, s)
		}
	}
	for _, l := range t.Definitions.Locations {
		t.Locations = append(t.Locations, Location{l.ID, events[l.ID]})
	}
	for _, s := range streams {
		if _, defined := t.Definitions.LocationIndex(s.ID.Location); s.ID.Class == trace.StreamEvents && !defined {
			t.Locations = append(t.Locations, Location{s.ID.Location, s.Records})
		}
	}
}

// Location returns a location by its id, nil if there is none.
func (t *Trace) Location(id uint64) *Location {
	for i := range t.Locations {
		if t.Locations[i].ID == id {
			return &t.Locations[i]
		}
	}
	return nil
}

// RecordOf copies record i out of a batch.
func RecordOf(b *trace.Batch, i int, table *trace.Table) Record {
	r := Record{Kind: b.Kinds[i], Time: b.Times[i], Residual: b.Residual(i)}
	r.Attrs = append(r.Attrs, b.AttrsOf(i)...)
	r.fill(table, b.Fields(i), func(word uint64) string { return string(b.TextOf(word)) })
	return r
}

// DefinitionOf copies a definition.
func DefinitionOf(d *trace.Record, table *trace.Table) Record {
	r := Record{Kind: d.Kind}
	r.fill(table, d.Words, d.TextOf)
	return r
}

// fill copies words. Text words are positions in the batch, so their bytes are copied to Texts.
func (r *Record) fill(table *trace.Table, words []uint64, textOf func(word uint64) string) {
	r.Words = append(r.Words, words...)
	table.Spec(r.Kind).Walk(words, func(i int, f *trace.Field, word uint64) {
		if f.Type.InText() {
			r.Words[i] = 0
			r.Texts = append(r.Texts, textOf(word))
		}
	})
}
