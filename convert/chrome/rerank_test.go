package chrome

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRerank gives sorted records other ranks, in memory and on disk, and compares with a stable sort of all.
func TestRerank(t *testing.T) {
	for _, n := range []int{1, 300, 50_000} {
		s := newSorter(t.TempDir(), 1)
		s.fanIn = 3
		dice := rand.New(rand.NewPCG(2, uint64(n)))
		type record struct {
			k    key
			data string
		}
		var want []record
		for i := range n {
			r := record{key{dice.Uint64N(3), dice.Uint64N(2) * 5, instant{dice.Int64N(int64(n)/20 + 1), 0}}, string(binary.AppendUvarint([]byte{byte(opSlice)}, uint64(i))) + fmt.Sprintf("%*s", dice.IntN(60), "")}
			want = append(want, r)
			if err := s.add(r.k, []byte(r.data)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.finish(); err != nil {
			t.Fatal(err)
		}
		order := func(a, b record) int { return a.k.compare(&b.k) }
		sorted := slices.Clone(want)
		slices.SortStableFunc(sorted, order)
		changes := newSorter(t.TempDir(), 1)
		place, follow := key{}, uint64(0)
		for i := range sorted {
			k := &sorted[i].k
			if k.group != place.group || k.time != place.time {
				place, follow = *k, 0
			}
			var data []byte
			switch dice.IntN(5) {
			case 0:
				k.rank = sliceRank + dice.Uint64N(5)
				follow, data = k.rank, []byte{followed}
			case 1:
				k.rank = 1 + dice.Uint64N(3)
			case 2:
				k.rank = sliceRank + dice.Uint64N(5)
			default:
				if k.rank == 0 {
					k.rank = follow
				}
				continue
			}
			if err := changes.add(key{group: uint64(i), rank: k.rank}, data); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(sorted, func(a, b record) int { return cmp.Or(order(a, b), cmp.Compare(placeOf(a.data), placeOf(b.data))) })
		want = sorted
		if err := changes.finish(); err != nil {
			t.Fatal(err)
		}
		if err := s.rerank(changes); err != nil {
			t.Fatal(err)
		}
		if onDisk := len(s.runs) > 0; onDisk != (n == 50_000) {
			t.Errorf("%d records: on disk %v", n, onDisk)
		}
		c, err := s.cursor(0)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !c.next() || c.key() != want[i].k || string(c.data()) != want[i].data {
				t.Fatalf("%d records: record %d is not %v", n, i, want[i])
			}
		}
		if c.next() || c.failure() != nil || s.close() != nil || changes.close() != nil {
			t.Errorf("%d records: more, or %v", n, c.failure())
		}
	}
}

// placeOf returns the place in the file that a record says.
func placeOf(data string) uint64 {
	place, _ := binary.Uvarint([]byte(data[1:]))
	return place
}
