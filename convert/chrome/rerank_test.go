package chrome

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
)

// TestRerank gives sorted records other ranks, in memory and on disk, and compares with a stable sort of all.
func TestRerank(t *testing.T) {
	for _, n := range []int{1, 300, 50_000} {
		s := sorting.NewThreads(t.TempDir(), 1)
		s.FanIn = 3
		dice := rand.New(rand.NewPCG(2, uint64(n)))
		type record struct {
			k    sorting.Key
			data string
		}
		var want []record
		for i := range n {
			r := record{sorting.Key{Group: dice.Uint64N(3), Rank: dice.Uint64N(2) * 5, Time: scan.Instant{Micros: dice.Int64N(int64(n)/20 + 1), Frac: 0}}, string(binary.AppendUvarint([]byte{byte(read.OpSlice | read.Placed)}, uint64(i))) + fmt.Sprintf("%*s", dice.IntN(60), "")}
			want = append(want, r)
			if err := s.Add(r.k, []byte(r.data)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		order := func(a, b record) int { return a.k.Compare(&b.k) }
		sorted := slices.Clone(want)
		slices.SortStableFunc(sorted, order)
		changes := sorting.New(t.TempDir(), 1)
		place, follow := sorting.Key{}, uint64(0)
		for i := range sorted {
			k := &sorted[i].k
			if k.Group != place.Group || k.Time != place.Time {
				place, follow = *k, 0
			}
			var data []byte
			switch dice.IntN(5) {
			case 0:
				k.Rank = read.SliceRank + dice.Uint64N(5)
				follow, data = k.Rank, []byte{read.Followed}
			case 1:
				k.Rank = 1 + dice.Uint64N(3)
			case 2:
				k.Rank = read.SliceRank + dice.Uint64N(5)
			default:
				if k.Rank == 0 {
					k.Rank = follow
				}
				continue
			}
			if err := changes.Add(sorting.Key{Group: uint64(i), Rank: k.Rank}, data); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(sorted, func(a, b record) int { return cmp.Or(order(a, b), cmp.Compare(placeOf(a.data), placeOf(b.data))) })
		want = sorted
		if err := changes.Finish(); err != nil {
			t.Fatal(err)
		}
		if err := s.Rerank(changes, read.PlaceInFile); err != nil {
			t.Fatal(err)
		}
		if onDisk := len(s.Runs) > 0; onDisk != (n == 50_000) {
			t.Errorf("%d records: on disk %v", n, onDisk)
		}
		c := s.Records()
		for i := range want {
			if !c.Next() || c.Key() != want[i].k || string(c.Data()) != want[i].data {
				t.Fatalf("%d records: record %d is not %v", n, i, want[i])
			}
		}
		if c.Next() || c.Failure() != nil || s.Close() != nil || changes.Close() != nil {
			t.Errorf("%d records: more, or %v", n, c.Failure())
		}
	}
}

// placeOf returns the place in the file that a record says.
func placeOf(data string) uint64 {
	place, _ := binary.Uvarint([]byte(data[1:]))
	return place
}
