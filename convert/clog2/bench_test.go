package clog2

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// BenchmarkLogs opens logs and reads all their records, on one core. With PANDO_TRACES set it also reads the larger ones.
func BenchmarkLogs(b *testing.B) {
	for _, name := range traces(b) {
		path := mainFile(b, name)
		b.Run(filepath.Base(path), func(b *testing.B) {
			b.ReportAllocs()
			records := 0
			var batch trace.Batch
			for b.Loop() {
				a, err := Open(Options{}, path)
				if err != nil {
					b.Fatal(err)
				}
				for _, s := range a.Streams() {
					if s.Class == trace.StreamEvents {
						records += countEvents(b, a, s.StreamID, &batch)
					}
				}
			}
			b.ReportMetric(float64(records)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
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
