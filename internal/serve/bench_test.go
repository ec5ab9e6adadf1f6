package serve

import (
	"io"
	"net/http"
	"testing"

	"github.com/pandotrace/pando/convert/columnar"
)

// BenchmarkWindow asks for the same window here and over HTTP: what the server adds is the difference.
func BenchmarkWindow(b *testing.B) {
	base, _, s := serving(b, Options{})
	book, err := s.library.take("ring")
	if err != nil {
		b.Fatal(err)
	}
	defer s.library.giveBack(book)
	first := book.reader.Info().First
	b.Run("here", func(b *testing.B) {
		opt := columnar.Options{Format: columnar.ArrowStream, From: first + 100_000, To: first + 200_000}
		for b.Loop() {
			if _, err := book.exporter.Write(b.Context(), io.Discard, "calls", opt); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("http", func(b *testing.B) {
		for b.Loop() {
			r, err := http.Get(base + "/v1/traces/ring/tables/calls?from=100000&to=200000&format=arrow")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				b.Fatal(err)
			}
			r.Body.Close()
		}
	})
}
