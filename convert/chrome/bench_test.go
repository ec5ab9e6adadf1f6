package chrome

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// programText makes trace events as a profiler of some threads writes them: whole slices, in the order of their ends.
func programText(events int) []byte {
	dice := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString(`{"traceEvents":[`)
	clocks := make([]int64, 8)
	for i := range events {
		if i > 0 {
			b.WriteString(",\n")
		}
		t := dice.IntN(len(clocks))
		d := dice.Int64N(5000)
		fmt.Fprintf(&b, `{"name":"function %d","cat":"code","ph":"X","ts":%d.%03d,"dur":%d.%03d,"pid":1,"tid":%d,"args":{"n":%d}}`,
			dice.IntN(60), clocks[t]/1000, clocks[t]%1000, d/1000, d%1000, t, dice.IntN(100))
		clocks[t] += d + dice.Int64N(1000)
	}
	b.WriteString("]}")
	return b.Bytes()
}

// BenchmarkOpen scans and sorts events; BenchmarkScan only finds their fields; BenchmarkStreams gives the sorted events.
func BenchmarkOpen(b *testing.B) {
	text := programText(50_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		a, err := openText(text, Options{})
		if err != nil {
			b.Fatal(err)
		}
		a.Close()
	}
}

func BenchmarkScan(b *testing.B) {
	text := programText(50_000)
	b.SetBytes(int64(len(text)))
	var batch read.Batch
	for b.Loop() {
		in, err := scan.NewInput("text.json", bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		d := read.Document{Input: in, Event: func(s *scan.Scanner) error {
			if batch.Full() {
				batch.Reset()
			}
			return batch.Take(s, 1, 0)
		}}
		if err := d.Read(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStreams(b *testing.B) {
	a, err := openText(programText(50_000), Options{})
	if err != nil {
		b.Fatal(err)
	}
	events := 0
	b.ReportAllocs()
	for b.Loop() {
		for _, info := range a.Streams() {
			s, err := a.Open(info.StreamID)
			if err != nil {
				b.Fatal(err)
			}
			var batch trace.Batch
			for s.Next(&batch, 4096) == nil {
				events += batch.Len()
			}
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
