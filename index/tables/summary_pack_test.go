package tables

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/index/internal/indextest"
)

// A packed vector unpacks to what it was.
func TestPackedVectors(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		var v Vector
		for range r.IntN(50) {
			row := Row{Key: Key{uint64(r.IntN(3)), indextest.AnyNumber(r) % 3, 0, indextest.AnyNumber(r)}}
			for i := range r.IntN(4) + 1 {
				row.Sums[i] = indextest.AnyNumber(r)
			}
			v = append(v, row)
		}
		slices.SortFunc(v, func(a, b Row) int { return a.Key.Compare(&b.Key) })
		if got := v.Pack().Unpack(); !slices.Equal(got, v) {
			t.Fatalf("seed %d: %v, want %v", seed, got, v)
		}
	}
}

// So does a row of metrics, in front of other bytes.
func TestPackedMetricRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for range 2000 {
		want := MetricRow{Key: Key{indextest.AnyNumber(r), uint64(r.IntN(3)), 0, indextest.AnyNumber(r)}, Samples: Samples{
			Count: indextest.AnyNumber(r), First: int64(indextest.AnyNumber(r)), Last: int64(indextest.AnyNumber(r)), Value: indextest.AnyNumber(r), Min: indextest.AnyNumber(r), Max: indextest.AnyNumber(r),
			Float: r.NormFloat64(),
		}}
		want.Integral.Lo, want.Integral.Hi = indextest.AnyNumber(r), int64(indextest.AnyNumber(r))
		got, rest := UnpackMetricRow(append(want.Pack(nil), 7))
		if got != want || len(rest) != 1 || rest[0] != 7 {
			t.Fatalf("%v, want %v; %v follows", got, want, rest)
		}
	}
}

// Packed vectors add up to what their rows add up to, as a map does it.
func TestAddPacked(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		want := map[Key]uint64{}
		var packed []PackedVector
		for range r.IntN(6) {
			var v Vector
			for key := range uint64(r.IntN(20)) {
				if r.IntN(2) > 0 {
					v = append(v, Row{Key: Key{key / 5, key % 5}, Sums: [4]uint64{seed + key}})
					want[v[len(v)-1].Key] += seed + key
				}
			}
			packed = append(packed, v.Pack())
		}
		sum, ok := AddPacked(packed)
		got := sum.Unpack()
		if !ok || len(got) != len(want) || sum.Rows() != len(want) {
			t.Fatalf("seed %d: %d rows, want %d", seed, len(got), len(want))
		}
		for i, row := range got {
			if row.Sums[0] != want[row.Key] || i > 0 && got[i-1].Key.Compare(&row.Key) >= 0 {
				t.Fatalf("seed %d: %v", seed, row)
			}
		}
	}
	huge := Vector{{Sums: [4]uint64{1 << 62}}}.Pack()
	if _, ok := AddPacked([]PackedVector{huge, huge, huge, huge}); ok {
		t.Error("sums that are too large were added up")
	}
}
