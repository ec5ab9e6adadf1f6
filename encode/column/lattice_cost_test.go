package column

import (
	"math/rand/v2"
	"testing"
)

// The bits that are estimated for times are near what a block of values takes, with its model.
func TestSpanBits(t *testing.T) {
	const n = 20_000
	for name, draw := range map[string]func(r *rand.Rand) uint64{
		"equal":          func(*rand.Rand) uint64 { return 15 },
		"uniform, small": func(r *rand.Rand) uint64 { return r.Uint64N(16) },
		"uniform":        func(r *rand.Rand) uint64 { return r.Uint64N(1 << 20) },
		"exponential":    func(r *rand.Rand) uint64 { return uint64(r.ExpFloat64() * 3000) },
		"few":            func(r *rand.Rand) uint64 { return uint64(r.ExpFloat64() * r.ExpFloat64()) },
		"all sizes":      func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		values := make([]uint64, n)
		for i := range values {
			values[i] = draw(r)
		}
		b := NewBuilder(1)
		b.Add([]int{n}, values)
		coded := int64(8 * len(b.Build().Encode(nil, []int{n}, values)))
		if got := SpanBits(values); got > coded+coded/10+400 || got < coded-coded/10-400 {
			t.Errorf("%s: %d bits, coded they take %d", name, got, coded)
		}
	}
}
