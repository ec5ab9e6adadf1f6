package summary

import (
	"testing"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// A slice that cannot be added up, of a damaged file, leaves nothing behind in what adds up the next one.
func TestFolderAfterDamage(t *testing.T) {
	slice := func(leaves []uint32, times []int64) *foldSlice {
		meaning := []read.LeafCall{{Class: shape.Enter}, {Class: shape.Leave}}
		return &foldSlice{CallSteps: &read.CallSteps{Meaning: meaning, Runs: []read.StepRun{{Leaves: leaves, Times: times}}}}
	}
	var f callFolder
	if _, err := f.sums(slice([]uint32{0}, []int64{1})); err == nil {
		t.Fatal("a call that outlasts its slice without an item was taken")
	}
	sums, err := f.sums(slice([]uint32{0, 1}, []int64{1, 3}))
	if err != nil {
		t.Fatal(err)
	}
	want := callCell{Count: 1, Time: trace.SumOf(2)}
	if got := sums.cells; len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
