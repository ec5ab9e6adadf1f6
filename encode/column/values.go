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
//	words        with one state, uvarint their number; 2 bytes each
//	offsets      bits, low ones first; the last byte is filled with zeros
//
// Each value is a symbol, which is the number of its bin in the context's table, and an offset inside the bin in as many
// bits as the bin has. Symbols of tables with one bin are left out. Symbols come in the order of the values, and so do
// offsets.
//
// A chain is a block of values each of which has the context that the value before it tells. Its values stand in the order in which they
// follow each other, and its stream of symbols has one state, however many they are.
//
// The offsets are ceil(sum of offset bits / 8) bytes. With four states, the last eight of these bytes are not stored: state k carries two
// of them, of which byte 2k is the low one. Bytes of zeros follow on the offsets if they are fewer than eight. "How many values lie between" counts values before the first exception, too: an exception of value 5 directly before one of
// value 6 has 5 and 0. A value that lies in no bin stands among the exceptions, and in its place is the heaviest bin of the table (the first one
// of several), with offset 0. The encoding is canonical: a value in a bin is no exception.

// scratch is what encoding or decoding a block needs besides its result.
type scratch struct {
	symbols    []byte
	wide       []uint16 // of divided contexts
	words      []byte
	offsets    bitWriter
	exceptions []exception
	parts      []Part
}

type exception struct {
	index int
	value uint64
}

// Part says where the values of a context stand among those of a block: there are Count of them from At on. Counts are positive.
type Part struct{ Context, At, Count int }

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
	s.setParts(counts)
	return m.encode(dst, s, s.parts, values)
}

// EncodeParts appends a block of those values that parts tell, in rising order of contexts.
func (m *Model) EncodeParts(dst []byte, parts []Part, values []uint64) []byte {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return m.encode(dst, s, parts, values)
}

func (m *Model) encode(dst []byte, s *scratch, parts []Part, values []uint64) []byte {
	n, many := countOf(parts), m.coded(parts) >= manyStates
	s.reset(n)
	m.wideSymbols(s, n)
	m.divide(s, parts, values, many)
	offsets, carried := s.offsets.finish(), []byte(nil)
	if many {
		offsets, carried = divideOffsets(offsets)
	}
	w := newSymbolWriter(s.words, carried)
	end := len(s.symbols)
	for i := len(parts) - 1; i >= 0; i-- {
		p := parts[i]
		if c := m.classed(p.Context); c != nil {
			w.pushClasses(s.wide[end-p.Count:end], c)
		} else if t := m.table(p.Context); t.coding() {
			w.push(s.symbols[end-p.Count:end], t)
		}
		end -= p.Count
	}
	return s.appendStreams(dst, &w, offsets)
}

// divideOffsets divides offsets into those that are stored and those that four states carry. There is room behind them.
func divideOffsets(offsets []byte) (stored, carried []byte) {
	at := max(len(offsets)-carriedBytes, 0)
	carried = offsets[at : at+carriedBytes]
	clear(carried[len(offsets)-at:])
	return offsets[:at], carried
}

// setParts notes the contexts that have values: in most blocks these are few.
func (s *scratch) setParts(counts []int) {
	s.parts = s.parts[:0]
	at := 0
	for c, n := range counts {
		if n > 0 {
			s.parts = append(s.parts, Part{c, at, n})
			at += n
		}
	}
}

// countOf returns the number of values of all parts.
func countOf(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Count
	}
	return n
}

// coded returns the number of symbols that are coded.
func (m *Model) coded(parts []Part) int {
	coded := 0
	for _, p := range parts {
		if m.table(p.Context).coding() || m.classed(p.Context) != nil {
			coded += p.Count
		}
	}
	return coded
}

// divide finds each value's bin, and writes its offset.
func (m *Model) divide(s *scratch, parts []Part, values []uint64, many bool) {
	at := 0
	for _, p := range parts {
		t, n := m.table(p.Context), p.Count
		run := values[p.At : p.At+n]
		if c := m.classed(p.Context); c != nil {
			c.divide(s, at, run, many)
			at += n
			continue
		}
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

func (s *scratch) reset(n int) {
	const states = 16 // bytes, which is more than a word
	if cap(s.words) < 2*n+states {
		s.symbols, s.words = make([]byte, n), make([]byte, 2*n+states)
	}
	s.symbols, s.words = s.symbols[:n], s.words[:2*n+states]
	s.offsets.reset(n)
	s.exceptions = s.exceptions[:0]
}

// appendStreams appends exceptions, words and offsets.
func (s *scratch) appendStreams(dst []byte, w *symbolWriter, offsets []byte) []byte {
	dst = s.appendExceptions(dst)
	words := w.finish()
	if !w.many {
		dst = format.AppendUvarint(dst, uint64(len(words)/2))
	}
	return append(append(dst, words...), offsets...)
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
