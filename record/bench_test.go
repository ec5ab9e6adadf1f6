package record

import (
	"context"
	"runtime/trace"
	"testing"

	"github.com/pandotrace/pando/internal/ticks"
)

// BenchmarkCalls enters and leaves rounds of 21 calls on 3 levels; an operation is one event.
func BenchmarkCalls(b *testing.B) {
	for _, c := range []struct {
		name string
		opt  Options
	}{{"never full", Options{Budget: 1 << 30, Prefault: true}}, {"8 MiB", Options{Budget: 8 << 20}}, {"8 MiB, last", Options{Budget: 8 << 20, Mode: Last}},
		{"8 MiB, level", Options{Budget: 8 << 20, By: Level}}, {"8 MiB, class", Options{Budget: 8 << 20, By: Classes("c", "none")}}, {"8 MiB, occurrence", Options{Budget: 8 << 20, By: Occurrence}},
		{"8 MiB, phases", Options{Budget: 8 << 20, Phases: "a=every:100"}}} {
		r, err := Start(b.TempDir(), c.opt)
		if err != nil {
			b.Skip(err)
		}
		l := r.Location("main")
		regions := []Region{r.Region("a"), r.Region("b"), r.Region("c")}
		b.Run(c.name+"/clock", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i += 42 {
				round(l, regions)
			}
		})
		t := r.now()
		b.Run(c.name+"/time given", func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i += 42 {
				t = roundAt(l, regions, t)
			}
		})
		r.Close()
	}
	b.Run("clock alone", func(b *testing.B) {
		for b.Loop() {
			ticks.Counter()
		}
	})
	b.Run("runtime trace", func(b *testing.B) {
		b.ReportAllocs()
		if err := trace.Start(discard{}); err != nil {
			b.Skip(err)
		}
		defer trace.Stop()
		for i := 0; i < b.N; i += 2 {
			trace.StartRegion(context.Background(), "a").End()
		}
	})
}

type discard struct{}

// Write takes everything.
func (discard) Write(p []byte) (int, error) { return len(p), nil }

func round(l *Location, r []Region) {
	l.Enter(r[0])
	for range 4 {
		l.Enter(r[1])
		for range 4 {
			l.Enter(r[2])
			l.Leave()
		}
		l.Leave()
	}
	l.Leave()
}

func roundAt(l *Location, r []Region, t uint64) uint64 {
	l.EnterAt(r[0], t)
	for range 4 {
		l.EnterAt(r[1], t+20)
		for range 4 {
			l.EnterAt(r[2], t+50)
			t += 90
			l.LeaveAt(t)
		}
		t += 40
		l.LeaveAt(t)
	}
	l.LeaveAt(t + 30)
	return t + 60
}
