package write

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The order is that of a sorted list.
func TestUnfinished(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u unfinished
		var list []covering
		for next := uint32(0); next < 50; {
			which := rapid.IntRange(0, max(len(list)-1, 0)).Draw(t, "which")
			switch what := rapid.IntRange(0, 3).Draw(t, "what"); {
			case what <= 1 || len(list) == 0:
				c := covering{rapid.Int64Range(0, 20).Draw(t, "time"), next}
				u.add(c)
				list = append(list, c)
				next++
			case what == 2:
				list[which].time += rapid.Int64Range(0, 20).Draw(t, "more")
				u.advance(list[which])
			default:
				u.remove(list[which].location)
				if u.has(list[which].location) {
					t.Fatal("it is still there")
				}
				list = slices.Delete(list, which, which+1)
			}
			if u.len() != len(list) {
				t.Fatalf("%d locations, want %d", u.len(), len(list))
			}
			if len(list) == 0 {
				continue
			}
			ordered := slices.SortedFunc(slices.Values(list), func(a, b covering) int {
				return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.location, b.location))
			})
			n := rapid.IntRange(1, 20).Draw(t, "lowest")
			for i, location := range u.lowest(nil, n) {
				if location != ordered[i].location || !u.has(location) {
					t.Fatalf("%d covers least but for %d, want %d", location, i, ordered[i].location)
				}
			}
			if u.heap[0] != ordered[0] {
				t.Fatalf("%v is the first, want %v", u.heap[0], ordered[0])
			}
		}
	})
}
