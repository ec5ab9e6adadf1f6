package order_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/order"
)

// Nth finds what sorting finds, and leaves the values on the sides where they belong.
func TestNth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{0, 3, 1 << 40}).Draw(t, "most")
		list := rapid.SliceOfN(rapid.Int64Range(-most, most), 1, 60).Draw(t, "list")
		n := rapid.IntRange(0, len(list)-1).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(list))
		got := order.Nth(list, n)
		if got != sorted[n] || list[n] != got {
			t.Fatalf("%d, want %d", got, sorted[n])
		}
		for i, v := range list {
			if i < n && v > got || i > n && v < got {
				t.Fatalf("%d at %d, %d at %d", v, i, got, n)
			}
		}
		if slices.Sort(list); !slices.Equal(list, sorted) {
			t.Fatal("values are lost")
		}
	})
}
