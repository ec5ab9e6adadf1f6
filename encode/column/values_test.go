package column

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
)

// testBlock is a block of values.
type testBlock struct {
	counts []int
	values []uint64
}

func buildModel(contexts int, blocks ...testBlock) *Model {
	b := NewBuilder(contexts)
	for _, block := range blocks {
		b.Add(block.counts, block.values)
	}
	return b.Build()
}

// distributions are what the values of a context can look like.
var distributions = map[string]func(r *rand.Rand) uint64{
	"constant":     func(r *rand.Rand) uint64 { return 77 },
	"zero":         func(r *rand.Rand) uint64 { return 0 },
	"all ones":     func(r *rand.Rand) uint64 { return math.MaxUint64 },
	"two":          func(r *rand.Rand) uint64 { return uint64(r.IntN(2)) * math.MaxUint64 },
	"small":        func(r *rand.Rand) uint64 { return uint64(r.IntN(5)) },
	"flat":         func(r *rand.Rand) uint64 { return 1000 + uint64(r.IntN(5000)) },
	"lattice":      func(r *rand.Rand) uint64 { return 10*uint64(r.ExpFloat64()*20) + uint64(r.IntN(2)) },
	"heavy tail":   func(r *rand.Rand) uint64 { return uint64(math.Exp(r.ExpFloat64() * 4)) },
	"any":          func(r *rand.Rand) uint64 { return r.Uint64() },
	"any size":     func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) },
	"near the top": func(r *rand.Rand) uint64 { return math.MaxUint64 - uint64(r.IntN(9)) },
}

// drawBlock draws a block with some contexts at most, each with its own distribution and a number of values that is often 0
// or 1.
func drawBlock(t *rapid.T, contexts int) testBlock {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range distributions {
			if !yield(name) {
				return
			}
		}
	})
	b := testBlock{counts: make([]int, rapid.IntRange(0, contexts).Draw(t, "counts"))}
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	for c := range b.counts {
		b.counts[c] = rapid.OneOf(rapid.IntRange(0, 1), rapid.IntRange(0, 300)).Draw(t, "count")
		draw := distributions[rapid.SampledFrom(names).Draw(t, "distribution")]
		for range b.counts[c] {
			b.values = append(b.values, draw(r))
		}
	}
	return b
}

// mustDecode decodes a block and fails the test on an error.
func mustDecode(t testing.TB, m *Model, block []byte, counts []int) []uint64 {
	t.Helper()
	n, _ := sum(counts)
	out := make([]uint64, n)
	for i := range out {
		out[i] = 0xdeadbeef // what Decode leaves must not be what was there
	}
	if err := m.Decode(out, block, counts); err != nil {
		t.Fatalf("counts %v: %v", counts, err)
	}
	return out
}

// TestRoundTrip encodes blocks with models made from them, and blocks with models made from others.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contexts := rapid.IntRange(0, 12).Draw(t, "contexts")
		var known []testBlock
		for range rapid.IntRange(0, 3).Draw(t, "known") {
			known = append(known, drawBlock(t, contexts))
		}
		m := buildModel(contexts, known...)
		src := m.Append([]byte("before"))
		if string(src[:6]) != "before" {
			t.Fatal("Append changed what it should append to")
		}
		parsed, err := ParseModel(src[6:])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(parsed.Append(nil), src[6:]) {
			t.Fatal("a parsed model has other bytes")
		}
		if parsed.Contexts() != contexts {
			t.Fatalf("%d contexts, want %d", parsed.Contexts(), contexts)
		}
		for _, b := range append(known, drawBlock(t, contexts)) {
			block := m.Encode(nil, b.counts, b.values)
			if again := parsed.Encode([]byte("before"), b.counts, b.values); string(again) != "before"+string(block) {
				t.Fatal("a parsed model encodes other bytes")
			}
			out := make([]uint64, len(b.values))
			if err := parsed.Decode(out, block, b.counts); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out, b.values) {
				t.Fatal(cmp.Diff(b.values, out))
			}
		}
	})
}

// TestDistributions checks each distribution with as many values as a real block has, and against the plain decoder.
func TestDistributions(t *testing.T) {
	for name, draw := range distributions {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			b := testBlock{counts: []int{5000, 0, 3, 2000}}
			for range 7003 {
				b.values = append(b.values, draw(r))
			}
			m := buildModel(4, b)
			block := m.Encode(nil, b.counts, b.values)
			if got := mustDecode(t, m, block, b.counts); !slices.Equal(got, b.values) {
				t.Fatal("values changed")
			}
			if got := encodetest.PlainDecode(t, m.Append(nil), block, b.counts); !slices.Equal(got, b.values) {
				t.Fatal("the plain decoder decodes other values")
			}
		})
	}
}

// TestStateCounts decodes blocks with about as many symbols as need more states, plainly as well. Before them stand values without
// symbols, whose offsets are some bytes: fewer than four states carry, as many, and more.
func TestStateCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	b := testBlock{counts: []int{16, 2000}}
	for range 16 {
		b.values = append(b.values, uint64(r.IntN(256)))
	}
	for range 2000 {
		b.values = append(b.values, uint64(r.IntN(3)))
	}
	bytesThenCoins := columns{u64s(0, 0), u64s(0, 2), u64s(8, 0, 0, 0), u64s(0, 0, 0, 0), u64s(0, 5, 5, 5)}
	m, err := ParseModel(bytesThenCoins.appendPlain(bytesThenCoins.appendHead(nil, 0)))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 2, 1022, 1023, 1024, 1025, 1026, 1027, 1999} {
		for _, offsets := range []int{0, 1, 7, 8, 9, 15, 16} {
			counts, values := []int{offsets, n}, b.values[16-offsets:16+n]
			block := m.Encode(nil, counts, values)
			if got := mustDecode(t, m, block, counts); !slices.Equal(got, values) {
				t.Errorf("%v values changed", counts)
			}
			if got := encodetest.PlainDecode(t, m.Append(nil), block, counts); !slices.Equal(got, values) {
				t.Errorf("%v values: the plain decoder decodes others", counts)
			}
		}
	}
}

func u64s(v ...uint64) []uint64 { return v }

// TestSizes holds the bytes of blocks with their model against the entropy of what the values are drawn from.
func TestSizes(t *testing.T) {
	tests := []struct {
		name    string
		draw    func(r *rand.Rand) uint64
		entropy float64 // bits per value
		slack   float64 // bits per value
	}{
		{"constant", func(r *rand.Rand) uint64 { return 123456 }, 0, 0.003},
		{"all ones", func(r *rand.Rand) uint64 { return math.MaxUint64 }, 0, 0.003},
		{"fair coin", func(r *rand.Rand) uint64 { return uint64(r.IntN(2)) * 1000 }, 1, 0.005},
		{"unfair coin", func(r *rand.Rand) uint64 { return uint64(r.IntN(100)/99) * 1000 }, 0.0808, 0.006},
		{"1024 numbers", func(r *rand.Rand) uint64 { return 5555 + uint64(r.IntN(1024)) }, 10, 0.06},
		{"48 of 480", func(r *rand.Rand) uint64 { return 10 * uint64(r.IntN(48)) }, 5.585, 0.05},
		{"16 bits", func(r *rand.Rand) uint64 { return r.Uint64() >> 48 }, 16, 0.06},
		{"64 bits", func(r *rand.Rand) uint64 { return r.Uint64() }, 64, 0.3},
		{"peak and background", func(r *rand.Rand) uint64 {
			if r.IntN(2) == 0 {
				return 300
			}
			return uint64(r.IntN(1 << 20))
		}, 11, 0.08},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			const n = 50000
			b := testBlock{counts: []int{n}}
			for range n {
				b.values = append(b.values, test.draw(r))
			}
			m := buildModel(1, b)
			size := float64(8*(len(m.Append(nil))+len(m.Encode(nil, b.counts, b.values)))) / n
			if size > test.entropy+test.slack {
				t.Errorf("%.4f bits per value, should be %.4f and at most %.4f more", size, test.entropy, test.slack)
			}
		})
	}
}

// TestSmallBlocks holds the bytes of tiny blocks against the least that is possible.
func TestSmallBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	b := testBlock{counts: []int{4096}}
	for range 4096 {
		b.values = append(b.values, uint64(r.IntN(256))*3)
	}
	m := buildModel(1, b)
	for n, most := range map[int]int{0: 2, 1: 4, 2: 6, 4: 8, 100: 105, 300: 305, 1100: 1115} {
		if size := len(m.Encode(nil, []int{n}, b.values[:n])); size > most {
			t.Errorf("%d values of 8 bits take %d bytes, more than %d", n, size, most)
		}
	}
}

// TestForeignValues encodes values that the model has never seen: each may take some bytes more than itself.
func TestForeignValues(t *testing.T) {
	m := buildModel(3, testBlock{[]int{2000, 1, 0}, append(slices.Repeat([]uint64{10, 20}, 1000), 5)})
	foreign := []uint64{math.MaxUint64, 0, 15, 9, 11, 20, 10, 1 << 40, 7, 8, 9}
	for _, counts := range [][]int{{11}, {0, 11}, {0, 0, 11}, {3, 4, 4}} {
		block := m.Encode(nil, counts, foreign)
		if got := mustDecode(t, m, block, counts); !slices.Equal(got, foreign) {
			t.Errorf("counts %v: %v became %v", counts, foreign, got)
		}
		if got := encodetest.PlainDecode(t, m.Append(nil), block, counts); !slices.Equal(got, foreign) {
			t.Errorf("counts %v: plain decoder: %v became %v", counts, foreign, got)
		}
		if len(block) > 70 {
			t.Errorf("counts %v: %d bytes", counts, len(block))
		}
	}
}

// TestBadArguments checks that counts which do not fit are an error of the reader and a panic of the writer.
func TestBadArguments(t *testing.T) {
	m := buildModel(2, testBlock{[]int{3, 2}, []uint64{1, 2, 3, 4, 5}})
	for _, counts := range [][]int{{3, 3}, {3}, {-1, 6}, {3, 2, 0}, {math.MaxInt, math.MaxInt}} {
		if err := m.Decode(make([]uint64, 5), m.Encode(nil, []int{3, 2}, []uint64{1, 2, 3, 4, 5}), counts); !format.IsCorrupt(err) {
			t.Errorf("counts %v: error %v", counts, err)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Encode did not panic for counts %v", counts)
				}
			}()
			m.Encode(nil, counts, make([]uint64, 5))
		}()
	}
}

// TestConcurrentUse uses a model from many goroutines; it is for the race detector too.
func TestConcurrentUse(t *testing.T) {
	counts, values := columnsLikeTraces(30, 4, 2000)
	m := benchBuilder(counts, values)
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range counts {
				k := (i + g) % len(counts)
				block := m.Encode(nil, counts[k], values[k])
				out := make([]uint64, len(values[k]))
				if err := m.Decode(out, block, counts[k]); err != nil || !slices.Equal(out, values[k]) {
					t.Errorf("block %d: wrong values, error %v", k, err)
				}
			}
		})
	}
	group.Wait()
}

// TestNoAllocation checks that decoding allocates one small thing a block, and encoding nothing but the result.
func TestNoAllocation(t *testing.T) {
	counts, values := columnsLikeTraces(30, 1, 4000)
	m := benchBuilder(counts, values)
	block := m.Encode(nil, counts[0], values[0])
	out := make([]uint64, len(values[0]))
	if n := testing.AllocsPerRun(20, func() {
		if err := m.Decode(out, block, counts[0]); err != nil {
			t.Error(err)
		}
	}); n > 1 {
		t.Errorf("Decode allocates %.1f times", n)
	}
	if n := testing.AllocsPerRun(20, func() { block = m.Encode(block[:0], counts[0], values[0]) }); n > 0.5 {
		t.Errorf("Encode allocates %.1f times", n)
	}
}
