package column

import (
	"encoding/binary"
)

// # Symbols
//
// Symbols are coded with range asymmetric numeral systems: a state x, 2^16 <= x < 2^32, is a stack of symbols.
// For a symbol with frequency f and start s in a table with total 2^L, the decoder does
//
//	slot = x mod 2^L                  (the symbol is the one with s <= slot < s+f)
//	x    = f·floor(x/2^L) + slot - s
//	if x < 2^16: x = x·2^16 + the next word
//
// Words are 16 bits wide, little-endian, in the order in which the decoder needs them. The encoder undoes these steps from
// the last symbol to the first. A stream without symbols has no state, one with less than 1024 symbols has one; others have
// four, and symbol i belongs to state i mod 4.

const (
	stateMin   = 1 << 16
	manyStates = 1024 // symbols from which on there are four states
)

func put64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
func load64(b []byte) uint64   { return binary.LittleEndian.Uint64(b) }
func load16(b []byte) uint32   { return uint32(binary.LittleEndian.Uint16(b)) }

// stateCount returns the number of interleaved states for a number of symbols.
func stateCount(symbols int) int {
	switch {
	case symbols == 0:
		return 0
	case symbols < manyStates:
		return 1
	}
	return 4
}

// symbolReader decodes symbols.
type symbolReader struct {
	x    [4]uint32 // the state of the next symbol is the first
	turn int       // the state that is first
	src  []byte
	pos  int
	torn bool // src was too short
}

// word returns the next word.
func (r *symbolReader) word() uint32 {
	if r.pos+2 > len(r.src) {
		r.torn = true
		return 0xffff
	}
	r.pos += 2
	return load16(r.src[r.pos-2:])
}

// one decodes a symbol from state x[0].
func (r *symbolReader) one(t *table) uint8 {
	x := r.x[0]
	slot := x & (1<<t.log - 1)
	symbol := t.slots[slot]
	f := t.freqs[symbol]
	x = f.freq()*(x>>t.log) + slot - f.start()
	if x < stateMin {
		x = x<<16 | r.word()
	}
	r.x[0] = x
	return symbol
}

// single decodes len(out) symbols of a table from one state.
func (r *symbolReader) single(out []byte, t *table) {
	for i := range out {
		out[i] = r.one(t)
	}
}

// rotating decodes len(out) symbols of a table from four states.
func (r *symbolReader) rotating(out []byte, t *table) {
	for i := r.groups(out, t); i < len(out); i++ {
		out[i] = r.one(t)
		r.x = [4]uint32{r.x[1], r.x[2], r.x[3], r.x[0]}
		r.turn++
	}
}

// seeds returns the data that the states carried, as a bitReader has it.
func (r *symbolReader) seeds(states int) (end [24]byte) {
	for k := range states {
		binary.LittleEndian.PutUint16(end[8+2*k:], uint16(r.x[(k-r.turn)&3]))
	}
	return end
}

// groups decodes symbols four at a time as long as eight bytes of src are left, and returns their number.
func (r *symbolReader) groups(out []byte, t *table) int {
	x0, x1, x2, x3 := r.x[0], r.x[1], r.x[2], r.x[3]
	src, pos, log, mask := r.src, r.pos, t.log&15, uint32(1)<<(t.log&15)-1
	slots, freqs := (*[1 << maxLog]byte)(t.slots[:1<<maxLog]), (*[maxBins]frequency)(t.freqs[:maxBins])
	i := 0
	for ; i+4 <= len(out) && pos+8 <= len(src); i += 4 {
		o := out[i : i+4 : i+4]
		words, used := load64(src[pos:pos+8]), 0
		s0, s1, s2, s3 := x0&mask&(1<<maxLog-1), x1&mask&(1<<maxLog-1), x2&mask&(1<<maxLog-1), x3&mask&(1<<maxLog-1)
		b0, b1, b2, b3 := slots[s0], slots[s1], slots[s2], slots[s3]
		f0, f1, f2, f3 := freqs[b0], freqs[b1], freqs[b2], freqs[b3]
		o[0], o[1], o[2], o[3] = b0, b1, b2, b3
		x0 = f0.freq()*(x0>>log) + s0 - f0.start()
		x1 = f1.freq()*(x1>>log) + s1 - f1.start()
		x2 = f2.freq()*(x2>>log) + s2 - f2.start()
		x3 = f3.freq()*(x3>>log) + s3 - f3.start()
		x0, words, used = refill(x0, words, used)
		x1, words, used = refill(x1, words, used)
		x2, words, used = refill(x2, words, used)
		x3, _, used = refill(x3, words, used)
		pos += used
	}
	r.x, r.pos = [4]uint32{x0, x1, x2, x3}, pos
	return i
}

// refill brings a state back into its range, and counts the bytes that this takes. Written so that the compiler needs no branch.
func refill(x uint32, words uint64, used int) (uint32, uint64, int) {
	full := uint32((uint64(x) - stateMin) >> 32) // all ones if a word is needed
	shift := full & 16
	x = x<<(shift&31) | uint32(words)&full&0xffff
	return x, words >> (shift & 31), used + int(shift>>3)
}

// symbolWriter encodes symbols from the last to the first, and writes words from the end of a buffer downwards.
type symbolWriter struct {
	x      [4]uint32
	states int
	words  []byte
	pos    int
}

// push encodes a table's symbols, the last of which is symbol n-1 of all.
func (w *symbolWriter) push(symbols []byte, n int, t *table) {
	i := len(symbols)
	for ; i > 0 && (w.states == 1 || n&3 != 0); i-- {
		n--
		w.one(n&(w.states-1), t, symbols[i-1])
	}
	i = w.groups(symbols[:i], t)
	for ; i > 0; i-- {
		n--
		w.one(n&3, t, symbols[i-1])
	}
}

// one encodes a symbol onto a state.
func (w *symbolWriter) one(state int, t *table, symbol byte) {
	w.x[state&3], w.pos = push(w.x[state&3], w.words, w.pos, t.freqs[symbol], t.log)
}

// groups encodes symbols four at a time, and returns the number of those left.
func (w *symbolWriter) groups(symbols []byte, t *table) int {
	x0, x1, x2, x3 := w.x[0], w.x[1], w.x[2], w.x[3]
	words, pos, log, freqs := w.words, w.pos, t.log, t.freqs
	i := len(symbols)
	for ; i >= 4; i -= 4 {
		s := symbols[i-4 : i]
		x3, pos = push(x3, words, pos, freqs[s[3]], log)
		x2, pos = push(x2, words, pos, freqs[s[2]], log)
		x1, pos = push(x1, words, pos, freqs[s[1]], log)
		x0, pos = push(x0, words, pos, freqs[s[0]], log)
	}
	w.x, w.pos = [4]uint32{x0, x1, x2, x3}, pos
	return i
}

// push encodes a symbol with frequency f. There must be room for a word below pos.
func push(x uint32, words []byte, pos int, f frequency, log uint8) (uint32, int) {
	freq := f.freq()
	binary.LittleEndian.PutUint16(words[pos-2:], uint16(x))
	y, next := x>>16, pos-2
	if x >= freq<<((32-log)&31) {
		x, pos = y, next
	}
	return x/freq<<(log&31) + x%freq + f.start(), pos
}
