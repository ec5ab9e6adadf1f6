package trace

import (
	"math/big"
	"math/bits"
)

// Sum is a signed sum of 128 bits: durations of calls that contain each other add up to more than 64 bits can hold. The zero
// Sum is 0.
type Sum struct {
	// Hi are the upper 64 bits in two's complement, Lo the lower ones.
	Hi int64
	Lo uint64
}

// SumOf returns a Sum of a signed number.
func SumOf(v int64) Sum { return Sum{v >> 63, uint64(v)} }

// Plus returns s + o.
func (s Sum) Plus(o Sum) Sum {
	lo, carry := bits.Add64(s.Lo, o.Lo, 0)
	return Sum{s.Hi + o.Hi + int64(carry), lo}
}

// Minus returns s - o.
func (s Sum) Minus(o Sum) Sum {
	lo, borrow := bits.Sub64(s.Lo, o.Lo, 0)
	return Sum{s.Hi - o.Hi - int64(borrow), lo}
}

// Add adds an unsigned number.
func (s *Sum) Add(v uint64) {
	lo, carry := bits.Add64(s.Lo, v, 0)
	s.Lo, s.Hi = lo, s.Hi+int64(carry)
}

// Cmp returns -1, 0 or 1 as s is less than, equal to or greater than o.
func (s Sum) Cmp(o Sum) int {
	switch {
	case s == o:
		return 0
	case s.Hi < o.Hi || s.Hi == o.Hi && s.Lo < o.Lo:
		return -1
	}
	return 1
}

// Float returns the sum as a float64, rounded.
func (s Sum) Float() float64 {
	if s.Hi == 0 {
		return float64(s.Lo)
	}
	f, _ := new(big.Float).SetInt(s.Big()).Float64()
	return f
}

// Big returns the sum as an integer of any size.
func (s Sum) Big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(s.Hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.Lo))
}

// String returns the sum in decimal digits.
func (s Sum) String() string {
	if s == SumOf(int64(s.Lo)) {
		return big.NewInt(int64(s.Lo)).String()
	}
	return s.Big().String()
}

// MarshalJSON writes the sum as a number.
func (s Sum) MarshalJSON() ([]byte, error) { return []byte(s.String()), nil }

// product returns v times n, for a v of 64 bits with or without sign.
func product(v uint64, signed bool, n uint64) Sum {
	hi, lo := bits.Mul64(v, n)
	if signed && int64(v) < 0 {
		hi -= n // v stands for v - 2^64
	}
	return Sum{int64(hi), lo}
}
