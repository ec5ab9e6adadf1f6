package slog2

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// BenchmarkFiles opens files and reads all their events, on one core. With PANDO_TRACES set it also reads the larger ones.
func BenchmarkFiles(b *testing.B) {
	for _, path := range files(b) {
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.ReportAllocs()
			events := 0
			var batch trace.Batch
			for b.Loop() {
				a, err := Open(path, Options{})
				if err != nil {
					b.Fatal(err)
				}
				for _, s := range a.Streams() {
					if s.Class == trace.StreamEvents {
						events += countEvents(b, a, s.StreamID, &batch)
					}
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
