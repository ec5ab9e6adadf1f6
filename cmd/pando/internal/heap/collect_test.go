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

func gcPercent() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
