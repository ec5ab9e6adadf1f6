package content

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naive returns the sums of a string by their definition, with numbers of any size.
func naive(b Bases, symbols []uint64) (sums [2]uint64) {
	p := big.NewInt(modulus)
	for i, base := range b {
		sum := new(big.Int)
		for _, s := range symbols {
			sum.Mul(sum, new(big.Int).SetUint64(base)).Add(sum, new(big.Int).SetUint64(s)).Mod(sum, p)
		}
		sums[i] = sum.Uint64()
	}
	return sums
}

// hashOf returns the hash of a string, symbol by symbol.
func hashOf(b Bases, symbols []uint64) (h Hash) {
	for _, s := range symbols {
		h = h.Then(b.Symbol(s))
	}
	return h
}

// word is one that is often close to the modulus or its multiples, where carries are.
var word = rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(modulus-3, modulus+3), rapid.Uint64Range(0, 3), rapid.Just(^uint64(0)))

var aString = rapid.SliceOfN(word, 0, 40)

// Hashes are what their definition says, however a string is divided.
func TestHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := Bases{rapid.Uint64Range(1, modulus-1).Draw(t, "base"), rapid.Uint64Range(1, modulus-1).Draw(t, "base")}
		s := aString.Draw(t, "string")
		h := hashOf(b, s)
		if want := naive(b, s); h.Sums != want || h.N != uint64(len(s)) {
			t.Fatalf("%v, want %d symbols with the sums %v", h, len(s), want)
		}
		at := rapid.IntRange(0, len(s)).Draw(t, "at")
		if got := hashOf(b, s[:at]).Then(hashOf(b, s[at:])); got != h {
			t.Fatalf("two parts make %v, want %v", got, h)
		}
		n := rapid.IntRange(0, 20).Draw(t, "times")
		if got, want := h.Times(uint64(n)), hashOf(b, slices.Repeat(s, n)); got != want {
			t.Fatalf("%d times make %v, want %v", n, got, want)
		}
		if got, ok := b.Hash(h.N, h.Sums); !ok || got != h {
			t.Fatalf("stored, it comes back as %v (%v), not %v", got, ok, h)
		}
	})
}

// Strings that differ in a symbol, in the order of two, or in length have different hashes, also where symbols are 0.
func TestDifferentStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := aString.Draw(t, "a"), aString.Draw(t, "b")
		reduced := func(s []uint64) []uint64 {
			s = slices.Clone(s)
			for i := range s {
				s[i] %= modulus
			}
			return s
		}
		for _, bases := range []Bases{Fixed, Random()} {
			if equal := slices.Equal(reduced(a), reduced(b)); (hashOf(bases, a) == hashOf(bases, b)) != equal {
				t.Fatalf("equal: %v; the hashes say otherwise", equal)
			}
		}
	})
}

func TestSumsThatAreNone(t *testing.T) {
	for _, sums := range [][2]uint64{{modulus, 0}, {0, modulus}, {1 << 63, 1}} {
		if _, ok := Fixed.Hash(5, sums); ok {
			t.Errorf("%v are sums", sums)
		}
	}
	if _, ok := Fixed.Hash(0, [2]uint64{0, 1}); ok {
		t.Error("the empty string has a sum")
	}
}

// Hashes of files stay what they are: these are by another program, from the definition.
func TestStoredHashes(t *testing.T) {
	of := SymbolsOf("main")
	enter, leave := Fixed.Symbol(of.Enter), Fixed.Symbol(of.Leave)
	both := enter.Then(leave)
	for i, c := range []struct {
		got  Hash
		want [2]uint64
	}{
		{enter, [2]uint64{793592186036842004, 793592186036842004}},
		{leave, [2]uint64{1337947525105089753, 1337947525105089753}},
		{both, [2]uint64{413988290776353452, 1145935547029742351}},
		{both.Times(1 << 40), [2]uint64{1306711241768032760, 1968046411777933773}},
	} {
		if c.got.Sums != c.want {
			t.Errorf("%d: %d, want %d", i, c.got.Sums, c.want)
		}
	}
}

func BenchmarkThen(b *testing.B) {
	h, next := Fixed.Symbol(12345), Fixed.Symbol(6789)
	for b.Loop() {
		h = h.Then(next)
	}
}
