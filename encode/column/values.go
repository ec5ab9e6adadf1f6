package column

import (
	"fmt"
	"sync"

	"github.com/pandotrace/pando/format"
)

// # Values
//
// A block holds values of a number of contexts, all of the first context, then all of the second, and so on. How many
// each has is not stored: the reader knows. The block's parts follow each other:
//
//	exceptions   uvarint their number; for each uvarint how many values lie between it and the one before, uvarint the value
//	states       4 bytes for each state of the symbol stream
//	words        2 bytes each, as many as decoding takes
//	offsets      bits, low ones first; the last byte is filled with zeros
//
// Each value is a symbol, which is the number of its bin in the context's table, and an offset inside the bin in as many
// bits as the bin has. Symbols of tables with one bin are left out. Symbols come in the order of the values, and so do
// offsets.
//
// The states that the encoder begins with, and the decoder ends with, carry data as well: the last bytes of the offsets,
// two for each state, which are not stored otherwise. State k ends as 2^16 plus these bytes 2k and 2k+1, the low one first.
// Offsets that have fewer bytes than that are filled up with zeros.
//
// So the offsets as a whole, which are ceil(sum of offset bits / 8) bytes, or 2·states if that is more, are what stands in the block and then
// these bytes. "How many values lie between" counts values before the first exception, too: an exception of value 5 directly before one of
// value 6 has 5 and 0. A value that lies in no bin stands among the exceptions, and in its place is the heaviest bin of the table (the first one
// of several), with offset 0. The encoding is canonical: a value in a bin is no exception.

// scratch is what encoding or decoding a block needs besides its result.
type scratch struct {
	symbols    []byte
	words      []byte
	offsets    bitWriter
	exceptions []exception
	used       []usedContext // only to decode
}

type exception struct {
	index int
	value uint64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// Encode appends a block of values to dst: counts[c] values of context c. Contexts at the end may be missing from counts.
// Any value can be encoded with any model. It panics if counts and values do not fit each other or the model.
func (m *Model) Encode(dst []byte, counts []int, values []uint64) []byte {
	if n, ok := sum(counts); !ok || n != len(values) || len(counts) > len(m.tableOf) {
		panic(fmt.Sprintf("column: counts of %d contexts do not fit %d values or a model of %d contexts",
			len(counts), len(values), len(m.tableOf)))
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.reset(len(values))
	coded := m.divide(s, counts, values)
	dst = s.appendExceptions(dst)
	states := stateCount(coded)
	w := symbolWriter{words: s.words, pos: len(s.words), states: states}
	offsets := s.offsets.finish(2 * states)
	for k := range states {
		w.x[k] = stateMin + load16(offsets[len(offsets)-2*(states-k):])
	}
	m.push(&w, s, counts, coded)
	for k := range states {
		dst = append32(dst, w.x[k])
	}
	dst = append(dst, s.words[w.pos:]...)
	return append(dst, offsets[:len(offsets)-2*states]...)
}

// divide finds each value's bin, writes its offset, and returns the number of symbols that will be coded.
func (m *Model) divide(s *scratch, counts []int, values []uint64) int {
	at, coded := 0, 0
	for c, n := range counts {
		t := m.table(c)
		if t.coding() {
			coded += n
		}
		run := values[at : at+n]
		t.findAll(s.symbols[at:at+n], run)
		for i := 0; i < n; i++ {
			if i += t.writeOffsets(&s.offsets, s.symbols[at+i:at+n], run[i:]); i < n {
				s.exceptions = append(s.exceptions, exception{at + i, run[i]})
				s.symbols[at+i] = t.common
				s.offsets.put(0, t.bins[t.common].bits)
			}
		}
		at += n
	}
	return coded
}

// writeOffsets writes the offsets of values up to the first that does not lie in its bin, and returns their number.
func (t *table) writeOffsets(w *bitWriter, symbols []byte, values []uint64) int {
	data, pos, acc, fill, bins := w.data, w.pos, w.acc, w.fill, t.bins
	i := 0
	for ; i < len(symbols) && i < len(values); i++ {
		b := &bins[symbols[i]]
		n := b.bits & 63
		offset := values[i] - b.lo
		if offset>>n != 0 {
			break
		}
		acc |= offset << (fill & 7)
		put64(data[pos:], acc)
		fill += n
		pos += int(fill >> 3)
		acc >>= fill &^ 7
		fill &= 7
	}
	w.pos, w.acc, w.fill = pos, acc, fill
	return i
}

// push codes the symbols, the last one first.
func (m *Model) push(w *symbolWriter, s *scratch, counts []int, coded int) {
	end := len(s.symbols)
	for c := len(counts) - 1; c >= 0; c-- {
		t, symbols := m.table(c), s.symbols[end-counts[c]:end]
		end -= counts[c]
		if t.coding() {
			w.push(symbols, coded, t)
			coded -= len(symbols)
		}
	}
}

func (s *scratch) reset(n int) {
	if cap(s.words) < 2*n+2 {
		s.symbols, s.words = make([]byte, n), make([]byte, 2*n+2)
	}
	s.symbols, s.words = s.symbols[:n], s.words[:2*n+2]
	s.offsets.reset(n)
	s.exceptions = s.exceptions[:0]
}

func (s *scratch) appendExceptions(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(len(s.exceptions)))
	next := 0
	for _, e := range s.exceptions {
		dst = format.AppendUvarint(dst, uint64(e.index-next))
		dst = format.AppendUvarint(dst, e.value)
		next = e.index + 1
	}
	return dst
}

// sum adds counts up; ok is false if one is negative or the sum is too large.
func sum(counts []int) (total int, ok bool) {
	for _, n := range counts {
		if n < 0 || total+n < total {
			return 0, false
		}
		total += n
	}
	return total, true
}
