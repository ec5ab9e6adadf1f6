package recorder_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// The example in C records what it says: regions, names of threads, and all kinds of events.
func TestExampleInC(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run.d")
	if out, err := command(t, dir, built(t, "gcc", "workers", "-std=c99", "-D_GNU_SOURCE", "examples/workers.c")).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	h := read(t, filepath.Join(dir, "0.pandorec"))
	for region, calls := range map[string]int{"work": 2, "task": 100, "exchange": 1} {
		h.has(t, region, calls)
	}
	slices.Sort(h.locations)
	if !slices.Equal(h.locations, []string{"main", "worker 0", "worker 1"}) || h.warnings != "[]" {
		t.Errorf("locations %q, warnings %s", h.locations, h.warnings)
	}
	for kind, n := range map[trace.Kind]int{trace.KindMpiSend: 1, trace.KindMpiRecv: 1, trace.KindMpiCollectiveBegin: 1, trace.KindMpiCollectiveEnd: 1, trace.KindMetric: 100, trace.KindDefMarker: 1, trace.KindMarker: 2} {
		if h.kinds[kind] != n {
			t.Errorf("%d events of kind %d, not %d", h.kinds[kind], kind, n)
		}
	}
}

// The example in C++ ends all calls that it begins, also the one that an exception leaves.
func TestExampleInCPlusPlus(t *testing.T) {
	h := done(t, built(t, "g++", "scopes", "-std=c++11", "examples/scopes.cc"))
	for region, calls := range map[string]int{"main": 1, "part": 3, "fill": 3, "mean": 3} {
		h.has(t, region, calls)
	}
	if len(h.locations) != 4 || h.warnings != "[]" {
		t.Errorf("locations %q, warnings %s", h.locations, h.warnings)
	}
}
