package tracegen

import "github.com/pandotrace/pando/trace"

// Extreme is a kind of trace at the edge of what an engine must bear.
type Extreme struct {
	// Name is one word, What says what is extreme.
	Name, What string
	// Locations and Depth, that of calls, are the usual ones.
	Locations, Depth int

	write func(s *script, depth int)
}

var extremes = []Extreme{
	{"crossing", "calls and messages from the begin to the end, short calls between", 64, 10, crossing},
	{"instant", "all events at one instant", 64, 3, instant},
	{"one-location", "one location with all the events, others with none", 64, 3, oneLocation},
	{"short-locations", "very many locations with few events each, ten unless there are more to be made", 10_000, 2, shortLocations},
	{"open-calls", "very many locations with many open calls each, and little below them", 10_000, 50, openCalls},
	{"recursion", "a function that calls itself, down and up again", 4, 1000, recursion},
	{"repetition", "the same few calls over and over", 8, 2, repetition},
	{"shallow", "calls of small depth", 8, 5, upAndDown},
	{"deep", "calls of great depth, otherwise like the shallow ones", 8, 1000, upAndDown},
	{"lost-sends", "sends that never find a receive", 16, 1, lostSends},
}

// Extremes lists all kinds.
func Extremes() []Extreme { return append([]Extreme(nil), extremes...) }

// Trace makes a trace of about the given number of events, at least the kind's least. Locations and depth of 0 are the kind's defaults.
// Equal arguments give equal traces.
func (e *Extreme) Trace(locations, depth int, events, seed uint64) trace.Source {
	if locations < 1 {
		locations = e.Locations
	}
	if depth < 1 {
		depth = e.Depth
	}
	s := newScript(locations, seed)
	e.write(s, depth)
	s.last(events)
	return s
}

// work is a step of ten short calls.
func work(s *script) {
	for i := range 10 {
		s.step.Append(trace.KindEnter, 0, s.regions[10+i])
		s.step.Append(trace.KindLeave, 0, s.regions[10+i])
	}
}

func crossing(s *script, depth int) {
	s.enter(&s.begin, depth)
	work(s)
	for tag := range uint64(depth) {
		s.begin.Append(trace.KindMpiSend, 0, 0, s.self, tag, 4096)
		s.end.Append(trace.KindMpiRecv, 0, 0, s.self, tag, 4096)
	}
	s.leave(&s.end, depth)
}

func openCalls(s *script, depth int) {
	s.enter(&s.begin, depth)
	work(s)
	s.leave(&s.end, depth)
}

func instant(s *script, depth int) {
	openCalls(s, depth)
	s.instant = true
}

func oneLocation(s *script, depth int) {
	openCalls(s, depth)
	s.busy = 1
}

func shortLocations(s *script, depth int) {
	s.enter(&s.step, depth-1)
	for s.step.Len() < 10-(depth-1) {
		s.step.Append(trace.KindEnter, 0, s.regions[10])
		s.step.Append(trace.KindLeave, 0, s.regions[10])
	}
	s.leave(&s.step, depth-1)
}

func recursion(s *script, depth int) {
	for range depth {
		s.step.Append(trace.KindEnter, 0, s.regions[0])
	}
	for range depth {
		s.step.Append(trace.KindLeave, 0, s.regions[0])
	}
}

func repetition(s *script, depth int) {
	s.enter(&s.begin, depth-1)
	call := func(kind trace.Kind, regions ...int) {
		for _, r := range regions {
			s.step.Append(kind, 0, s.regions[r])
		}
	}
	call(trace.KindEnter, 10)
	call(trace.KindLeave, 10)
	call(trace.KindEnter, 11, 12)
	call(trace.KindLeave, 12)
	call(trace.KindEnter, 12)
	call(trace.KindLeave, 12, 11)
	call(trace.KindEnter, 13)
	call(trace.KindLeave, 13)
	s.leave(&s.end, depth-1)
}

// upAndDown leaves a few of the calls and enters them again.
func upAndDown(s *script, depth int) {
	few := min(depth, 4)
	s.enter(&s.begin, depth)
	for i := range few {
		s.step.Append(trace.KindLeave, 0, s.regions[(depth-1-i)%len(s.regions)])
	}
	for i := range few {
		s.step.Append(trace.KindEnter, 0, s.regions[(depth-few+i)%len(s.regions)])
	}
	s.leave(&s.end, depth)
}

func lostSends(s *script, depth int) {
	s.enter(&s.begin, depth)
	s.step.Append(trace.KindEnter, 0, s.regions[10])
	s.step.Append(trace.KindMpiSend, 0, 0, s.world, 7, 1024)
	s.step.Append(trace.KindLeave, 0, s.regions[10])
	s.leave(&s.end, depth)
}
