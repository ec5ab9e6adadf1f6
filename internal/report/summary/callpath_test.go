package summary

import (
	"testing"

	"github.com/pandotrace/pando/store"
)

// The tree for other programs has the calls and times of a summary of all calls.
func TestStacks(t *testing.T) {
	f := opened(t, "otf2.mg.S.8.snapmark")
	s, err := New(f, f.All(), Options{By: ByCallPath, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree, ok := s.Stacks()
	if !ok || len(tree.Nodes) < 50 {
		t.Fatalf("%v, %d nodes", ok, len(tree.Nodes))
	}
	var time, calls, wantTime, wantCalls int64
	for n := range tree.Nodes {
		time, calls = time+tree.Columns[0].Values[n], calls+tree.Columns[1].Values[n]
	}
	sums, err := f.All().Summary(store.SummaryCalls)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range sums.Calls {
		wantTime, wantCalls = wantTime+int64(c.Exclusive.Lo), wantCalls+int64(c.Count)
	}
	if time != wantTime || calls != wantCalls || f.Meta().Resolution != 1e9 {
		t.Errorf("%d ns in %d calls, want %d in %d", time, calls, wantTime, wantCalls)
	}
	if s, err = New(f, f.All(), Options{}); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Stacks(); ok {
		t.Error("a summary by region has stacks")
	}
}
