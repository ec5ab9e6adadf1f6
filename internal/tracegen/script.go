package tracegen

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/pandotrace/pando/trace"
)

// script is a trace whose locations all do the same: the events of a begin, those of a step again and again, and those of
// an end. It is made while it is read. Only times are drawn; those in the batches mean nothing.
type script struct {
	*Trace           // has the definitions, and no events
	begin, step, end trace.Batch
	locations, steps int
	busy             int  // number of the first locations, which alone have events
	instant          bool // time stands still
	seed             uint64
	world, self      uint64 // communicators
	regions          []uint64
}

// newScript returns a script of n locations, each a process of its own, without events.
func newScript(locations int, seed uint64) *script {
	s := &script{Trace: New(trace.Meta{Resolution: 1_000_000_000}), locations: locations, busy: locations, seed: seed}
	for i := range 20 {
		s.regions = append(s.regions, s.Region(fmt.Sprintf("function %d", i)))
	}
	var all []uint64
	for rank := range uint64(locations) {
		s.Define(trace.KindLocation, rank, s.String("thread"), 1, 0, s.Process(fmt.Sprintf("rank %d", rank)))
		all = append(all, rank)
	}
	s.world, s.self = s.Comm(s.CommLocations(all...)), s.Comm(s.SelfGroup())
	return s
}

// enter and leave add nested calls of any regions, depth of them, to a part of the script.
func (s *script) enter(part *trace.Batch, depth int) {
	for i := range depth {
		part.Append(trace.KindEnter, 0, s.regions[i%len(s.regions)])
	}
}

func (s *script) leave(part *trace.Batch, depth int) {
	for i := range depth {
		part.Append(trace.KindLeave, 0, s.regions[(depth-1-i)%len(s.regions)])
	}
}

// last sets the number of steps, at least one, for a total of about the given number of events.
func (s *script) last(events uint64) {
	each := int(events / uint64(s.busy))
	s.steps = max(1, (each-s.begin.Len()-s.end.Len())/s.step.Len())
}

// events returns the number of events of a location.
func (s *script) events(location uint64) uint64 {
	if location >= uint64(s.busy) {
		return 0
	}
	return uint64(s.begin.Len() + s.steps*s.step.Len() + s.end.Len())
}

// Streams implements [trace.Source]. It knows the numbers of records.
func (s *script) Streams() []trace.StreamInfo {
	var all []trace.StreamInfo
	for id := range uint64(s.locations) {
		all = append(all, trace.StreamInfo{StreamID: trace.StreamID{Location: id}, Records: s.events(id)})
	}
	return all
}

// Open implements [trace.Source].
func (s *script) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class != trace.StreamEvents || id.Location >= uint64(s.locations) {
		return nil, fmt.Errorf("no stream of class %d for %d", id.Class, id.Location)
	}
	p := &player{script: s, location: id.Location, noise: rand.NewPCG(s.seed, id.Location), part: -1}
	if s.events(id.Location) == 0 {
		p.part = s.steps + 1
	}
	return p, nil
}

// player plays a location of a script.
type player struct {
	*script
	location uint64
	noise    *rand.PCG
	now      int64
	part     int // 0 for the begin, then one for each step, then the end
	events   *trace.Batch
	at       int
}

// Close implements [trace.Stream].
func (p *player) Close() error { return nil }

// Next implements [trace.Stream].
func (p *player) Next(b *trace.Batch, most int) error {
	b.Reset(p.location)
	for b.Len() < most && p.more() {
		first, n := b.Len(), min(most-b.Len(), p.events.Len()-p.at)
		b.AppendRange(p.events, p.at, p.at+n, trace.Standard)
		p.at += n
		p.times(b.Times[first:])
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// more reports whether there are further events, and turns to the next part if need be.
func (p *player) more() bool {
	for p.events == nil || p.at == p.events.Len() {
		if p.part > p.steps {
			return false
		}
		p.part++
		p.at = 0
		switch {
		case p.part == 0:
			p.events = &p.begin
		case p.part <= p.steps:
			p.events = &p.step
		default:
			p.events = &p.end
		}
	}
	return true
}

// times draws the times of events.
func (p *player) times(times []int64) {
	for i := range times {
		times[i] = p.now
		if !p.instant {
			p.now += 50 + 10*int64(p.noise.Uint64()>>61)
		}
	}
}
