package check_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
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
