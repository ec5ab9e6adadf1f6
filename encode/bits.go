package encode

import "encoding/binary"

// bitWriter writes numbers of up to 56 bits, low bits first.
type bitWriter struct {
	data []byte
	pos  int
	acc  uint64
	fill uint8 // bits in acc, below 8 between calls
}

// reset makes room for n numbers.
func (w *bitWriter) reset(n int) {
	if need := n*maxBits/8 + 16; cap(w.data) < need {
		w.data = make([]byte, need)
	}
	w.data = w.data[:cap(w.data)]
	w.pos, w.acc, w.fill = 0, 0, 0
}

// put writes the low bits of v; the others must be zero.
func (w *bitWriter) put(v uint64, bits uint8) {
	w.acc |= v << (w.fill & 7)
	put64(w.data[w.pos:], w.acc)
	fill := w.fill + bits
	w.pos += int(fill >> 3)
	w.acc >>= fill & 0x38
	w.fill = fill & 7
}

// finish fills the last byte with zeros and returns all bytes, with zeros behind them to make them at least n.
func (w *bitWriter) finish(n int) []byte {
	if w.fill > 0 {
		w.data[w.pos] = byte(w.acc)
		w.pos++
	}
	for ; w.pos < n; w.pos++ {
		w.data[w.pos] = 0
	}
	return w.data[:w.pos]
}

// bitReader reads what a bitWriter wrote, from two pieces, of which the second is short.
type bitReader struct {
	data []byte
	pos  uint // in bits
	body int  // bytes of the first piece
	tail int  // bytes of the second piece
	end  [24]byte
	last bool // data is the end of the first piece, the second piece, and zeros
}

func newBitReader(body, tail []byte) *bitReader {
	r := &bitReader{data: body, body: len(body), tail: len(tail)}
	copy(r.end[8:], tail)
	return r
}

// toTail goes on to the second piece when less than eight bytes of the first are left. It reports false if that was
// done before.
func (r *bitReader) toTail() bool {
	if r.last {
		return false
	}
	r.last = true
	rest := r.data[r.pos>>3:]
	copy(r.end[8-len(rest):], rest)
	r.data, r.pos = r.end[8-len(rest):], r.pos&7
	return true
}

// done reports whether all of both pieces was read: no byte of the first is left, and no bit but zeros of the second, less
// than a byte of them unless the first is empty.
func (r *bitReader) done() bool {
	if !r.last && (int(r.pos>>3)+8 <= len(r.data) || !r.toTail()) {
		return false
	}
	used, have := int(r.pos+7)>>3, len(r.data)-16+r.tail
	if used > have || r.body > 0 && used < have {
		return false
	}
	left := uint(0)
	if r.pos&7 != 0 {
		left = uint(r.data[r.pos>>3] >> (r.pos & 7))
	}
	for _, b := range r.data[used:have] {
		left |= uint(b)
	}
	return left == 0
}

func append32(dst []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(dst, v) }
