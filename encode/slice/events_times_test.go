package slice

import (
	"testing"

	"github.com/pandotrace/pando/encode/column"
)

// TestLatticeBeyondSlice has times that lie so far behind the slice's end that the distance looks like one before it.
func TestLatticeBeyondSlice(t *testing.T) {
	for ticks, want := range map[uint64]bool{1 << 10: true, 1<<43 + 1<<25: false, 1 << 45: false, 1<<64 - 1: false} {
		e := Events{Block: Block{Start: -5, End: 1 << 44}, values: []uint64{0, ticks}, next: []int{0}}
		run := Run{Events: 2, Period: column.MaxPeriod, Phases: []column.Phase{{Events: 2}}}
		times := make([]int64, 2)
		if got := e.latticeTimes(&run, []uint32{0, 0}, times); got != want {
			t.Errorf("%d ticks: accepted %v, want %v", ticks, got, want)
		} else if got && times[1] != int64(ticks<<20)-5 {
			t.Errorf("%d ticks: time %d", ticks, times[1])
		}
	}
}
