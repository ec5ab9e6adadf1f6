package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/serve/tiles"
)

const (
	viewPixels  = 1730 // of the rows on a screen of 1,920
	tileWindows = 40   // random ones of each length
)

// BenchmarkTiles measures what bench/results/view.md records of the server alone, of the files in PANDO_VIEWED (paths with commas between them): tiles, all tiles of a
// view, and its calls, over HTTP with gzip, of random windows of each length. Fresh tiles are made of what was decoded for their neighbours or is
// read; warm ones were asked for before.
func BenchmarkTiles(b *testing.B) {
	files := os.Getenv("PANDO_VIEWED")
	if files == "" {
		b.Skip("PANDO_VIEWED is not set: paths of Pando files")
	}
	for _, file := range strings.Split(files, ",") {
		for _, share := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.001} {
			b.Run(fmt.Sprintf("%s/%g%%", filepath.Base(file), 100*share), func(b *testing.B) { benchmarkTiles(b, file, share) })
		}
	}
}

func benchmarkTiles(b *testing.B, file string, share float64) {
	s, err := New([]string{file}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	h := httptest.NewServer(s)
	defer h.Close()
	name := strings.TrimSuffix(filepath.Base(file), ".pando")
	book, err := s.library.take(name)
	if err != nil {
		b.Fatal(err)
	}
	defer s.library.giveBack(book)
	info := book.reader.Info()
	ask := func(what string, level int, from, to int64, lanes string) (time.Duration, int) {
		return fetchPacked(b, fmt.Sprintf("%s/v1/traces/%s/%s?level=%d&from=%d&to=%d&%s", h.URL, name, what, level, from, to, lanes))
	}
	var fresh, warm, view, calls []time.Duration
	largest := 0
	dice := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		for range tileWindows {
			length := int64(float64(info.Last-info.First) * share)
			start := dice.Int64N(info.Last - info.First - length + 1)
			grid := tiles.GridOf(info.First, length, viewPixels)
			first, end := grid.Index(start), grid.Index(start+length)+1
			one := first + dice.Int64N(end-first)
			took, _ := ask("tiles", grid.Level, one, one+1, "lane=0")
			fresh = append(fresh, took)
			took, _ = ask("tiles", grid.Level, one, one+1, "lane=0")
			warm = append(warm, took)
			took, bands := ask("tiles", grid.Level, first, end, "lane=0&group=0")
			view = append(view, took)
			took, of := ask("calls", grid.Level, first, end, "lane=0")
			calls = append(calls, took)
			largest = max(largest, bands+of)
		}
	}
	for what, took := range map[string][]time.Duration{"fresh": fresh, "warm": warm, "view": view, "calls": calls} {
		slices.Sort(took)
		b.ReportMetric(milliseconds(took[len(took)/2]), what+"-p50-ms")
		b.ReportMetric(milliseconds(took[len(took)*95/100]), what+"-p95-ms")
	}
	b.ReportMetric(math.Ceil(float64(largest)/1024), "largest-KiB")
}

// fetchPacked reads an answer and unpacks it, as a browser does, and returns how long that took and the bytes that were sent.
func fetchPacked(b *testing.B, url string) (took time.Duration, sent int) {
	begin := time.Now()
	q, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	q.Header.Set("Accept-Encoding", "gzip")
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	packed, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s, %v: %s", url, r.Status, err, packed)
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin), len(packed)
}
