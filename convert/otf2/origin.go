package otf2

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Time stamps of archives are unsigned. Of a trace that begins before tick 0 of its source's time all times are moved: by as much as
// makes the earliest one 0. A property of the archive tells by how much, so that the trace comes back with its own times. Definitions
// that give times move along: clock properties and clock offsets.

// originProperty names the property. Its value is "TICKS OFFSET": how far times are moved, and the global offset of the first clock
// properties as it was, 0 if there are none.
const originProperty = "PANDO::ORIGIN"

// origin is how far the times of an archive are moved, in ticks, and the global offset of the first clock properties before.
type origin struct{ moved, offset uint64 }

func (o origin) property() trace.Property {
	return trace.Property{Name: originProperty, Value: fmt.Sprintf("%d %d", o.moved, o.offset)}
}

// takeOrigin takes the origin out of the properties of an archive. What cannot be one stays.
func (a *anchor) takeOrigin() (o origin) {
	at := slices.IndexFunc(a.properties, func(p trace.Property) bool { return p.Name == originProperty })
	if at < 0 {
		return origin{}
	}
	n, err := fmt.Sscanf(a.properties[at].Value, "%d %d", &o.moved, &o.offset)
	if n != 2 || err != nil || o.moved == 0 || o.moved > maxSpan || o.property() != a.properties[at] {
		return origin{}
	}
	a.properties = slices.Delete(slices.Clone(a.properties), at, at+1)
	return o
}

// restore gives the definitions of an archive the times that they had.
func (o origin) restore(defs []trace.Record) {
	first := true
	for i := range defs {
		if defs[i].Kind != trace.KindClockProperties || o.moved == 0 {
			continue
		}
		if defs[i].Words[1] -= o.moved; first {
			defs[i].Words[1] = o.offset
		}
		first = false
	}
}

// errEarly says that a time is before tick 0 of the source's time.
var errEarly = errors.New("otf2: a time before tick 0")

// checkEarly returns errEarly if a time, relative to the epoch, needs an origin of its own. Times that a clock corrected go back to those
// of the source, which has none such.
func (o *output) checkEarly(t int64) error {
	if o.grammar.timed && o.clock == nil && t < 0 && uint64(-t) > o.epoch {
		return errEarly
	}
	return nil
}

// write writes the archive, with times of its own if that turns out to be necessary.
func (w *archiveWriter) write() error {
	err := w.attempt(nil)
	if !errors.Is(err, errEarly) {
		return err
	}
	t, err := earliest(w.src)
	if err == nil {
		err = w.discard()
	}
	if err != nil {
		return err
	}
	m := &moved{Source: w.src, by: uint64(-t) - w.src.Meta().Epoch, clock: -1}
	*w = archiveWriter{ctx: w.ctx, src: m, stem: w.stem, opt: w.opt}
	return w.attempt(m)
}

// discard removes what an attempt has written.
func (w *archiveWriter) discard() error {
	entries, err := os.ReadDir(filepath.Dir(w.stem))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(w.stem)+".") {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(w.stem), e.Name())))
		}
	}
	return errors.Join(err, os.RemoveAll(w.stem))
}

// earliest returns the earliest time of events and snapshots, which are in order.
func earliest(src trace.Source) (int64, error) {
	least := int64(0)
	var b trace.Batch
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents && info.Class != trace.StreamSnapshots {
			continue
		}
		s, err := src.Open(info.StreamID)
		if err != nil {
			return 0, err
		}
		err = s.Next(&b, 1)
		if s.Close(); err != nil && err != io.EOF {
			return 0, err
		}
		if b.Len() > 0 {
			least = min(least, b.Times[0])
		}
	}
	return least, nil
}

// moved is a trace all of whose times are later, so that none is negative. Times relative to the epoch stay.
type moved struct {
	trace.Source
	by     uint64 // ticks
	clock  int    // the first clock properties' place among the definitions, -1 as long as there are none
	offset uint64 // their global offset before
}

func (m *moved) origin() origin { return origin{m.by, m.offset} }

func (m *moved) Meta() *trace.Meta {
	meta := *m.Source.Meta()
	meta.Epoch += m.by
	return &meta
}

// Definitions moves clock properties. The global offset is the earliest time by convention, which is 0 now; where the wall-clock time of it is
// known, it has to stay the same instant.
func (m *moved) Definitions(from int) ([]trace.Record, error) {
	defs, err := m.Source.Definitions(from)
	defs = slices.Clone(defs)
	for i := range defs {
		d := &defs[i]
		if d.Kind != trace.KindClockProperties {
			continue
		}
		if m.clock < 0 {
			m.clock, m.offset = from+i, d.Words[1]
		}
		d.Words = slices.Clone(d.Words)
		if d.Words[1] += m.by; m.clock == from+i && d.Words[3] == trace.Undefined {
			d.Words[1] = 0
		}
	}
	return defs, err
}

func (m *moved) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := m.Source.Open(id)
	return movedOffsets(s, id, m.by), err
}

// movedOffsets moves the clock offsets among local definitions.
func movedOffsets(s trace.Stream, id trace.StreamID, by uint64) trace.Stream {
	if s == nil || by == 0 || id.Class != trace.StreamLocalDefinitions {
		return s
	}
	return &movedStream{s, by}
}

type movedStream struct {
	trace.Stream
	by uint64
}

func (s *movedStream) Next(b *trace.Batch, limit int) error {
	err := s.Stream.Next(b, limit)
	b.Words = slices.Clone(b.Words) // they may belong to the source
	for i, k := range b.Kinds {
		if k == trace.KindClockOffset {
			b.Fields(i)[0] += s.by
		}
	}
	return err
}
