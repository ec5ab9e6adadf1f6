package fold

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/store"
)

// BenchmarkAdd adds the timelines of a lane of 128 locations to one pile: calls of about five pixels, and between them pixels of two.
func BenchmarkAdd(b *testing.B) {
	const locations, pixels, regions, length = 128, 2000, 6, 1000
	random := rand.New(rand.NewPCG(1, 2))
	t := &store.TimelineRuns{To: pixels * length, Pixels: pixels, Starts: []int{0}, Errors: make([]uint64, pixels)}
	for r := range uint64(regions) {
		t.Regions = append(t.Regions, r)
	}
	var members []int
	for l := range locations {
		for p := uint32(0); p < pixels; p++ {
			region, n := uint32(random.IntN(regions-1)), random.Uint64N(length-1)+1
			t.Runs = append(t.Runs, store.TimelineRun{Pixel: p, Pixels: 1, Region: region, Ticks: n}, store.TimelineRun{Pixel: p, Pixels: 1, Region: region + 1, Ticks: length - n})
			if more := min(random.Uint32N(8), pixels-1-p); more > 0 {
				t.Runs = append(t.Runs, store.TimelineRun{Pixel: p + 1, Pixels: more, Region: region, Ticks: uint64(more) * length})
				p += more
			}
		}
		t.Starts, t.Locations, members = append(t.Starts, len(t.Runs)), append(t.Locations, uint64(l)), append(members, l)
	}
	lengths := make([]uint64, pixels)
	for i := range lengths {
		lengths[i] = length
	}
	var a adder
	b.SetBytes(int64(24 * len(t.Runs)))
	for b.Loop() {
		p := &pile{members: locations, left: locations, busy: make([]busySum, pixels), errors: make([]uint64, pixels)}
		a.reset(t, lengths)
		a.add(p, members)
	}
}
