package slice

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
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

// Times are read without a look at the other values, which are refused when batches are made.
func TestTimesAlone(t *testing.T) {
	d, s := small(t)
	stats := statisticsOf(d, s)
	d.Prepare()
	s.arrange(d, stats)
	withoutOthers(&s.draft)
	var e Events
	if err := e.Decode(AppendBlock(nil, &s.draft, stats, d.ColumnInfos()), d, stats, format.Limits{}, noLocation); err != nil {
		t.Fatal(err)
	}
	if want := []int64{100, 110, 120, 105, 130}; !slices.Equal(e.Times, want) {
		t.Errorf("times %v, want %v", e.Times, want)
	}
	if _, err := e.Batch(0); !format.IsCorrupt(err) {
		t.Errorf("values that are not there: %v", err)
	}
}
