package match

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Ends without a partner come in the order of their channels, however few are held; those of a channel in the order in which they came.
func TestUnmatchedInOrder(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		u := unmatchedEnds{most: rapid.IntRange(1, 40).Draw(t, "held"), spool: blockio.Spool{Dir: folder}}
		defer u.spool.Close()
		var want []pairing.Unmatched
		side := rapid.Custom(func(t *rapid.T) pairing.Side {
			s := pairing.Side{Own: drawProcess(t, "own"), Send: rapid.Bool().Draw(t, "send"), Tag: rapid.Uint64Range(0, 2).Draw(t, "tag")}
			if s.PeerUnknown = rapid.Bool().Draw(t, "unknown"); !s.PeerUnknown {
				s.Peer = drawProcess(t, "peer")
			}
			return s
		})
		for i := range rapid.IntRange(0, 300).Draw(t, "ends") {
			e := pairing.Unmatched{Side: side.Draw(t, "side"), Location: rapid.Uint32Range(0, 9).Draw(t, "location"), Ordinal: uint64(i), Slice: uint64(i / 7), Length: 8}
			u.add(e)
			want = append(want, e)
		}
		slices.SortFunc(want, func(a, b pairing.Unmatched) int {
			return cmp.Or(a.Side.Compare(&b.Side), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		var got []pairing.Unmatched
		for block, err := range u.blocks(10, 100) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, block...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v\nwant %v", got, want)
		}
	})
}

func drawProcess(t *rapid.T, label string) pairing.ProcessID {
	return pairing.ProcessID{Id: rapid.Uint64Range(0, 2).Draw(t, label), Location: rapid.Bool().Draw(t, label+" is a location")}
}
