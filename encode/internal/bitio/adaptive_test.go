package bitio

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// script is a sequence of bits and numbers, the same for writer and reader of a seed.
type script struct {
	*rand.Rand
	c        *Coder
	chances  [5]Chance
	contexts [3]NumberChances
}

func newScript(seed uint64, c *Coder) *script {
	return &script{Rand: rand.New(rand.NewPCG(seed, 1)), c: c}
}

// step codes one thing and returns what came out, and what was to come out.
func (s *script) step() (got, want uint64) {
	bit := s.IntN(1+s.IntN(100)) == 0
	v := s.Uint64() >> s.IntN(65)
	switch s.IntN(4) {
	case 0:
		return uint64(FromBool(s.c.choose(s.c.size>>1, bit))), uint64(FromBool(bit))
	case 1:
		return s.c.Number(&s.contexts[s.IntN(3)], v), v
	}
	return uint64(FromBool(s.c.Bit(&s.chances[s.IntN(5)], bit))), uint64(FromBool(bit))
}

// What is written comes back, and the reader knows the end.
func TestAdaptiveBits(t *testing.T) {
	for seed := range uint64(500) {
		n := int(seed * seed / 50)
		w := newScript(seed, NewWriter())
		for range n {
			if got, want := w.step(); got != want {
				t.Fatalf("seed %d: the writer makes %d of %d", seed, got, want)
			}
		}
		data := w.c.Finish()
		r := newScript(seed, NewReader(data))
		for i := range n {
			if r.c.Done(0) && len(data) > 1 && i < n/2 {
				t.Fatalf("seed %d: the stream is over after %d of %d", seed, i, n)
			}
			if got, want := r.step(); got != want {
				t.Fatalf("seed %d: number %d of %d is %d, want %d", seed, i, n, got, want)
			}
		}
		if !r.c.Done(0) {
			t.Fatalf("seed %d: the stream is not over", seed)
		}
	}
}

// A stream that ends well is the one that its bits give: nothing else passes for it.
func TestAdaptiveBitsHaveOneForm(t *testing.T) {
	whole := 0
	for seed := range uint64(200_000) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 1+r.IntN(6))
		for i := range data {
			data[i] = []byte{0, 255, byte(r.Uint32())}[r.IntN(3)]
		}
		in, out := NewReader(data), NewWriter()
		var read, written [2]Chance
		for n := r.IntN(60); n > 0 && !in.Done(0); n-- {
			out.Bit(&written[n%2], in.Bit(&read[n%2], false))
		}
		if !in.Done(0) {
			continue
		}
		whole++
		if again := out.Finish(); !bytes.Equal(again, data) {
			t.Fatalf("seed %d: % x is written as % x", seed, data, again)
		}
	}
	if whole < 1000 {
		t.Errorf("only %d streams ended: this tests little", whole)
	}
}

// Bits that are nearly always the same cost next to nothing, and none costs too much when it is not.
func TestAdaptiveBitsAreShort(t *testing.T) {
	w := NewWriter()
	var c Chance
	for i := range 100_000 {
		w.Bit(&c, i%1000 == 999)
	}
	if n := len(w.Finish()); n > 400 {
		t.Errorf("%d bytes for 100 ones among 100,000 bits", n)
	}
}
