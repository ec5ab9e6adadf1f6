// Package indextest has what the tests of package index and of the packages below it share. It imports neither.
package indextest

import (
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/format"
)

// AnyNumber draws numbers of all sizes.
func AnyNumber(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) }

// AddSeeds calls a function that adds seeds to a fuzz target, with different sources of random numbers.
func AddSeeds(f *testing.F, add func(r *rand.Rand)) {
	for seed := range uint64(8) {
		add(rand.New(rand.NewPCG(seed, 2)))
	}
}

// Refused reports whether a parser returned an error, and fails if the error is no CorruptError.
func Refused(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !format.IsCorrupt(err) {
		t.Fatalf("%v is no CorruptError", err)
	}
	return err != nil
}
