package read

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// stablySorted is what Merge makes of times, by the standard library.
func stablySorted(times []int64) []uint32 {
	order := make([]uint32, len(times))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(times[a], times[b]) })
	return order
}

// merged merges times.
func (m *Merge) merged(times []int64) (order []uint32) {
	var first, last int64
	if len(times) > 0 {
		first, last = slices.Min(times), slices.Max(times)
	}
	for _, key := range m.Sorted(times, first, last) {
		order = append(order, uint32(m.Number(key)))
	}
	return order
}

// Things come in the order that a stable sort by time makes, whatever the times: whole ranges, few values, the first and the last of all.
func TestMerge(t *testing.T) {
	var m Merge
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64().Draw(t, "from")
		reach := uint64(1)<<rapid.IntRange(0, 63).Draw(t, "bits") - 1
		time := rapid.Custom(func(t *rapid.T) int64 { return from + int64(rapid.Uint64Range(0, reach).Draw(t, "time")) })
		if from > 0 && reach > uint64(1<<63-1-from) {
			time = rapid.Int64()
		}
		var times []int64
		for _, run := range rapid.SliceOf(rapid.SliceOf(time)).Draw(t, "runs") {
			slices.Sort(run)
			times = append(times, run...)
		}
		if got, want := m.merged(times), stablySorted(times); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Of many things, nearly all at a few moments, or all at one, the same holds: their cells are divided, some of them again.
func TestMergeOfBursts(t *testing.T) {
	var m Merge
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		times := make([]int64, rnd.IntN(5000))
		bursts, apart, within := 1+rnd.Int64N(8), int64(1)<<rnd.IntN(60), int64(1)<<rnd.IntN(20)
		for i := range times {
			times[i] = rnd.Int64N(bursts)*(apart/8) + rnd.Int64N(within)>>rnd.IntN(20)
		}
		for run := range slices.Chunk(times, 1+rnd.IntN(1000)) {
			slices.Sort(run)
		}
		if got, want := m.merged(times), stablySorted(times); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d times are in another order", seed, len(times))
		}
	}
}

// Times outside of the bounds that were said, which only damaged files have, come in some order, each once.
func TestMergeOutOfBounds(t *testing.T) {
	var m Merge
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOf(rapid.Int64()).Draw(t, "times")
		first, last := rapid.Int64().Draw(t, "first"), rapid.Int64().Draw(t, "last")
		seen := make([]bool, len(times))
		for _, key := range m.Sorted(times, first, last) {
			seen[m.Number(key)] = true
		}
		if slices.Contains(seen, false) {
			t.Fatal("one is missing")
		}
	})
}
