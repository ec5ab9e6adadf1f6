package fold

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// BenchmarkAdd adds the timelines of a lane of 128 locations to one pile.
func BenchmarkAdd(b *testing.B) {
	const locations, pixels, regions = 128, 2000, 6
	random := rand.New(rand.NewPCG(1, 2))
	t := &trace.Timeline{To: pixels * 1000, Pixels: pixels, Starts: []int{0}, Errors: make([]uint64, pixels)}
	for r := range uint64(regions) {
		t.Regions = append(t.Regions, r)
	}
	var members []int
	for l := range locations {
		for p := range uint32(pixels) {
			left, region := uint64(1000), uint32(random.IntN(regions-1))
			if random.IntN(4) == 0 {
				n := random.Uint64N(left-1) + 1
				t.Cells = append(t.Cells, trace.TimelineCell{Pixel: p, Region: region, Ticks: n})
				left, region = left-n, region+1
			}
			t.Cells = append(t.Cells, trace.TimelineCell{Pixel: p, Region: region, Ticks: left})
		}
		t.Starts, t.Locations, members = append(t.Starts, len(t.Cells)), append(t.Locations, uint64(l)), append(members, l)
	}
	var a adder
	b.SetBytes(int64(16 * len(t.Cells)))
	for b.Loop() {
		p := &pile{members: locations, left: locations, busy: make([]busySum, pixels), errors: make([]uint64, pixels)}
		a.reset(t)
		a.add(p, members)
	}
}
