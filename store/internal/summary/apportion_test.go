package summary

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/store/internal/account"
)

// Parts add up, and none differs by one or more from its exact share.
func TestApportion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		amount := r.Uint64() >> r.IntN(64)
		weights, sum := make([]uint64, 1+r.IntN(20)), new(big.Int)
		for i := range weights {
			if r.IntN(3) > 0 {
				weights[i] = r.Uint64() >> (6 + r.IntN(58))
			}
			sum.Add(sum, new(big.Int).SetUint64(weights[i]))
		}
		left := amount
		for i, part := range account.Apportion(amount, weights) {
			left -= part
			share := big.NewRat(1, int64(len(weights)))
			if sum.Sign() > 0 {
				share.SetFrac(new(big.Int).SetUint64(weights[i]), sum)
			}
			share.Mul(share, new(big.Rat).SetInt(new(big.Int).SetUint64(amount)))
			off := new(big.Rat).Sub(new(big.Rat).SetInt(new(big.Int).SetUint64(part)), share)
			if off.Abs(off).Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("%d by weights %v: part %d is %d, the share is %s", amount, weights, i, part, share.FloatString(3))
			}
		}
		if left != 0 {
			t.Fatalf("%d by weights %v: %d left", amount, weights, int64(left))
		}
	}
}
