package column

import (
	"math/bits"

	"github.com/pandotrace/pando/format"
)

// bitWriter writes numbers of up to 57 bits, low bits first.
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
func (w *bitWriter) put(v uint64, n uint8) {
	w.acc |= v << (w.fill & 7)
	put64(w.data[w.pos:], w.acc)
	fill := w.fill + n
	w.pos += int(fill >> 3)
	w.acc >>= fill &^ 7
	w.fill = fill & 7
}

// finish fills the last byte with zeros and returns all bytes.
func (w *bitWriter) finish() []byte {
	if w.fill > 0 {
		w.data[w.pos] = byte(w.acc)
		w.pos++
	}
	return w.data[:w.pos]
}

// bitReader reads what a bitWriter wrote.
type bitReader struct {
	data    []byte
	pos     uint               // in bits
	carried [carriedBytes]byte // what follows on data
	tail    int                // how many bytes these are
	end     [24]byte           // less than eight bytes of data, carried, and zeros behind them
	left    int                // how many bytes these are
	last    bool               // data is end
	lone    bool               // there is no data but what is carried
	torn    bool
}

// toTail goes on to a copy of the last bytes, when less than eight are left. It reports false if that was done before.
func (r *bitReader) toTail() bool {
	if r.last {
		return false
	}
	r.last = true
	r.left = copy(r.end[:], r.data[r.pos>>3:])
	r.left += copy(r.end[r.left:], r.carried[:r.tail])
	r.data, r.pos = r.end[:], r.pos&7
	return true
}

// take reads a number of n bits, 57 at most.
func (r *bitReader) take(n uint8) uint64 {
	if r.pos>>3+8 > uint(len(r.data)) && !r.toTail() {
		r.torn = true
		return 0
	}
	v := load64(r.data[r.pos>>3:]) >> (r.pos & 7) & (1<<n - 1)
	r.pos += uint(n)
	return v
}

// done reports whether all was read: only zeros are left of the last byte, or of what is carried if that is all.
func (r *bitReader) done() bool {
	if r.torn || !r.last && (int(r.pos>>3)+8 <= len(r.data) || !r.toTail()) {
		return false
	}
	if left := r.left - int(r.pos+7)>>3; left != 0 && (left < 0 || !r.lone) {
		return false
	}
	return load64(r.end[r.pos>>3:])>>(r.pos&7) == 0
}

// digitWriter appends numbers of any size to dst, bit by bit: as many zeros as the number has binary digits, a one, and all
// digits but the first.
type digitWriter struct {
	dst  []byte
	fill int // bits used of the last byte, 0 if all
}

func (w *digitWriter) put(v uint64) {
	n := bits.Len64(v)
	w.bits(0, n)
	w.bits(1, 1)
	w.bits(v, n-1)
}

// bits writes the n low digits of v.
func (w *digitWriter) bits(v uint64, n int) {
	for i := range n {
		if w.fill == 0 {
			w.dst = append(w.dst, 0)
		}
		w.dst[len(w.dst)-1] |= byte(v>>i&1) << w.fill
		w.fill = (w.fill + 1) & 7
	}
}

// digitReader reads what a digitWriter wrote.
type digitReader struct {
	d    *format.Decoder
	data []byte // what the decoder had left
	pos  uint   // in bits
}

func newDigitReader(d *format.Decoder) *digitReader { return &digitReader{d: d, data: d.Rest()} }

// shortDigits is the number of digits up to which a number and what announces it fit into 57 bits.
const shortDigits = 28

// get reads a number. Behind the end of the data are zeros.
func (r *digitReader) get() uint64 {
	at := r.pos >> 3
	if at+8 > uint(len(r.data)) {
		return r.slow()
	}
	w := load64(r.data[at:]) >> (r.pos & 7)
	n := uint(bits.TrailingZeros64(w))
	if n > shortDigits {
		return r.slow()
	}
	r.pos += max(2*n, 1)
	return w>>1>>n&((1<<n-1)>>1) | 1<<n>>1
}

// slow reads a number bit by bit.
func (r *digitReader) slow() uint64 {
	n := 0
	for r.bit() == 0 {
		if n++; n > 64 {
			r.d.Fail("a number with more than 64 digits")
			return 0
		}
	}
	if n == 0 {
		return 0
	}
	v := uint64(1) << (n - 1)
	for i := range n - 1 {
		v |= r.bit() << i
	}
	return v
}

func (r *digitReader) bit() uint64 {
	at := r.pos >> 3
	if at >= uint(len(r.data)) {
		r.pos++
		return 0
	}
	b := r.data[at] >> (r.pos & 7) & 1
	r.pos++
	return uint64(b)
}

// finish takes what was read from the decoder, and checks that the last byte is filled with zeros.
func (r *digitReader) finish() {
	b := r.d.Take(int(r.pos+7) >> 3)
	if used := r.pos & 7; used > 0 && len(b) > 0 && b[len(b)-1]>>used != 0 {
		r.d.Fail("bits behind the last number")
	}
}
