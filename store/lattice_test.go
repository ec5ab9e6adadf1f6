package store_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// coarse is a trace as a clock with ticks of q of its own would have recorded it. Divided, it also counts in these ticks.
type coarse struct {
	trace.Source
	q       int64
	divided bool
}

func (c *coarse) Meta() *trace.Meta {
	m := *c.Source.Meta()
	if c.divided {
		m.Resolution = max(1, m.Resolution/uint64(c.q))
	}
	return &m
}

func (c *coarse) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := c.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents {
		return s, err
	}
	return &coarseStream{s, c}, nil
}

type coarseStream struct {
	trace.Stream
	of *coarse
}

func (s *coarseStream) Next(b *trace.Batch, limit int) error {
	if err := s.Stream.Next(b, limit); err != nil {
		return err
	}
	b.Residuals = b.Residuals[:0]
	for i, t := range b.Times {
		t -= (t%s.of.q + s.of.q) % s.of.q
		if s.of.divided {
			t /= s.of.q
		}
		b.Times[i] = t
	}
	return nil
}

func (c *coarse) size(t *testing.T) int { return len(write(t, c, store.Options{})) }

// Whether a lattice is used is decided by bytes: of a trace with coarse times too, the file is hardly larger than with lattices wherever
// one is found, or without any. Each side is far the larger one somewhere, so that neither would do for all.
func TestLatticesPay(t *testing.T) {
	worse, better := 0, 0
	for name, cases := range map[string][]coarse{
		"otf2.amg.8.piece":   {{q: 500, divided: true}, {q: 2000, divided: true}, {q: 2000}},
		"otf2.ep.S.4.metric": {{q: 20000, divided: true}, {q: 1}},
		"otf2.mg.S.16.skew":  {{q: 1}, {q: 2000}, {q: 2000, divided: true}, {q: 10000, divided: true}},
	} {
		archive, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			c.Source = archive
			chosen, with, without := c.size(t), c.forced(t, true), c.forced(t, false)
			if limit := min(with, without); chosen > limit+limit/100+64 {
				t.Errorf("%s in ticks of %d, divided %v: %d bytes, but %d with lattices and %d without", name, c.q, c.divided, chosen, with, without)
			}
			if with > without+without/20 {
				worse++
			}
			if without > with+with/20 {
				better++
			}
		}
	}
	if worse == 0 || better == 0 {
		t.Errorf("lattices are worse in %d cases and better in %d", worse, better)
	}
}

// The choice depends on the trace alone: any number of goroutines makes the same file.
func TestLatticesOfWorkers(t *testing.T) {
	t.Parallel()
	archive, err := otf2.Open(tracetest.Anchor(t, "otf2.mg.S.16.skew"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt := store.Options{ID: format.FileID{1}, SliceEvents: 2000, LaneLocations: 3, Workers: 1}
	one := write(t, &coarse{archive, 2000, true}, opt)
	if opt.Workers = 4; !bytes.Equal(one, write(t, &coarse{archive, 2000, true}, opt)) {
		t.Error("4 workers write another file than one")
	}
}

func (c *coarse) forced(t *testing.T, used bool) int {
	defer store.ForceLattices(used)()
	return c.size(t)
}
