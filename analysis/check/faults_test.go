package check_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/trace"
)

// Nothing is wrong in a program in which nothing was broken; one thing that is broken is found where it shows, and no other rule finds anything.
func TestFaults(t *testing.T) {
	codes := map[string]bool{}
	for c := range check.Codes() {
		codes[c.String()] = true
	}
	for _, fault := range tracegen.Faults() {
		delete(codes, fault.Name)
		t.Run(fault.Name, func(t *testing.T) {
			for seed := range uint64(thrift.Of(4, 100)) {
				ranks, steps := 4+2*int(seed%3), 9+int(seed%5)
				src := tracegen.Program(ranks, steps, seed)
				if r := of(t, src, check.Options{}); len(r.Counts) > 0 {
					t.Fatalf("seed %d, an unbroken trace: %s, %+v", seed, totals(r), r.Findings[0])
				}
				location, event, shows := fault.Break(src, seed)
				testFault(t, of(t, src, check.Options{}), fault.Name, location, event, shows)
			}
		})
	}
	for name := range codes {
		t.Errorf("there is no fault for %s", name)
	}
}

// testFault checks that a fault was found where it shows, and that no other rule found anything.
func testFault(t *testing.T, r *check.Result, name string, location, event uint64, shows bool) {
	t.Helper()
	i := slices.IndexFunc(r.Findings, func(f check.Finding) bool {
		return f.Code.String() == name && f.HasEvent == shows && (!shows || f.At.Location == location && f.At.Ordinal == event)
	})
	if i < 0 {
		t.Fatalf("not found at event %d of %d:\n%s\n%+v", event, location, totals(r), r.Findings)
	}
	for _, f := range r.Findings {
		if f.Code.Rule() != r.Findings[i].Code.Rule() {
			t.Fatalf("%v was found, too: %+v", f.Code, f)
		}
	}
}

// In a window, and on some locations, there are the findings of the whole trace that lie there, and the counts of these.
func TestWithin(t *testing.T) {
	seed := uint64(3)
	k := tracegen.RandomKnobs(seed)
	k.Length = 400
	src := tracegen.Random(seed, k)
	all := of(t, src, check.Options{Limit: 1 << 20})
	var times []int64
	for _, f := range all.Findings {
		if f.HasEvent {
			times = append(times, f.At.Time)
		}
	}
	slices.Sort(times)
	window := &check.Window{From: times[len(times)/3], To: times[2*len(times)/3]}
	for _, location := range append(slices.Clone(all.Locations), trace.Undefined) {
		o := check.Options{Limit: 1 << 20, Window: window}
		if location != trace.Undefined {
			o.Locations = []uint64{location}
		}
		part := of(t, src, o)
		var want []check.Finding
		for _, f := range all.Findings {
			if f.HasEvent && window.From <= f.At.Time && f.At.Time < window.To && (o.Locations == nil || f.At.Location == location) {
				want = append(want, f)
			}
		}
		var n uint64
		for _, c := range part.Counts {
			n += c.N
		}
		if !reflect.DeepEqual(part.Findings, want) || n != uint64(len(want)) {
			t.Errorf("location %d: %d findings, counted %d, want %d", location, len(part.Findings), n, len(want))
		}
		if location == trace.Undefined && len(want) == 0 {
			t.Error("there are none in the window: the test tells nothing")
		}
	}
}
