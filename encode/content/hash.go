package content

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync"
)

// modulus is a prime, so that two different strings of n symbols have equal polynomials under n bases at most.
const modulus = 1<<61 - 1

// Bases are the two numbers of which the polynomials are. Only hashes under equal bases can be joined and compared.
type Bases [2]uint64

// The bases of hashes that are stored in files are the first binary digits of the square roots of 2 and 3.
const (
	firstBase  = 0x16a09e667f3bcc90
	secondBase = 0x1bb67ae8584caa73
)

// Fixed are the bases of hashes that are stored in files.
var Fixed = Bases{firstBase, secondBase}

// Random returns the bases of this process, which nobody can know who makes a file.
var Random = sync.OnceValue(func() (b Bases) {
	const least = 1 << 32
	for i := range b {
		b[i] = least + rand.Uint64N(modulus-least)
	}
	return b
})

// Hash is that of a string of symbols, with what it takes to join it. The zero Hash is that of the empty string. Hashes of the same bases are
// equal, by ==, if their strings are; if the strings differ, the hashes are equal with a chance of about N/2^122 under random bases.
type Hash struct {
	// N is the number of symbols, modulo 2^64.
	N uint64
	// Sums are the polynomials: the first symbol has the highest power.
	Sums  [2]uint64
	above [2]uint64 // B^N - 1 for the bases B
}

// Symbols are those that stand for the enters and for the leaves of a region.
type Symbols struct{ Enter, Leave uint64 }

// SymbolsOf returns the symbols of a region by its name: the first two words of the name's SHA-256, little-endian, modulo 2^61-1.
func SymbolsOf(name string) Symbols {
	sum := sha256.Sum256([]byte(name))
	return Symbols{binary.LittleEndian.Uint64(sum[:]) % modulus, binary.LittleEndian.Uint64(sum[8:]) % modulus}
}

// Symbol returns the hash of a string of one symbol.
func (b Bases) Symbol(symbol uint64) Hash {
	symbol %= modulus
	return Hash{N: 1, Sums: [2]uint64{symbol, symbol}, above: [2]uint64{b[0] - 1, b[1] - 1}}
}

// Hash returns the hash of a string that is known by its length and its sums; ok is false if the sums are none.
func (b Bases) Hash(n uint64, sums [2]uint64) (h Hash, ok bool) {
	if max(sums[0], sums[1]) >= modulus || n == 0 && sums != [2]uint64{} {
		return Hash{}, false
	}
	h = Hash{N: n, Sums: sums}
	for i, base := range b {
		h.above[i] = minus(power(base, n), 1)
	}
	return h, true
}

// Then returns the hash of a string followed by another one.
func (h Hash) Then(next Hash) Hash {
	for i := range h.Sums {
		h.Sums[i] = plus(plus(times(h.Sums[i], next.above[i]), h.Sums[i]), next.Sums[i])
		h.above[i] = plus(plus(times(h.above[i], next.above[i]), h.above[i]), next.above[i])
	}
	h.N += next.N
	return h
}

// Times returns the hash of a string n times in a row.
func (h Hash) Times(n uint64) (all Hash) {
	for ; n > 1; n >>= 1 {
		if n&1 == 1 {
			all = h.Then(all)
		}
		h = h.Then(h)
	}
	if n == 1 {
		all = h.Then(all)
	}
	return all
}

// plus adds numbers below the modulus.
func plus(a, b uint64) uint64 {
	sum := a + b
	if sum >= modulus {
		sum -= modulus
	}
	return sum
}

func minus(a, b uint64) uint64 {
	if a < b {
		a += modulus
	}
	return a - b
}

// times multiplies numbers below the modulus. 2^61 is 1 modulo 2^61-1, so the upper part of the product counts as it is.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return plus(low&modulus, high<<3|low>>61)
}

func power(base, n uint64) uint64 {
	p := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = times(p, base)
		}
		base = times(base, base)
	}
	return p
}
