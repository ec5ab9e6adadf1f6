package match

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/store/internal/pairing"
)

// Each receive gets the send that a list of the free ones of its channel has at that place; the writer finds how many it passes over.
func TestPairEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		channels := rapid.IntRange(1, 4).Draw(t, "channels")
		var codes []uint32
		free := make([][]uint32, channels)
		for range rapid.IntRange(0, 80).Draw(t, "ends") {
			code := rapid.SampledFrom([]uint32{pairing.NoEnd, pairing.Unresolved, pairing.Unwanted, pairing.PairedEnd + 3, 1, 2}).Draw(t, "end")
			if c := rapid.IntRange(0, channels-1).Draw(t, "channel"); code == 1 || code == 2 {
				if code == 2 {
					free[c] = append(free[c], uint32(len(codes)))
				}
				code += 2 * uint32(c)
			}
			codes = append(codes, code)
		}
		orders := make([]sendOrder, channels)
		for c := range orders {
			for _, n := range free[c] {
				orders[c].sends = append(orders[c].sends, sendPlace{n / 10, n})
			}
		}
		var marks []pairing.SkipMark
		var want []pairing.EndPair
		lost := -1
		for n, code := range codes {
			if code >= pairing.Unresolved || code%2 == 0 {
				continue
			}
			skip, sends := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 9}).Draw(t, "skip"), &free[code/2]
			if skip > 0 {
				marks = append(marks, pairing.SkipMark{End: uint32(n), Skip: uint32(skip)})
			}
			if skip >= len(*sends) {
				if lost < 0 {
					lost = n
				}
				continue
			}
			s := (*sends)[skip]
			if got := orders[code/2].skip(sendPlace{s / 10, s}); got != skip {
				t.Fatalf("the send of end %d stands behind %d, not %d free ones", n, got, skip)
			}
			want, *sends = append(want, pairing.EndPair{Send: s, Receive: uint32(n)}), slices.Delete(*sends, skip, skip+1)
		}
		got, gotLost := pairing.PairEnds(codes, channels, marks)
		if !slices.Equal(got, want) || gotLost != lost {
			t.Fatalf("%v, %d\nwant %v, %d", got, gotLost, want, lost)
		}
	})
}
