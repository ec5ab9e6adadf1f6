package main

import (
	"math/rand/v2"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// redrawn opens a trace with other times: each time between two events of a location is multiplied by a random factor of 0.5 to 1.5.
func redrawn(open func(*order) (trace.Source, error), seed uint64) func(*order) (trace.Source, error) {
	return func(o *order) (trace.Source, error) {
		src, err := open(o)
		return &redrawing{src, seed}, err
	}
}

type redrawing struct {
	trace.Source
	seed uint64
}

func (r *redrawing) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := r.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents {
		return s, err
	}
	return &redrawnStream{Stream: s, random: rand.New(rand.NewPCG(r.seed, id.Location))}, nil
}

type redrawnStream struct {
	trace.Stream
	random    *rand.Rand
	old, last int64
	begun     bool
}

// Next implements trace.Stream.
func (s *redrawnStream) Next(b *trace.Batch, max int) error {
	err := s.Stream.Next(b, max)
	for i, t := range b.Times {
		if !s.begun {
			s.begun, s.old, s.last = true, t, t
		}
		s.last += int64(float64(t-s.old) * (0.5 + s.random.Float64()))
		s.old = t
		b.Times[i] = s.last
	}
	return err
}

// adaptiveRun opens a run of a program that refines by recursion: 500 steps on one process, whose recursions are drawn for each step. In the
// second run, one step in twenty has another one.
func adaptiveRun(run uint64) func(*order) (trace.Source, error) {
	return func(*order) (trace.Source, error) {
		t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
		program := newAdaptive(t)
		choice := rand.New(rand.NewPCG(7, 7))
		for step := range uint64(500) {
			seed := step
			if choice.IntN(20) == 0 {
				seed = 1000*run + step
			}
			program.step(rand.New(rand.NewPCG(seed, 1)))
		}
		program.leave(program.main)
		return t, nil
	}
}

// adaptive is a program that refines a mesh.
type adaptive struct {
	batch                                             *trace.Batch
	now                                               int64
	main, adapt, refine, estimate, split, solve, wait uint64
}

func newAdaptive(t *tracegen.Trace) *adaptive {
	p := &adaptive{main: t.Region("main"), adapt: t.Region("adapt"), refine: t.Region("refine"), estimate: t.Region("estimate"), split: t.Region("split"), solve: t.Region("solve"), wait: t.Region("MPI_Waitall")}
	p.batch = t.Location(0, t.Process("process"))
	p.enter(p.main)
	return p
}

func (p *adaptive) enter(region uint64) {
	p.now += 100
	p.batch.Append(trace.KindEnter, p.now, region)
}

func (p *adaptive) leave(region uint64) {
	p.now += 100
	p.batch.Append(trace.KindLeave, p.now, region)
}

func (p *adaptive) call(region uint64) {
	p.enter(region)
	p.leave(region)
}

// step refines until some cells have come about, and solves.
func (p *adaptive) step(random *rand.Rand) {
	p.enter(p.adapt)
	for cells := 0; cells < 600; {
		cells += p.refineCell(random, 0)
	}
	p.leave(p.adapt)
	for range 3 + random.IntN(3) {
		p.call(p.solve)
		p.call(p.wait)
	}
}

func (p *adaptive) refineCell(random *rand.Rand, depth int) int {
	p.enter(p.refine)
	defer p.leave(p.refine)
	p.call(p.estimate)
	if depth == 8 || random.IntN(10) < 4 {
		return 1
	}
	p.call(p.split)
	return 1 + p.refineCell(random, depth+1) + p.refineCell(random, depth+1)
}
