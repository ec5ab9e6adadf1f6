package column

import (
	"encoding/binary"
)

// # Symbols
//
// Symbols are coded with range asymmetric numeral systems: a state x, 0 <= x < 2^32, is a stack of symbols.
// For a symbol with frequency f and start s in a table with total 2^L, the decoder does
//
//	slot = x mod 2^L                  (the symbol is the one with s <= slot < s+f)
//	x    = f·floor(x/2^L) + slot - s
//	if x < 2^16 and a word is left: x = x·2^16 + the next word
//
// Words are 16 bits wide, little-endian, in the order in which the decoder needs them. The encoder undoes these steps from
// the last symbol to the first.
//
// A stream of less than 1024 symbols has one state, and the number of its words is stored. It begins as 0 and takes two words by the last of
// these lines, or as many as there are. The first one is not 0. The state ends as 0, and no word is left.
//
// Others have four states, and as many words as decoding takes. Each state begins as 2^16·a + b with two words a and b, first state 0 with the
// first two, and a is not 0. The j-th symbol of a context, counted from 0, belongs to state j mod 4. State k ends as 2^16 plus a number
// below 2^16: these four numbers carry data.

const (
	stateMin   = 1 << 16
	manyStates = 1024 // symbols from which on there are four states

	carriedBytes = 8 // of data in the ends of four states
)

func put64(b []byte, v uint64) { binary.LittleEndian.PutUint64(b, v) }
func load64(b []byte) uint64   { return binary.LittleEndian.Uint64(b) }
func load16(b []byte) uint32   { return uint32(binary.LittleEndian.Uint16(b)) }

// symbolReader decodes symbols.
type symbolReader struct {
	x    [4]uint32
	many bool // there are four states
	src  []byte
	pos  int
}

// begin takes the states from the words, behind which other data may stand if there are four. It reports false if they are out of range.
func (r *symbolReader) begin(words []byte, many bool) bool {
	r.src, r.many = words, many
	if many {
		if len(words) < 16 {
			return false
		}
		r.pos = 16
		for k := range r.x {
			r.x[k] = load16(words[4*k:])<<16 | load16(words[4*k+2:])
		}
		return min(r.x[0], r.x[1], r.x[2], r.x[3]) >= stateMin
	}
	for r.x[0] < stateMin && r.pos < len(words) {
		r.x[0] = r.x[0]<<16 | load16(words[r.pos:])
		r.pos += 2
		if r.x[0] == 0 {
			return false
		}
	}
	return true
}

// one decodes a symbol from a state. Without a word the state stays as it is: one of several cannot end as it must then.
func (r *symbolReader) one(t *table, state int) uint8 {
	x := r.x[state&3]
	slot := x & (1<<t.log - 1)
	symbol := t.slots[slot]
	f := t.freqs[symbol]
	x = f.freq()*(x>>t.log) + slot - f.start()
	if x < stateMin && r.pos+2 <= len(r.src) {
		x = x<<16 | load16(r.src[r.pos:])
		r.pos += 2
	}
	r.x[state&3] = x
	return symbol
}

// symbols decodes the symbols of a context.
func (r *symbolReader) symbols(out []byte, t *table) {
	if !r.many {
		for i := range out {
			out[i] = r.one(t, 0)
		}
		return
	}
	for i := r.groups(out, t); i < len(out); i++ {
		out[i] = r.one(t, i)
	}
}

// done reports whether the states end as they must and, if there is one, no word is left.
func (r *symbolReader) done() bool {
	if r.many {
		return min(r.x[0], r.x[1], r.x[2], r.x[3]) >= stateMin && max(r.x[0], r.x[1], r.x[2], r.x[3]) < 2*stateMin
	}
	return r.x[0] == 0 && r.pos == len(r.src)
}

// carried returns the data that four states end with.
func (r *symbolReader) carried() (data [carriedBytes]byte) {
	for k, x := range r.x {
		binary.LittleEndian.PutUint16(data[2*k:], uint16(x))
	}
	return data
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
	x     [4]uint32
	many  bool // there are four states
	words []byte
	pos   int
}

// newSymbolWriter makes a writer of symbols with room for their words. It has four states if it is given the data that they carry.
func newSymbolWriter(room []byte, carried []byte) symbolWriter {
	w := symbolWriter{words: room, pos: len(room), many: carried != nil}
	if w.many {
		for k := range w.x {
			w.x[k] = stateMin + load16(carried[2*k:])
		}
	}
	return w
}

// push encodes the symbols of a context.
func (w *symbolWriter) push(symbols []byte, t *table) {
	i := len(symbols)
	for ; i > 0 && (!w.many || i&3 != 0); i-- {
		state := 0
		if w.many {
			state = i - 1
		}
		w.one(state, t, symbols[i-1])
	}
	w.groups(symbols[:i], t)
}

// finish returns the words, with those of the states.
func (w *symbolWriter) finish() []byte {
	if !w.many {
		for x := w.x[0]; x > 0; x >>= 16 {
			w.put(x)
		}
		return w.words[w.pos:]
	}
	for k := 3; k >= 0; k-- {
		w.put(w.x[k])
		w.put(w.x[k] >> 16)
	}
	return w.words[w.pos:]
}

func (w *symbolWriter) put(x uint32) {
	w.pos -= 2
	binary.LittleEndian.PutUint16(w.words[w.pos:], uint16(x))
}

// one encodes a symbol onto a state.
func (w *symbolWriter) one(state int, t *table, symbol byte) {
	w.x[state&3], w.pos = push(w.x[state&3], w.words, w.pos, t.freqs[symbol], t.log)
}

// groups encodes symbols, four at a time.
func (w *symbolWriter) groups(symbols []byte, t *table) {
	x0, x1, x2, x3 := w.x[0], w.x[1], w.x[2], w.x[3]
	words, pos, log, freqs := w.words, w.pos, t.log, t.freqs
	for i := len(symbols); i >= 4; i -= 4 {
		s := symbols[i-4 : i]
		x3, pos = push(x3, words, pos, freqs[s[3]], log)
		x2, pos = push(x2, words, pos, freqs[s[2]], log)
		x1, pos = push(x1, words, pos, freqs[s[1]], log)
		x0, pos = push(x0, words, pos, freqs[s[0]], log)
	}
	w.x, w.pos = [4]uint32{x0, x1, x2, x3}, pos
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
