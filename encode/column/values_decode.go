package column

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// Decode decodes a block of values into out: counts[c] values of context c, which must be as many as out has room for. src
// must be the block and nothing else. If it is no block, out is left with some of its values and the error is a
// [format.CorruptError].
func (m *Model) Decode(out []uint64, src []byte, counts []int) error {
	if n, ok := sum(counts); !ok || n != len(out) || len(counts) > len(m.tableOf) {
		return corrupt("counts do not fit %d values and %d contexts", len(out), len(m.tableOf))
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.setParts(counts)
	return m.decode(out, src, s, s.parts)
}

// DecodeParts is Decode for values of some contexts, in rising order, which go to the places that the parts tell.
func (m *Model) DecodeParts(out []uint64, src []byte, parts []Part) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return m.decode(out, src, s, parts)
}

func (m *Model) decode(out []uint64, src []byte, s *scratch, parts []Part) error {
	d := format.NewDecoder("values", src)
	n := countOf(parts)
	skipExceptions(d, n)
	s.symbols = slices.Grow(s.symbols[:0], n)[:n]
	m.wideSymbols(s, n)
	offsets, err := m.symbols(s, d, parts)
	if err != nil {
		return err
	}
	if err := m.offsets(out, s, parts, &offsets); err != nil {
		return err
	}
	return m.patch(out, src, s, parts)
}

// readWords reads the words of a stream of symbols with one state.
func readWords(d *format.Decoder) []byte { return d.Take(2 * d.Count(2, d.Len())) }

// symbols decodes the symbol of each value, and returns the offsets behind them.
func (m *Model) symbols(s *scratch, d *format.Decoder, parts []Part) (offsets bitReader, err error) {
	var r symbolReader
	many := m.coded(parts) >= manyStates
	words := d.Rest()
	if !many {
		words = readWords(d)
		offsets.data = d.Rest()
	}
	if d.Err() != nil {
		return offsets, d.Err()
	}
	if !r.begin(words, many) {
		return offsets, corrupt("a state out of range")
	}
	at := 0
	for _, p := range parts {
		from := at
		at += p.Count
		if c := m.classed(p.Context); c != nil {
			r.classed(s.wide[from:at], c)
		} else if t := m.table(p.Context); t.coding() {
			r.symbols(s.symbols[from:at], t)
		} else {
			clear(s.symbols[from:at])
		}
	}
	if !r.done() {
		return offsets, corrupt("symbols do not end with their words")
	}
	if many {
		offsets = bitReader{data: words[r.pos:], carried: r.carried(), tail: carriedBytes, lone: r.pos == len(words)}
	}
	return offsets, nil
}

// offsets makes values of symbols.
func (m *Model) offsets(out []uint64, s *scratch, parts []Part, r *bitReader) error {
	at := 0
	for _, p := range parts {
		run := out[p.At : p.At+p.Count]
		ok := true
		if c := m.classed(p.Context); c != nil {
			ok = c.offsets(run, s.wide[at:], r)
		} else if t := m.table(p.Context); t.exact {
			t.begins(run, s.symbols[at:])
		} else {
			ok = t.offsets(run, s.symbols[at:], r)
		}
		if !ok {
			return corrupt("offsets of context %d", p.Context)
		}
		at += p.Count
	}
	if !r.done() {
		return corrupt("offsets do not end with the block")
	}
	return nil
}

// begins does it for a context whose bins have no offsets.
func (t *table) begins(out []uint64, symbols []byte) {
	reaches := (*[maxBins]reach)(t.reach[:maxBins])
	for i, symbol := range symbols[:len(out)] {
		out[i] = reaches[symbol].lo
	}
}

// offsets does it for one context. It reports false if offsets end early or leave their bins.
func (t *table) offsets(out []uint64, symbols []byte, r *bitReader) bool {
	left := uint64(0) // negative if an offset leaves its bin
	for at := 0; ; {
		at, left = t.offsetsOf(out, symbols, at, left, r)
		if at == len(out) {
			return left>>63 == 0
		}
		if !r.toTail() {
			return false
		}
	}
}

// offsetsOf does it from value i on, as long as eight bytes of data are left, and returns how far it came. It has no variables but
// those of its loop, as there are registers for no more; [classed.offsetsOf] is its twin, as one loop for both takes 2 to 4 % longer.
func (t *table) offsetsOf(out []uint64, symbols []byte, i int, left uint64, r *bitReader) (int, uint64) {
	data, pos, reaches := r.data, r.pos, (*[maxBins]reach)(t.reach[:maxBins])
	symbols = symbols[:len(out)]
	for ; uint(i) < uint(len(out)) && pos>>3+8 <= uint(len(data)); i++ {
		b := &reaches[symbols[i]]
		offset := load64(data[pos>>3:pos>>3+8]) >> (pos & 7) & b.mask
		left |= b.last - offset
		out[i] = b.lo + offset
		pos += uint(b.bits)
	}
	r.pos = pos
	return i, left
}

// skipExceptions checks that the exceptions have places.
func skipExceptions(d *format.Decoder, n int) {
	room := n
	for range d.Count(2, n) {
		room -= 1 + d.Int(room)
		d.Uvarint()
	}
}

// patch puts the exceptions into their places.
func (m *Model) patch(out []uint64, src []byte, s *scratch, parts []Part) error {
	d := format.NewDecoder("values", src)
	at, before := 0, 0 // among the values of the first part, and before that
	for range d.Count(2, countOf(parts)) {
		at += int(d.Uvarint())
		for ; at >= parts[0].Count; parts = parts[1:] {
			at -= parts[0].Count
			before += parts[0].Count
		}
		t, v, to := m.table(parts[0].Context), d.Uvarint(), &out[parts[0].At+at]
		if c := m.classed(parts[0].Context); c != nil {
			t, _ = c.bin(s.wide[before+at])
		}
		if *to != t.bins[t.common].lo {
			return corrupt("value %d of context %d is an exception but coded as %d", at, parts[0].Context, *to)
		}
		if b := t.bins[t.find(v)]; (v-b.lo)>>(b.bits&63) == 0 {
			return corrupt("value %d of context %d is an exception but in a bin", at, parts[0].Context)
		}
		*to = v
		at++
	}
	return nil
}

func corrupt(msg string, args ...any) error { return format.Corruptf("values", -1, msg, args...) }
