package convert

import (
	"io"
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
)

// BenchmarkConversion makes Pando files of CLOG-2 logs, from opening the log to closing the file, on all processors. With
// PANDO_TRACES set it converts the larger ones, too.
func BenchmarkConversion(b *testing.B) {
	names := tracetest.BundledOf(b, "clog2")
	if os.Getenv("PANDO_TRACES") != "" {
		names = append(names, tracetest.LargerOf(b, "clog2")...)
	}
	for _, name := range names {
		paths := tracetest.Files(b, name, ".clog2")
		if len(paths) != 1 {
			continue // the logs of single processes
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var n counter
			events := uint64(0)
			for b.Loop() {
				n = 0
				events = convertTo(b, &n, paths[0])
			}
			b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
			b.ReportMetric(float64(n), "bytes")
		})
	}
}

// convertTo converts a trace and returns the number of its events.
func convertTo(b *testing.B, out io.Writer, path string) (events uint64) {
	src, err := Open(b.Context(), path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	w, err := store.NewWriter(b.Context(), out, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(b.Context(), w, src, func(n, _ int64) { events = uint64(n) })
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return events
}

// counter counts bytes.
type counter int64

func (n *counter) Write(b []byte) (int, error) {
	*n += counter(len(b))
	return len(b), nil
}
