package column

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	_ "github.com/pandotrace/pando/internal/lastwords"
)

// follow gives the context of what follows on a value.
func follow(v uint64) int { return int(v % 5) }

// drawChain draws values the successors of which are few.
func drawChain(r *rand.Rand, n int) (contexts []int, values []uint64) {
	context := 0
	for range n {
		v := uint64(context)*7 + r.Uint64N(3)
		switch r.IntN(20) {
		case 0:
			v = r.Uint64N(1 << 20)
		case 1:
			v = r.Uint64() >> r.IntN(64)
		}
		contexts, values = append(contexts, context), append(values, v)
		context = follow(v)
	}
	return contexts, values
}

func modelOfChain(contexts []int, values []uint64) *Model {
	var byContext [5][]uint64
	var counts [5]int
	for i, c := range contexts {
		byContext[c] = append(byContext[c], values[i])
		counts[c]++
	}
	b := NewBuilder(len(counts))
	b.Add(counts[:], slices.Concat(byContext[:]...))
	return b.Build()
}

func decodeChain(m *Model, b []byte, n int) ([]uint64, error) {
	r := format.NewDecoder("chain", b)
	c := m.NewChainReader(r)
	var values []uint64
	for context := 0; len(values) < n && r.Err() == nil; context = follow(values[len(values)-1]) {
		values = append(values, c.Next(context))
	}
	c.Finish()
	return values, r.Err()
}

func TestChainsComeBack(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		contexts, values := drawChain(r, r.IntN(2000))
		m := modelOfChain(contexts, values)
		if seed%3 == 0 { // a model of other values: there are exceptions
			m = modelOfChain(drawChain(r, 100))
		}
		b := m.AppendChain(nil, contexts, values)
		got, err := decodeChain(m, b, len(values))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, v := range values {
			if got[i] != v {
				t.Fatalf("seed %d: value %d is %d, want %d", seed, i, got[i], v)
			}
		}
		for n := range b {
			if _, err := decodeChain(m, b[:n], len(values)); !format.IsCorrupt(err) {
				t.Fatalf("seed %d: %d of %d bytes: %v", seed, n, len(b), err)
			}
		}
		if _, err := decodeChain(m, append(b, 0, 0), len(values)); !format.IsCorrupt(err) {
			t.Fatalf("seed %d: two bytes too many: %v", seed, err)
		}
	}
}

// Values that follow from the one before take hardly a bit.
func TestChainsPay(t *testing.T) {
	contexts, values := make([]int, 10_000), make([]uint64, 10_000)
	for i := range values {
		values[i], contexts[i] = uint64(i*i%5), (i+4)%5
	}
	m := modelOfChain(contexts, values)
	if b := m.AppendChain(nil, contexts, values); len(b) > 40 {
		t.Errorf("%d bytes", len(b))
	}
}

// Damage is noticed, or gives another chain of its own bytes.
func FuzzChain(f *testing.F) {
	contexts, values := drawChain(rand.New(rand.NewPCG(1, 1)), 300)
	m := modelOfChain(contexts, values)
	f.Add(m.AppendChain(nil, contexts, values), 300)
	f.Add(m.AppendChain(nil, nil, nil), 0)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if n < 0 || n > 1000 {
			return
		}
		values, err := decodeChain(m, b, n)
		if err != nil {
			if !format.IsCorrupt(err) {
				t.Fatal(err)
			}
			return
		}
		contexts := make([]int, n)
		for i := range max(n, 1) - 1 {
			contexts[i+1] = follow(values[i])
		}
		if again := m.AppendChain(nil, contexts, values); string(again) != string(b) {
			t.Fatalf("%x is written as %x", b, again)
		}
	})
}
