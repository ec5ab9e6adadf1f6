package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectWithin asks the collector for its percentage before and after the first collection.
func TestCollectWithin(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	upTo := func(percent int) garbageBounds {
		return garbageBounds{percent: percent, most: 1 << 40, limit: math.MaxInt64}
	}
	collectWithin(1<<30, upTo(50)) // which counts no more
	collectWithin(256*leastHeap, upTo(300))
	if n := gcPercent(); n != 25600 {
		t.Errorf("%d percent for a heap of 256 times the least", n)
	}
	for deadline := time.Now().Add(10 * time.Second); gcPercent() != 300; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("%d percent after the first collection", gcPercent())
		}
	}
	collectWithin(0, upTo(150))
	if n := gcPercent(); n != 150 {
		t.Errorf("%d percent for a heap of nothing", n)
	}
	firstCollection.Stop()
}

// The limit of a server's memory stays when garbage has been collected, and is never above that of the environment.
func TestLasting(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer func(given int64) { givenLimit = given }(givenLimit)
	for _, given := range []int64{math.MaxInt64, 300 << 20} {
		givenLimit = given
		Start()
		if n := debug.SetMemoryLimit(-1); n != given {
			t.Errorf("a limit of %d at the start, and the environment says %d", n, given)
		}
		Lasting(512 << 20)
		for deadline := time.Now().Add(10 * time.Second); gcPercent() != lastingGarbage; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Now().After(deadline) {
				t.Fatalf("%d percent after the first collection", gcPercent())
			}
		}
		for range 3 {
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
		if n := debug.SetMemoryLimit(-1); n != min(given, 512<<20) {
			t.Errorf("a limit of %d after collections, and the environment says %d", n, given)
		}
	}
	firstCollection.Stop()
}

// Where objects in use are scattered, the limit is above the pages that they keep: a collector that is always at its limit never rests.
func TestLimitOfScatteredObjects(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	const objects, bytes, share = 1 << 20, 64, 8
	all := make([]*[bytes]byte, objects)
	for i := range all {
		all[i] = new([bytes]byte)
	}
	for i := range all {
		if i%share != 0 {
			all[i] = nil
		}
	}
	collectWithin(0, garbageBounds{percent: usualGarbage, least: leastGarbage, most: 1, limit: 1})
	defer firstCollection.Stop()
	for deadline := time.Now().Add(10 * time.Second); debug.SetMemoryLimit(-1) < objects*bytes; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(deadline) {
			t.Fatalf("a limit of %d, and objects keep pages of %d", debug.SetMemoryLimit(-1), objects*bytes)
		}
	}
	runtime.KeepAlive(all)
}

func gcPercent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
