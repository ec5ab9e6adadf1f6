package read

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Items come in the order that a stable sort by time makes, whatever the times: whole ranges, few values, the first and the last of all.
func TestMerge(t *testing.T) {
	var m Merge
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64().Draw(t, "from")
		reach := uint64(1)<<rapid.IntRange(0, 63).Draw(t, "bits") - 1
		time := rapid.Custom(func(t *rapid.T) int64 { return from + int64(rapid.Uint64Range(0, reach).Draw(t, "time")) })
		if from > 0 && reach > uint64(1<<63-1-from) {
			time = rapid.Int64()
		}
		m.Reset(0)
		var want []mergeItem
		for run, times := range rapid.SliceOf(rapid.SliceOf(time)).Draw(t, "runs") {
			slices.Sort(times)
			for at, t := range times {
				m.Add(t, run, at)
				want = append(want, mergeItem{t, uint32(run), uint32(at)})
			}
		}
		slices.SortStableFunc(want, func(a, b mergeItem) int { return cmp.Compare(a.time, b.time) })
		if got := m.Sorted(); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
