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
	d := format.NewDecoder("values", src)
	skipExceptions(d, len(out))
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.setUsed(counts)
	r, states := symbolReader{}, stateCount(m.coded(s.used))
	for k := range states {
		r.x[k] = d.Uint32()
		if r.x[k] < stateMin {
			d.Fail("state %d", r.x[k])
		}
	}
	if d.Err() != nil {
		return d.Err()
	}
	r.src = d.Take(d.Len())
	s.symbols = slices.Grow(s.symbols[:0], len(out))[:len(out)]
	if err := m.symbols(&r, s.symbols, s.used, states); err != nil {
		return err
	}
	offsets := bitReader{data: r.src[r.pos:], body: len(r.src) - r.pos, tail: 2 * states, end: r.seeds(states)}
	if err := m.offsets(out, s.symbols, s.used, &offsets); err != nil {
		return err
	}
	return m.patch(out, src, counts)
}

// usedContext is a context that has values, and their number.
type usedContext struct{ context, n int }

// setUsed notes the contexts that have values: in most blocks these are few.
func (s *scratch) setUsed(counts []int) {
	s.used = s.used[:0]
	for c, n := range counts {
		if n > 0 {
			s.used = append(s.used, usedContext{c, n})
		}
	}
}

// coded returns the number of symbols that are coded.
func (m *Model) coded(used []usedContext) int {
	coded := 0
	for _, u := range used {
		if m.table(u.context).coding() {
			coded += u.n
		}
	}
	return coded
}

// symbols decodes the symbol of each value.
func (m *Model) symbols(r *symbolReader, out []byte, used []usedContext, states int) error {
	for _, u := range used {
		t, run := m.table(u.context), out[:u.n]
		out = out[u.n:]
		switch {
		case !t.coding():
			clear(run)
		case states == 1:
			r.single(run, t)
		default:
			r.rotating(run, t)
		}
	}
	if r.torn {
		return corrupt("symbols end early")
	}
	for _, x := range r.x[:states] {
		if x >= 2*stateMin {
			return corrupt("a state ends as %#x", x)
		}
	}
	return nil
}

// offsets makes values of symbols.
func (m *Model) offsets(out []uint64, symbols []byte, used []usedContext, r *bitReader) error {
	for _, u := range used {
		if t := m.table(u.context); t.exact {
			t.begins(out[:u.n], symbols)
		} else if !t.offsets(out[:u.n], symbols, r) {
			return corrupt("offsets of context %d", u.context)
		}
		out, symbols = out[u.n:], symbols[u.n:]
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
// those of its loop, as there are registers for no more.
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
func (m *Model) patch(out []uint64, src []byte, counts []int) error {
	d := format.NewDecoder("values", src)
	at, c, end := 0, -1, 0
	for range d.Count(2, len(out)) {
		at += int(d.Uvarint())
		for ; at >= end; end += counts[c] {
			c++
		}
		t, v := m.table(c), d.Uvarint()
		if out[at] != t.bins[t.common].lo {
			return corrupt("value %d is an exception but coded as %d", at, out[at])
		}
		if b := t.bins[t.find(v)]; (v-b.lo)>>(b.bits&63) == 0 {
			return corrupt("value %d is an exception but in a bin", at)
		}
		out[at] = v
		at++
	}
	return nil
}

func corrupt(msg string, args ...any) error { return format.Corruptf("values", -1, msg, args...) }
