package serve

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
)

// BenchmarkWindow asks for windows of the table of calls of a small trace here and over HTTP.
func BenchmarkWindow(b *testing.B) {
	base, _, s := serving(b, Options{})
	benchmarkWindow(b, base, s, "ring", 100_000)
}

// BenchmarkLargerWindow does it with NPB LU, windows of 0.1, 10 and 100 ms.
func BenchmarkLargerWindow(b *testing.B) {
	const name = "otf2.lu.W.8"
	if !slices.Contains(tracetest.Larger(b), name) {
		b.Skipf("PANDO_TRACES has no %s", name)
	}
	src, err := otf2.Open(tracetest.Anchor(b, name), otf2.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	base, dir, s := serving(b, Options{CacheBytes: 256 << 20})
	written(b, dir, "lu", src)
	for _, ns := range []int64{100_000, 10_000_000, 100_000_000} {
		b.Run(fmt.Sprintf("%gms", float64(ns)/1e6), func(b *testing.B) { benchmarkWindow(b, base, s, "lu", ns) })
	}
}

// benchmarkWindow asks for the calls of random windows as Arrow, in turns here, over HTTP, and for the same bytes ready made from a server that
// does nothing else, each until all of it is in memory. What the server adds to the time here should not be much more than the bytes alone
// take. Each window is requested once before it is measured.
func benchmarkWindow(b *testing.B, base string, s *Server, name string, ticks int64) {
	book, err := s.library.take(name)
	if err != nil {
		b.Fatal(err)
	}
	defer s.library.giveBack(book)
	info := book.reader.Info()
	dice := rand.New(rand.NewPCG(1, 1))
	var local, remote bytes.Buffer
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := w.Write(local.Bytes()); err != nil {
			b.Error(err)
		}
	}))
	defer bare.Close()
	var here, there, more, bytesAlone []time.Duration
	for b.Loop() {
		from := dice.Int64N(info.Last - info.First - ticks)
		opt := columnar.Options{Format: columnar.ArrowStream, From: info.First + from, To: info.First + from + ticks}
		ask := [3]func(){
			func() {
				local.Reset()
				if _, err := book.exporter.Write(b.Context(), &local, "calls", opt); err != nil {
					b.Fatal(err)
				}
			},
			func() {
				fetch(b, &remote, fmt.Sprintf("%s/v1/traces/%s/tables/calls?from=%d&to=%d&format=arrow", base, name, from, from+ticks))
			},
			func() { fetch(b, &remote, bare.URL) },
		}
		ask[0]()
		var took [3]time.Duration
		for turn := range ask {
			which := (len(here) + turn) % len(ask)
			begin := time.Now()
			ask[which]()
			took[which] = time.Since(begin)
			if !bytes.Equal(local.Bytes(), remote.Bytes()) && which > 0 {
				b.Fatalf("%d bytes over HTTP are not the %d here", remote.Len(), local.Len())
			}
		}
		here, there, more, bytesAlone = append(here, took[0]), append(there, took[1]), append(more, took[1]-took[0]), append(bytesAlone, took[2])
	}
	reportTimes(b, "here", here)
	reportTimes(b, "http", there)
	reportTimes(b, "more", more)
	reportTimes(b, "bytes-alone", bytesAlone)
}

// reportTimes reports the median and the 90th percentile.
func reportTimes(b *testing.B, what string, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(milliseconds(took[len(took)/2]), what+"-p50-ms")
	b.ReportMetric(milliseconds(took[len(took)*9/10]), what+"-p90-ms")
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// plain is a client that does not ask for compressed answers.
var plain = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// fetch reads an answer, all of it.
func fetch(b *testing.B, into *bytes.Buffer, url string) {
	into.Reset()
	r, err := plain.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := into.ReadFrom(r.Body); err != nil || r.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s, %v", url, r.Status, err)
	}
}
