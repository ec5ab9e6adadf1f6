package slog2

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// inMemory opens a file that is not on the disk.
func inMemory(data []byte, opt Options) (*Archive, error) {
	in := &input{path: "memory", size: int64(len(data)), read: func(p []byte, at int64) error {
		if at > int64(len(data)) || copy(p, data[at:]) < len(p) {
			return io.EOF
		}
		return nil
	}}
	return open(in, opt)
}

// drain reads all streams to their ends, step by step, and holds them to what streams promise.
func drain(a *Archive, max int) (events int, err error) {
	for _, id := range a.Streams() {
		s, err := a.Open(id.StreamID)
		if err != nil {
			return events, err
		}
		n, err := drainStream(s, max)
		if err != nil {
			return events, err
		}
		if id.Class == trace.StreamEvents {
			events += n
		}
		if uint64(n) != id.Records {
			return events, fmt.Errorf("stream %v has %d records, not %d", id.StreamID, n, id.Records)
		}
	}
	return events, nil
}

func drainStream(s trace.Stream, max int) (n int, err error) {
	defer s.Close()
	var b trace.Batch
	before, covered := int64(math.MinInt64), int64(math.MinInt64)
	for {
		c, err := trace.Step(s, &b, max)
		if err == io.EOF {
			return n, nil
		}
		if err == nil {
			err = b.Check(trace.Standard)
		}
		if err != nil {
			return n, err
		}
		for _, t := range b.Times {
			if t < before || t < covered {
				return n, fmt.Errorf("time %d after %d, with all before %d covered", t, before, covered)
			}
			before = t
		}
		if b.Len() > max {
			return n, fmt.Errorf("%d records, not %d", b.Len(), max)
		}
		n, covered = n+b.Len(), c
	}
}

// classed reports whether an error has a class.
func classed(err error) bool {
	var e *trace.SourceError
	return errors.As(err, &e) && (errors.Is(err, trace.ErrCorrupt) || errors.Is(err, trace.ErrUnsupported))
}

// asShown is what a trace shows of a drawable: nothing if it has no vertex, its first and last vertex, states the right way
// round.
func (f *plainFile) asShown() (list []plain) {
	for _, p := range f.drawables {
		if p.vertices == 0 {
			continue
		}
		p.vertices = min(p.vertices, 2)
		if p.vertices == 2 && p.lines[0] == p.lines[1] && p.times[1] < p.times[0] && f.categories[p.category].topology != 2 {
			p.times[0], p.times[1] = p.times[1], p.times[0]
		}
		list = append(list, p)
	}
	return list
}

// Whatever the drawables are, and whatever the tree, the trace has them all.
func TestRandomFiles(t *testing.T) {
	intervals, numbered, arrows, levels := 0, 0, 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := randomFile(r, seed%3 == 0)
		data := f.write(2+r.IntN(3), 100+r.IntN(3000))
		if back := decodePlain(data); len(back.drawables) != len(f.drawables) {
			t.Fatalf("seed %d: the file has %d drawables, not %d", seed, len(back.drawables), len(f.drawables))
		}
		a, err := inMemory(data, Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := drain(a, 1+r.IntN(50)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, want := shown(t, stored(t, a)), f.asShown()
		if more, less := difference(got, want); len(more)+len(less) > 0 {
			t.Fatalf("seed %d: %d drawables of %d, %d too many, %d missing; for example\n%+v\n%+v", seed, len(got), len(want), len(more), len(less), more[:min(len(more), 3)], less[:min(len(less), 3)])
		}
		for _, c := range a.categories {
			if c.crosses {
				intervals++
			}
			if c.numbered {
				numbered++
			}
		}
		arrows += len(a.overtaking)
		levels = max(levels, len(a.levels))
		for _, w := range a.Warnings() {
			if w.Kind == "drawable out of order" {
				t.Errorf("seed %d: %+v", seed, w)
			}
		}
	}
	if intervals == 0 || numbered == 0 || arrows == 0 || levels < 4 {
		t.Errorf("%d intervals, %d numbered states, %d overtaking arrows, %d levels", intervals, numbered, arrows, levels)
	}
}
