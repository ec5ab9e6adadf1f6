package attack

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
)

// dice draws what an input is made of.
type dice struct{ *rand.Rand }

// newDice returns the dice of one input: the same for the same seed, kind and number.
func newDice(seed uint64, kind string, number int) dice {
	h := fnv.New64a()
	h.Write([]byte(kind + "/" + strconv.Itoa(number)))
	return dice{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// pick returns one of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// bytes returns n random bytes.
func (d dice) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// absurd returns a number that no honest count or length is.
func (d dice) absurd() uint64 {
	return pick(d, []uint64{1<<16 - 1, 1 << 20, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<62 + 1, 1<<63 - 1, 1 << 63, 1<<64 - 1})
}

// damaged returns a copy of bytes, changed in one of the usual ways.
func (d dice) damaged(b []byte) []byte {
	out := append([]byte(nil), b...)
	if len(out) == 0 {
		return d.bytes(1 + d.IntN(64))
	}
	at := d.IntN(len(out))
	switch d.IntN(6) {
	case 0:
		out[at] ^= 1 << d.IntN(8)
	case 1:
		out[at] = pick(d, []byte{0, 1, 0x7f, 0x80, 0xff})
	case 2: // several bytes
		for range 1 + d.IntN(8) {
			out[d.IntN(len(out))] = byte(d.Uint32())
		}
	case 3: // a forged count or length, in bytes of either order
		n := d.absurd()
		for i := range min(1<<d.IntN(4), len(out)-at) {
			out[at+i] = byte(n >> (8 * i))
		}
	case 4: // a stretch twice
		to := min(len(out), at+1+d.IntN(64))
		out = append(out[:to:to], out[at:]...)
	default: // a stretch less
		to := min(len(out), at+1+d.IntN(64))
		out = append(out[:at:at], out[to:]...)
	}
	return out
}
