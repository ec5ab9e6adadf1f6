package draw

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// ring writes the trace of a regular program, about 800,000 events of 64 ranks, and returns its path.
func ring(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "ring.pando")
	src := tracegen.Ring(64, 500, 1)
	w, err := store.Create(b.Context(), path, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(b.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return path
}

func picture(b *testing.B, path string) *Chart {
	b.Helper()
	r, err := store.Open(b.Context(), path, store.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	c, err := NewPicture(r, r.All(), 1600, nil)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkPicture opens a file, reads a picture of all of it, and draws it.
func BenchmarkPicture(b *testing.B) {
	path := ring(b)
	b.ResetTimer()
	for b.Loop() {
		if err := picture(b, path).PNG(io.Discard, 1600); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDraw draws what was read.
func BenchmarkDraw(b *testing.B) {
	c := picture(b, ring(b))
	for name, write := range map[string]func(*Chart, io.Writer, int) error{"PNG": (*Chart).PNG, "SVG": (*Chart).SVG} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var to bytes.Buffer
				if err := write(c, &to, 1600); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(to.Len()), "bytes")
			}
		})
	}
}
