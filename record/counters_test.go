package record

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// A goroutine that is locked to its thread has that thread's counters, and others have none.
func TestCountThread(t *testing.T) {
	if err := CheckCounters("page-faults"); err != nil {
		t.Skip(err)
	}
	r, err := Start(t.TempDir(), Options{Budget: 1 << 20, Counters: "task-clock,page-faults", Filter: "!hidden"})
	if err != nil {
		t.Fatal(err)
	}
	touch, hidden := r.Region("touch"), r.Region("hidden")
	load := r.Metric("load", "1")
	plain := r.Location("plain")
	plain.Enter(touch)
	plain.Metric(load, 5)
	plain.Leave()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l := r.Location("counted")
	if err := l.CountThread(); err != nil {
		t.Fatal(err)
	}
	const pages = 300
	mem, err := syscall.Mmap(-1, 0, pages*4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	l.Enter(touch)
	for i := range pages {
		mem[4096*i] = 1
	}
	l.Leave()
	l.Enter(hidden)
	l.Leave()
	allocations := testing.AllocsPerRun(100, func() { l.Enter(hidden); l.Leave(); l.Enter(touch); l.Leave() })
	l.End()
	l.Enter(touch)
	l.Leave()
	r.Close()
	if allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	locations, _, _ := heldBy(t, r.Path())
	if n := len(locations[0]); n != 3 {
		t.Errorf("%d events of a location without counters", n)
	}
	var faults [2]uint64 // before the first enter, and before its leave
	list := locations[1]
	for i, at := range []int{1, 4} { // task-clock, page-faults, enter, task-clock, page-faults, leave
		var metric, n, kind uint64
		if _, err := fmt.Sscanf(list[at].words, "[%d %d %d %d]", &metric, &n, &kind, &faults[i]); err != nil || list[at].kind != trace.KindMetric || metric != 2 {
			t.Fatalf("event %d is %v", at, list[at])
		}
	}
	if n := faults[1] - faults[0]; n < pages || n > pages+20 {
		t.Errorf("%d faults of %d pages", n, pages)
	}
	if want := 6 * 102; len(list) != want+2 { // touch was called 102 times with counters, and once after the end
		t.Errorf("%d events, not %d", len(list), want+2)
	}
}

// The recorder in C has the same names.
func TestCountersOfHeader(t *testing.T) {
	header, err := os.ReadFile("../recorder/pando_record.h")
	if err != nil {
		t.Fatal(err)
	}
	for kind, names := range map[string][]string{"hardware": hardware, "software": software} {
		if line := kind + `[] = {"` + strings.Join(names, `", "`) + `"}`; !strings.Contains(string(header), line) {
			t.Errorf("the header has not %s", line)
		}
	}
}
