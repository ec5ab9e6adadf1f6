//go:build unix

package calltree_test

import (
	"bytes"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// BenchmarkProfile makes the call tree of a whole trace, after opening: with times, and without. The traces are LU and AMG of
// $PANDO_TRACES, if it has them, and a bundled piece of AMG. cpu-ms is the time of all processors, which other programs disturb less.
func BenchmarkProfile(b *testing.B) {
	names := []string{"otf2.amg.8.piece"}
	if os.Getenv("PANDO_TRACES") != "" {
		for _, name := range []string{"otf2.lu.W.8", "otf2.amg.8"} {
			if slices.Contains(tracetest.Larger(b), name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		src, err := otf2.Open(tracetest.Anchor(b, name), otf2.Options{})
		if err != nil {
			b.Fatal(err)
		}
		file := stored.Bytes(b, src, store.Options{})
		for _, counts := range []bool{false, true} {
			of := "/times"
			if counts {
				of = "/counts"
			}
			b.Run(name+of, func(b *testing.B) { benchmarkProfile(b, file, counts) })
		}
	}
}

func benchmarkProfile(b *testing.B, file []byte, counts bool) {
	spent, fastest := time.Duration(0), time.Duration(1<<62)
	for b.Loop() {
		b.StopTimer()
		r, err := store.NewReader(b.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		before, start := cpuTime(b), time.Now()
		p, err := calltree.Of(r, r.All(), calltree.Options{CountsOnly: counts})
		if err != nil {
			b.Fatal(err)
		}
		fastest = min(fastest, time.Since(start))
		spent += cpuTime(b) - before
		b.StopTimer()
		b.ReportMetric(float64(len(p.Paths)), "paths")
		r.Close()
		b.StartTimer()
	}
	b.ReportMetric(spent.Seconds()*1e3/float64(b.N), "cpu-ms/op")
	b.ReportMetric(fastest.Seconds()*1e3, "fastest-ms")
}

// cpuTime returns the time that the process has spent on all processors.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
