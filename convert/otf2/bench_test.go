package otf2

import (
	"io"
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// BenchmarkEvents decodes all events, on one core. With PANDO_TRACES set it also decodes the larger traces.
func BenchmarkEvents(b *testing.B) {
	names := []string{"otf2.amg.8.piece", "otf2.mg.S.16.skew", "otf2.ep.S.4.metric"}
	if os.Getenv("PANDO_TRACES") != "" {
		names = append(names, tracetest.Larger(b)...)
	}
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			a := mustOpen(b, name, Options{})
			var batch trace.Batch
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				for _, id := range streamsOf(a, trace.StreamEvents) {
					events += countEvents(b, a, id, &batch)
				}
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

func countEvents(b *testing.B, a *Archive, id trace.StreamID, batch *trace.Batch) (n int) {
	s, err := a.Open(id)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for {
		switch err := s.Next(batch, 4096); err {
		case nil:
			n += batch.Len()
		case io.EOF:
			return n
		default:
			b.Fatal(err)
		}
	}
}
