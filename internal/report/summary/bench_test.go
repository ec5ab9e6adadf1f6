package summary

import (
	"io"
	"testing"

	"github.com/pandotrace/pando/internal/report"
)

// BenchmarkSummary adds up a whole trace and writes it, by each thing, as text and as JSON.
func BenchmarkSummary(b *testing.B) {
	f := opened(b, "otf2.amg.8.piece")
	for _, by := range Kinds() {
		for name, format := range map[string]report.Format{"text": report.Text, "json": report.JSON} {
			b.Run(by+"/"+name, func(b *testing.B) {
				for b.Loop() {
					s, err := New(f, f.All(), Options{By: by})
					if err != nil {
						b.Fatal(err)
					}
					if err := s.Write(io.Discard, format); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
