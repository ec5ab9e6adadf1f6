package store_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// hesitating is a source whose streams often come back without a record, only telling how far they have come.
type hesitating struct {
	trace.Source
	seed   uint64
	steps  atomic.Int64 // how often they did so
	longer atomic.Int64 // how often they told more than the batch did
}

func (h *hesitating) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := h.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents {
		return s, err
	}
	return &hesitatingStream{Stream: s, of: h, rand: rand.New(rand.NewPCG(h.seed, id.Location))}, nil
}

type hesitatingStream struct {
	trace.Stream
	of   *hesitating
	rand *rand.Rand
	held *trace.Batch // was read, but not yet given
	end  bool
}

// Step implements trace.Stepper. The stream reads a batch ahead, so that it knows when the next record comes.
func (s *hesitatingStream) Step(b *trace.Batch, max int) (covered int64, err error) {
	if s.held == nil {
		if err := s.read(max); err != nil {
			return 0, err
		}
	}
	if s.end {
		return 0, io.EOF
	}
	if s.rand.IntN(3) == 0 { // nothing up to the next record, or to some time before it
		s.of.steps.Add(1)
		b.Reset(s.held.Location)
		return s.held.Times[0] - int64(s.rand.IntN(2)*s.rand.IntN(1000)), nil
	}
	given := s.held
	b.Reset(given.Location)
	b.AppendRange(given, 0, given.Len(), s.of.Meta().Table())
	if err := s.read(max); err != nil {
		return 0, err
	}
	covered = given.Times[given.Len()-1]
	if !s.end && s.rand.IntN(2) == 0 {
		s.of.longer.Add(1)
		covered = s.held.Times[0]
	}
	return covered, nil
}

func (s *hesitatingStream) read(max int) error {
	s.held = &trace.Batch{}
	err := s.Next(s.held, 1+s.rand.IntN(min(max, 40)))
	if err == io.EOF {
		s.end = true
		return nil
	}
	return err
}

// However little the streams of a source read at a time, the file is the same.
func TestStepping(t *testing.T) {
	knobs := tracegen.Knobs{Processes: 4, Threads: 2, Length: 300, Regions: 5, Messages: 50, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1}
	for seed := range uint64(8) {
		plain := fileOf(t, tracegen.Random(seed, knobs))
		h := &hesitating{Source: tracegen.Random(seed, knobs), seed: seed}
		if !bytes.Equal(fileOf(t, h), plain) {
			t.Errorf("seed %d: the file depends on how streams step", seed)
		}
		if h.steps.Load() == 0 || h.longer.Load() == 0 {
			t.Errorf("seed %d: %d empty steps, %d that tell more", seed, h.steps.Load(), h.longer.Load())
		}
	}
}

func fileOf(t *testing.T, src trace.Source) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), store.Options{SliceEvents: 200, ID: format.FileID{1}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Copy(t.Context(), w, src, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
