package report

import (
	"bufio"
	"io"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// TestListAllocates: a section of many elements allocates no more than a section of few.
func TestListAllocates(t *testing.T) {
	l := NewListing(bufio.NewWriter(io.Discard), nil, ListOptions{})
	all := func(yield func(trace.Call, error) bool) {
		for range 10_000 {
			if !yield(trace.Call{}, nil) {
				return
			}
		}
	}
	line := func(dst []byte, c *trace.Call) []byte { return append(dst, byte('0'+c.Location), '\n') }
	allocated := testing.AllocsPerRun(5, func() {
		if err := list(l, section{"calls", "", callMembers}, all, func(c *trace.Call) int64 { return c.Start }, line); err != nil {
			t.Fatal(err)
		}
	})
	if allocated > 50 {
		t.Errorf("%g allocations for 10,000 lines", allocated)
	}
}
