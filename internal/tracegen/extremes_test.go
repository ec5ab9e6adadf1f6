package tracegen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// subject is an extreme trace with what is asked of it.
type subject struct {
	*model.Trace
	locations, depth int
	calls            []trace.Call
	messages         *model.Matching
}

// extremeChecks are what makes each kind what it is.
var extremeChecks = map[string]func(t *testing.T, s *subject){
	"crossing": func(t *testing.T, s *subject) {
		if n := len(s.messages.Messages); n != s.depth*s.locations {
			t.Errorf("%d messages, want %d", n, s.depth*s.locations)
		}
		for _, x := range s.messages.Messages {
			events := s.Location(x.SendLocation).Events
			if n := len(events) - 2*s.depth; int(x.ReceiveOrdinal-x.SendOrdinal) < n/2 {
				t.Errorf("message %+v crosses little", x)
			}
		}
		s.wantLong(t)
	},
	"instant": func(t *testing.T, s *subject) {
		if first, last, _ := s.Span(); first != last {
			t.Errorf("times from %d to %d", first, last)
		}
	},
	"one-location": func(t *testing.T, s *subject) {
		for i, l := range s.Locations {
			if (len(l.Events) > 0) != (i == 0) {
				t.Errorf("location %d has %d events", l.ID, len(l.Events))
			}
		}
	},
	"short-locations": func(t *testing.T, s *subject) {
		for _, l := range s.Locations {
			if n := len(l.Events); n < 10 {
				t.Errorf("location %d has %d events", l.ID, n)
			}
		}
	},
	"open-calls": func(t *testing.T, s *subject) { s.wantLong(t) },
	"recursion": func(t *testing.T, s *subject) {
		for _, c := range s.calls {
			if c.Region != s.calls[0].Region {
				t.Errorf("a call of region %d", c.Region)
			}
		}
	},
	"repetition": func(t *testing.T, s *subject) {
		for _, l := range s.Locations {
			for i := s.depth - 1; i < len(l.Events)-10-s.depth; i++ {
				if a, b := l.Events[i], l.Events[i+10]; a.Kind != b.Kind || a.Words[0] != b.Words[0] {
					t.Fatalf("location %d: event %d is not repeated", l.ID, i)
				}
			}
		}
	},
	"shallow": func(*testing.T, *subject) {},
	"deep":    func(*testing.T, *subject) {},
	"lost-sends": func(t *testing.T, s *subject) {
		if n := len(s.messages.UnmatchedSends); n < 300 || len(s.messages.Messages) > 0 {
			t.Errorf("%d sends are lost, %d are not", n, len(s.messages.Messages))
		}
	},
}

// wantLong asks each location for calls of all but the whole time.
func (s *subject) wantLong(t *testing.T) {
	t.Helper()
	first, last, _ := s.Span()
	long := map[uint64]int{}
	for _, c := range s.calls {
		if c.Duration() > (last-first)*3/4 {
			long[c.Location]++
		}
	}
	for _, l := range s.Locations {
		if long[l.ID] != s.depth {
			t.Errorf("location %d has %d long calls, want %d", l.ID, long[l.ID], s.depth)
		}
	}
}

// All extremes are legal: time does not run backwards, calls are left, and the events are as many as promised.
func TestExtremes(t *testing.T) {
	for _, e := range tracegen.Extremes() {
		t.Run(e.Name, func(t *testing.T) {
			const locations, events = 5, 10_000
			depth := min(e.Depth, 100)
			src := e.Trace(locations, depth, events, 1)
			s := &subject{Trace: load(t, src), locations: locations, depth: depth}
			s.calls, s.messages = s.Calls(), s.Match()
			deepest := 0
			for _, c := range s.calls {
				deepest = max(deepest, c.Depth+1)
				if c.Flags != 0 {
					t.Errorf("call of region %d at %d: flags %d", c.Region, c.Start, c.Flags)
				}
			}
			if deepest != depth && deepest != depth+1 || len(s.Orphans()) > 0 {
				t.Errorf("depth %d, want %d; orphans %v", deepest, depth, s.Orphans())
			}
			total := 0
			for _, info := range src.Streams() {
				list := s.Location(info.Location).Events
				if total += len(list); uint64(len(list)) != info.Records {
					t.Errorf("location %d: %d events, %d promised", info.Location, len(list), info.Records)
				}
				for i := 1; i < len(list); i++ {
					if list[i].Time < list[i-1].Time {
						t.Fatalf("location %d, event %d: time runs backwards", info.Location, i)
					}
				}
			}
			if total > events || total < events*8/10 {
				t.Errorf("%d events, want %d", total, events)
			}
			extremeChecks[e.Name](t, s)
		})
	}
}

// The defaults match the names.
func TestUsualExtremes(t *testing.T) {
	for _, e := range tracegen.Extremes() {
		locations, least := 0, uint64(1<<62)
		for _, s := range e.Trace(0, 0, 0, 1).Streams() {
			locations++
			least = min(least, s.Records)
		}
		if locations != e.Locations || e.Name == "short-locations" && least != 10 || e.Name == "open-calls" && least < 2*50 {
			t.Errorf("%s: %d locations of at least %d events", e.Name, locations, least)
		}
	}
}

// Recursions may be of any depth.
func TestDeepRecursion(t *testing.T) {
	for _, e := range tracegen.Extremes() {
		if e.Name != "recursion" {
			continue
		}
		calls := load(t, e.Trace(1, 50_000, 0, 1)).Calls()
		if n := len(calls); n != 50_000 || calls[n-1].Depth != n-1 {
			t.Errorf("%d calls, the last in depth %d", n, calls[n-1].Depth)
		}
	}
}

// The events do not depend on how they are read.
func TestExtremeBatches(t *testing.T) {
	for _, e := range tracegen.Extremes() {
		src := e.Trace(3, 0, 5000, 9)
		want := load(t, src).Locations[0].Events
		s, err := src.Open(src.Streams()[0].StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var got []model.Record
		for b := new(trace.Batch); s.Next(b, 7) == nil; {
			for i := range b.Len() {
				got = append(got, model.RecordOf(b, i, trace.Standard))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s in batches of 7 (-want +got):\n%s", e.Name, diff)
		}
	}
}

func BenchmarkExtreme(b *testing.B) {
	for _, e := range tracegen.Extremes() {
		b.Run(e.Name, func(b *testing.B) {
			s, err := e.Trace(1, 0, 1<<60, 1).Open(trace.StreamID{})
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
		})
	}
}
