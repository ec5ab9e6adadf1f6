package tracegen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

const seeds = 300

func random(t *testing.T, seed uint64) *model.Trace {
	t.Helper()
	src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
	if err := src.Check(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return load(t, src)
}

func load(t *testing.T, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRandomIsReproducible(t *testing.T) {
	for seed := range uint64(20) {
		a, b := random(t, seed), random(t, seed)
		if diff := cmp.Diff(a.Locations, b.Locations); diff != "" {
			t.Fatalf("seed %d differs from itself:\n%s", seed, diff)
		}
		if diff := cmp.Diff(a.Definitions.Log, b.Definitions.Log); diff != "" {
			t.Fatalf("seed %d differs from itself:\n%s", seed, diff)
		}
	}
}

// Whatever a generator of adversarial traces is there for must occur in what it makes.
func TestRandomCoversEverything(t *testing.T) {
	seen := map[string]int{}
	kinds := map[trace.Kind]int{}
	for seed := range uint64(seeds) {
		m := random(t, seed)
		cover(m, seen)
		for _, l := range m.Locations {
			for _, e := range l.Events {
				kinds[e.Kind]++
			}
		}
		for _, s := range m.Auxiliary {
			for _, r := range s.Records {
				kinds[r.Kind]++
			}
		}
		for _, d := range m.Definitions.Log {
			kinds[d.Kind]++
		}
	}
	for _, what := range []string{"open", "cut", "orphan", "no length", "depth 50", "context", "unknown context", "no locations",
		"no events", "empty location", "single event", "undefined location", "negative time", "instant", "attributes",
		"residual", "text", "message", "received before sent", "to itself", "between threads", "suspicious",
		"unmatched send", "unmatched receive", "cancelled", "inter-communicator", "late", "private"} {
		t.Logf("%-22s %d", what, seen[what])
		if seen[what] == 0 {
			t.Errorf("%d seeds and never %s", seeds, what)
		}
	}
	for _, s := range trace.Standard.All() {
		if kinds[s.ID] == 0 {
			t.Errorf("%d seeds and never a %s", seeds, s.Name)
		}
	}
}

// cover counts how often a trace has each of the features above.
func cover(m *model.Trace, seen map[string]int) {
	count := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	coverEvents(m, count)
	coverCalls(m, count)
	coverMessages(m, count)
	_, late := m.Definitions.Strings[1<<20]
	count("late", late)
}

func coverEvents(m *model.Trace, count func(string, bool)) {
	instants := map[int64]map[uint64]int{}
	events := 0
	for _, l := range m.Locations {
		_, defined := m.Definitions.LocationIndex(l.ID)
		count("undefined location", !defined && len(l.Events) > 0)
		count("empty location", len(l.Events) == 0)
		for _, e := range l.Events {
			events++
			count("negative time", e.Time < 0)
			count("attributes", len(e.Attrs) > 0)
			count("residual", e.Residual != 0)
			count("text", len(e.Texts) > 0)
			count("private", e.Kind >= trace.FirstPrivateKind)
			if instants[e.Time] == nil {
				instants[e.Time] = map[uint64]int{}
			}
			instants[e.Time][l.ID]++
		}
	}
	count("no locations", len(m.Locations) == 0)
	count("no events", events == 0 && len(m.Locations) > 0)
	count("single event", events == 1)
	for _, locations := range instants {
		n := 0
		for _, k := range locations {
			n += k
		}
		count("instant", n > 100 && len(locations) > 2)
	}
}

func coverCalls(m *model.Trace, count func(string, bool)) {
	for _, c := range m.Calls() {
		count("open", c.Flags == trace.CallOpen)
		count("cut", c.Flags == trace.CallCut)
		count("no length", c.Duration() == 0)
		count("depth 50", c.Depth >= 50)
		count("context", c.Context != trace.Undefined && c.Region != trace.Undefined)
		count("unknown context", c.Context != trace.Undefined && c.Region == trace.Undefined)
	}
	for range m.Orphans() {
		count("orphan", true)
	}
}

func coverMessages(m *model.Trace, count func(string, bool)) {
	all := m.Match()
	for _, x := range all.Messages {
		from, _ := m.Definitions.Process(x.SendLocation)
		to, _ := m.Definitions.Process(x.ReceiveLocation)
		count("message", true)
		count("received before sent", x.ReceiveTime < x.SendTime)
		count("to itself", x.SendLocation == x.ReceiveLocation)
		count("between threads", x.SendLocation != x.ReceiveLocation && from == to)
		count("suspicious", x.ReceiveLength > x.SendLength)
		count("inter-communicator", m.Definitions.Comms[x.Communicator].Inter)
	}
	count("unmatched send", len(all.UnmatchedSends) > 0)
	count("unmatched receive", len(all.UnmatchedReceives) > 0)
	count("cancelled", len(all.CancelledSends) > 0)
}

// The ring is a correct program: every message arrives after it was sent, and all calls are left.
func TestRing(t *testing.T) {
	const ranks, iterations = 5, 120
	m := load(t, tracegen.Ring(ranks, iterations, 1))
	for _, l := range m.Locations {
		for i := 1; i < len(l.Events); i++ {
			if l.Events[i].Time < l.Events[i-1].Time {
				t.Fatalf("location %d, event %d: time runs backwards", l.ID, i)
			}
		}
	}
	calls := m.Calls()
	for _, c := range calls {
		if c.Flags != 0 {
			t.Errorf("call of region %d at %d: flags %d", c.Region, c.Start, c.Flags)
		}
	}
	// main; step, exchange and three calls in it; kernels; every tenth Allreduce; every fiftieth checkpoint
	least := ranks * (1 + iterations*(5+4) + iterations/10 + iterations/50)
	if most := least + ranks*iterations; len(calls) < least || len(calls) > most || len(m.Orphans()) > 0 {
		t.Errorf("%d calls (%d to %d expected), orphans %v", len(calls), least, most, m.Orphans())
	}
	match := m.Match()
	if len(match.Messages) != ranks*iterations || len(match.UnmatchedSends)+len(match.UnmatchedReceives) > 0 {
		t.Errorf("%d messages, unmatched: %v, %v", len(match.Messages), match.UnmatchedSends, match.UnmatchedReceives)
	}
	for _, x := range match.Messages {
		if x.ReceiveLocation != (x.SendLocation+1)%ranks || x.ReceiveTime <= x.SendTime {
			t.Errorf("message %+v", x)
		}
	}
}

// The events do not depend on how they are read.
func TestRingBatches(t *testing.T) {
	src := tracegen.Ring(2, 20, 9)
	want := load(t, src).Location(1).Events
	for _, most := range []int{1, 7, 100000} {
		s, err := src.Open(trace.StreamID{Class: trace.StreamEvents, Location: 1})
		if err != nil {
			t.Fatal(err)
		}
		var got []model.Record
		for b := new(trace.Batch); s.Next(b, most) == nil; {
			if b.Len() > most {
				t.Fatalf("%d records where at most %d were asked for", b.Len(), most)
			}
			for i := range b.Len() {
				got = append(got, model.RecordOf(b, i, trace.Standard))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in batches of %d (-want +got):\n%s", most, diff)
		}
	}
}

func BenchmarkRing(b *testing.B) {
	src := tracegen.Ring(1, 1<<40, 1)
	s, err := src.Open(trace.StreamID{})
	if err != nil {
		b.Fatal(err)
	}
	var batch trace.Batch
	events := 0
	for b.Loop() {
		if err := s.Next(&batch, 4096); err != nil {
			b.Fatal(err)
		}
		events += batch.Len()
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
