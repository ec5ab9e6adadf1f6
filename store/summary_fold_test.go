package store

import (
	"testing"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/trace"
)

// A slice that cannot be added up, of a damaged file, leaves nothing behind in what adds up the next one.
func TestFolderAfterDamage(t *testing.T) {
	steps := func(leaves []uint32, times []int64) *callSteps {
		at := make([]uint32, len(leaves))
		for i := range at {
			at[i] = uint32(i)
		}
		meaning := []leafCall{{class: encode.Enter}, {class: encode.Leave}}
		return &callSteps{meaning: meaning, runs: []stepRun{{leaves: leaves, at: at, times: times}}}
	}
	var f callFolder
	if _, err := f.marks(steps([]uint32{0}, []int64{1}), nil); err == nil {
		t.Fatal("a call that outlasts its slice without an item was taken")
	}
	m, err := f.marks(steps([]uint32{0, 1}, []int64{1, 3}), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := callCell{count: 1, ended: 1, time: trace.SumOf(2)}
	if got := m.runs[0].last().cells; len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
