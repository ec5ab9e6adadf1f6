package scale_test

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracegen/scale"
	"github.com/pandotrace/pando/trace"
)

// program is a hand-made base: a main that calls a step three times, with a request and a counter in each, between
// initialisation and finalisation.
func program(t *testing.T) (src *tracegen.Trace, b *trace.Batch) {
	t.Helper()
	src = tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	initialise, main, step, finalise := src.Region("MPI_Init"), src.Region("main"), src.Region("step"), src.Region("MPI_Finalize")
	name := src.String("instructions")
	src.Define(trace.KindMetricMember, 0, name, name, 1, 0, uint64(trace.ValueUint64), 1, 0, name)
	src.Define(trace.KindMetricClass, 0, 1, 0, 0, 2)
	b = src.Location(7, src.Process("p"))
	self := src.Comm(src.SelfGroup())
	at := int64(1000)
	put := func(kind trace.Kind, words ...uint64) {
		b.Append(kind, at, words...)
		at += 100
	}
	put(trace.KindEnter, main)
	put(trace.KindEnter, initialise)
	put(trace.KindLeave, initialise)
	for i := range uint64(3) {
		put(trace.KindEnter, step)
		put(trace.KindMetric, 0, 1, uint64(trace.ValueUint64), 5000+10*i)
		put(trace.KindMpiIrecvRequest, 40+2*i)
		put(trace.KindMpiIsend, 0, self, 3, 64, 41+2*i)
		put(trace.KindMpiIrecv, 0, self, 3, 64, 40+2*i)
		put(trace.KindMpiIsendComplete, 41+2*i)
		put(trace.KindBufferFlush, uint64(at+25), 0)
		put(trace.KindLeave, step)
	}
	put(trace.KindEnter, finalise)
	put(trace.KindLeave, finalise)
	put(trace.KindLeave, main)
	return src, b
}

// A body goes from the first step to the last: they are entered with the same calls open.
func TestParts(t *testing.T) {
	src, _ := program(t)
	if got, want := record(t, src).Parts(), (scale.Parts{Head: 3, Body: 16, Tail: 8 + 3}); got != want {
		t.Errorf("parts %+v, want %+v", got, want)
	}
}

// Where nothing in it can be repeated, the whole program is.
func TestWholeProgram(t *testing.T) {
	src := tracegen.New(trace.Meta{})
	f := src.Region("f")
	b := src.Location(0, src.Process("p"))
	b.Append(trace.KindEnter, 10, f)
	b.Append(trace.KindLeave, 20, f)
	base := record(t, src)
	if got, want := base.Parts(), (scale.Parts{Body: 2}); got != want {
		t.Fatalf("parts %+v, want %+v", got, want)
	}
	if n := len(load(t, play(t, base, scale.Options{Repetitions: 5})).Calls()); n != 5 {
		t.Errorf("%d calls of five repetitions", n)
	}
	left := tracegen.New(trace.Meta{})
	left.Location(0, left.Process("p")).Append(trace.KindLeave, 10, left.Region("f"))
	if n := len(load(t, play(t, record(t, left), scale.Options{Repetitions: 5})).Orphans()); n != 5 {
		t.Errorf("%d orphans of five repetitions", n)
	}
	open := tracegen.New(trace.Meta{})
	open.Location(0, open.Process("p")).Append(trace.KindEnter, 10, open.Region("f"))
	if _, err := scale.Record(open); err == nil {
		t.Error("a base that cannot be repeated was accepted")
	}
	if _, err := scale.Record(tracegen.New(trace.Meta{})); err == nil {
		t.Error("a base without events was accepted")
	}
}

// Numbers of requests are not used again, and counters go on rising.
func TestRisingNumbers(t *testing.T) {
	src, _ := program(t)
	m := load(t, play(t, record(t, src), scale.Options{Repetitions: 50}))
	events := m.Locations[0].Events
	posted, sent := uint64(0), uint64(0)
	counter := uint64(0)
	for i, e := range events {
		switch e.Kind {
		case trace.KindMpiIrecvRequest:
			if e.Words[0] <= posted {
				t.Fatalf("event %d: receive request %d after %d", i, e.Words[0], posted)
			}
			posted = e.Words[0]
		case trace.KindMpiIsend:
			if e.Words[4] <= sent || e.Words[4] != posted+1 {
				t.Fatalf("event %d: send request %d after %d", i, e.Words[4], sent)
			}
			sent = e.Words[4]
		case trace.KindMetric:
			if e.Words[3] <= counter {
				t.Fatalf("event %d: counter at %d after %d", i, e.Words[3], counter)
			}
			counter = e.Words[3]
		}
	}
	if n := len(m.Match().Messages); n != 2*50+1 {
		t.Errorf("%d messages, want %d", n, 2*50+1)
	}
}

// Times in fields move with the events.
func TestInstants(t *testing.T) {
	src, _ := program(t)
	flushes := 0
	for _, e := range load(t, play(t, record(t, src), scale.Options{Repetitions: 9})).Locations[0].Events {
		if e.Kind == trace.KindBufferFlush {
			flushes++
			// that it ends 125 ticks after it began, but for the lattice of the clock
			if d := int64(e.Words[0]) - e.Time; d < 25 || d > 225 {
				t.Errorf("a flush at %d ends at %d", e.Time, e.Words[0])
			}
		}
	}
	if flushes != 2*9+1 {
		t.Errorf("%d flushes, want %d", flushes, 2*9+1)
	}
}

// Texts and attributes of a base are played; residuals belong to its times, and are not.
func TestTexts(t *testing.T) {
	src, b := program(t)
	b.Append(trace.KindUnknownEvent, 90_000, 200, 0, b.PutText("bytes"))
	b.SetAttrs([]trace.Attr{{ID: 1, Type: trace.ValueUint8, Value: 2}})
	b.SetResidual(5)
	events := load(t, play(t, record(t, src), scale.Options{Repetitions: 2})).Locations[0].Events
	last := events[len(events)-1]
	if len(last.Texts) != 1 || last.Texts[0] != "bytes" || len(last.Attrs) != 1 || last.Residual != 0 {
		t.Errorf("the last event is %+v", last)
	}
}

// Copies are refused where they cannot be made.
func TestRefusedCopies(t *testing.T) {
	sparse := tracegen.New(trace.Meta{})
	sparse.Location(1<<32-3, sparse.Process("p")).Append(trace.KindMpiCollectiveBegin, 0)
	global := tracegen.New(trace.Meta{})
	global.Location(0, global.Process("p")).Append(trace.KindMpiCollectiveBegin, 0)
	global.CommLocations(0)
	global.Comm(global.GlobalGroup(0))
	for name, src := range map[string]*tracegen.Trace{"ids": sparse, "global ranks": global} {
		base := record(t, src)
		if _, err := base.Play(scale.Options{Copies: 2}); err == nil {
			t.Errorf("%s: two copies were accepted", name)
		}
		play(t, base, scale.Options{Copies: 1})
	}
}

// A base whose communicator lists the locations themselves gets one for each copy.
func TestCopiesOfCommLocations(t *testing.T) {
	const ranks, iterations, copies = 4, 30, 3
	m := load(t, play(t, record(t, tracegen.Ring(ranks, iterations, 1)), scale.Options{Copies: copies}))
	match := m.Match()
	if len(match.Messages) != copies*ranks*iterations || len(match.UnmatchedSends)+len(match.UnmatchedReceives) > 0 {
		t.Errorf("%d messages, want %d; unmatched %v, %v", len(match.Messages), copies*ranks*iterations, match.UnmatchedSends, match.UnmatchedReceives)
	}
	comms := map[uint64]bool{}
	for _, x := range match.Messages {
		comms[x.Communicator] = true
		if x.SendLocation/ranks != x.ReceiveLocation/ranks || x.ReceiveLocation%ranks != (x.SendLocation+1)%ranks {
			t.Fatalf("message %+v", x)
		}
	}
	if len(comms) != copies {
		t.Errorf("%d communicators have messages, want %d", len(comms), copies)
	}
}
