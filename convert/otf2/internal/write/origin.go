package write

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// errEarly says that a time is before tick 0 of the source's time.
var errEarly = errors.New("otf2: a time before tick 0")

// checkEarly returns errEarly if a time, relative to the epoch, needs an origin of its own. Times that a clock corrected go back to those
// of the source, which has none such.
func (o *Output) checkEarly(t int64) error {
	if o.Grammar.Timed && o.Clock == nil && t < 0 && uint64(-t) > o.Epoch {
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

func (m *moved) origin() form.Origin { return form.Origin{Moved: m.by, Offset: m.offset} }

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
	return form.MovedOffsets(s, id, m.by), err
}
