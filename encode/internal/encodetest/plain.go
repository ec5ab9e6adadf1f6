package encodetest

import (
	"encoding/binary"
	"testing"
)

// This file decodes models and blocks of values in the plainest way, from the comments at the heads of bins.go, rans.go, values.go
// and model.go of encode/column alone. It shares nothing with that package.

// plainReader reads bytes and, from the low end of each byte, bits.
type plainReader struct {
	t    testing.TB
	data []byte
	bits int // used of data[0]
}

func (r *plainReader) take(n int) []byte {
	r.t.Helper()
	if r.bits > 0 {
		r.data, r.bits = r.data[1:], 0
	}
	if n > len(r.data) {
		r.t.Fatalf("%d bytes wanted, %d left", n, len(r.data))
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *plainReader) uvarint() uint64 {
	r.take(0)
	v, n := binary.Uvarint(r.data)
	r.take(n)
	return v
}

func (r *plainReader) bit() uint64 {
	if len(r.data) == 0 {
		r.t.Fatal("no bits left")
	}
	b := r.data[0] >> r.bits & 1
	if r.bits++; r.bits == 8 {
		r.data, r.bits = r.data[1:], 0
	}
	return uint64(b)
}

func (r *plainReader) number(n int) (v uint64) {
	for i := range n {
		v |= r.bit() << i
	}
	return v
}

// PlainBin is a bin of a table.
type PlainBin struct{ Lo, Digits, Weight, Freq, start uint64 }

// PlainTable is the bins of some contexts; their frequencies add up to 1 << Log.
type PlainTable struct {
	Bins []PlainBin
	Log  int
}

// PlainModel has, by context, the number of a table.
type PlainModel struct {
	TableOf []int
	Tables  []PlainTable
}

// PlainParse reads a model.
func PlainParse(t testing.TB, model []byte) PlainModel {
	t.Helper()
	return parsePlain(&plainReader{t: t, data: model})
}

// count is the number of a number's binary digits.
func count(v uint64) (n int) {
	for ; v > 0; v /= 2 {
		n++
	}
	return n
}

func (t *PlainTable) finish() {
	n := uint64(len(t.Bins))
	masses := []uint64{0}
	for i, b := range t.Bins {
		masses = append(masses, masses[i]+4*b.Weight*b.Weight+1)
	}
	all := masses[n]
	if n > 1 {
		t.Log = max(min(count(all)-1, 12), count(n-1))
	}
	for i := range t.Bins {
		start := func(i uint64) uint64 { return i + (uint64(1)<<t.Log-n)*masses[i]/all }
		t.Bins[i].start = start(uint64(i))
		t.Bins[i].Freq = start(uint64(i)+1) - start(uint64(i))
	}
}

func parsePlain(r *plainReader) (m PlainModel) {
	contexts, tables, n := int(r.uvarint()), int(r.uvarint()), int(r.uvarint())
	var columns [5][]uint64
	if n%2 == 0 {
		for i, length := range []int{contexts, tables, n / 2, n / 2, n / 2} {
			for range length {
				zeros := 0
				for r.bit() == 0 {
					zeros++
				}
				v := uint64(0)
				if zeros > 0 {
					v = 1<<(zeros-1) | r.number(zeros-1)
				}
				columns[i] = append(columns[i], v)
			}
		}
		r.take(0)
	} else {
		columns = parseCoded(r, contexts, tables, n/2)
	}
	next := 0
	for _, v := range columns[0] {
		if v == 0 {
			next++
			v = uint64(next)
		}
		m.TableOf = append(m.TableOf, int(v)-1)
	}
	b := 0
	for _, size := range columns[1] {
		t, end := PlainTable{}, uint64(0)
		for range size + 1 {
			gap := columns[3][b]
			if gap%2 == 0 {
				gap /= 2
			} else {
				gap = -(gap/2 + 1)
			}
			t.Bins = append(t.Bins, PlainBin{Lo: end + gap, Digits: columns[2][b], Weight: columns[4][b]})
			end += gap + 1<<columns[2][b]
			b++
		}
		t.finish()
		m.Tables = append(m.Tables, t)
	}
	return m
}

func parseCoded(r *plainReader, contexts, tables, bins int) (columns [5][]uint64) {
	code := parsePlain(r)
	head := decodePlain(&plainReader{t: r.t, data: r.take(int(r.uvarint()))}, code, []int{contexts, tables, bins})
	columns[0], columns[1], columns[2] = head[:contexts], head[contexts:contexts+tables], head[contexts+tables:]
	class := func(digits uint64) int {
		return map[bool]int{true: 1}[digits > 0] + map[bool]int{true: 1}[digits > 3] + map[bool]int{true: 1}[digits > 7]
	}
	counts := make([]int, 11)
	for _, digits := range columns[2] {
		counts[3+class(digits)]++
		counts[7+class(digits)]++
	}
	body := decodePlain(&plainReader{t: r.t, data: r.take(len(r.data))}, code, counts)
	columns[3], columns[4] = make([]uint64, bins), make([]uint64, bins)
	for c, column := range [][]uint64{columns[3], columns[4]} {
		for k := range 4 {
			for i, digits := range columns[2] {
				if class(digits) == k {
					column[i], body = body[0], body[1:]
				}
			}
		}
		_ = c
	}
	return columns
}

// decodePlain decodes a block that takes all of r.
func decodePlain(r *plainReader, m PlainModel, counts []int) []uint64 {
	exceptions := map[int]uint64{}
	at := 0
	for range r.uvarint() {
		at += int(r.uvarint())
		exceptions[at] = r.uvarint()
		at++
	}
	var tables []*PlainTable // by value
	var turns []int          // by value: the state that it has if there are four
	coded := 0
	for c, n := range counts {
		for turn := range n {
			t := &m.Tables[m.TableOf[c]]
			tables, turns = append(tables, t), append(turns, turn%4)
			if len(t.Bins) > 1 {
				coded++
			}
		}
	}
	var words plainWords
	states := make([]uint64, 4)
	if coded >= 1024 {
		r.take(0)
		words = r.data
		for k := range states {
			states[k] = words.next()<<16 | words.next()
		}
	} else {
		words = r.take(2 * int(r.uvarint()))
		turns = make([]int, len(turns))
		for states[0] < 1<<16 && len(words) > 0 {
			states[0] = states[0]<<16 | words.next()
		}
	}
	var bins []PlainBin
	for i, t := range tables {
		chosen := t.Bins[0]
		if len(t.Bins) > 1 {
			chosen = words.symbol(&states[turns[i]], t)
		}
		bins = append(bins, chosen)
	}
	offsets := plainReader{t: r.t, data: append([]byte(nil), r.data...)}
	zeros := 0 // bytes that may be left
	if coded >= 1024 {
		if len(words) == 0 {
			zeros = 8
		}
		offsets.data = append([]byte(nil), words...)
		for _, x := range states {
			offsets.data = append(offsets.data, byte(x), byte(x>>8))
		}
	}
	return plainOffsets(&offsets, zeros, bins, exceptions)
}

// plainOffsets makes values of bins.
func plainOffsets(offsets *plainReader, zeros int, bins []PlainBin, exceptions map[int]uint64) (values []uint64) {
	offsets.data = append(offsets.data, 0)
	for i, chosen := range bins {
		v := chosen.Lo + offsets.number(int(chosen.Digits))
		if e, ok := exceptions[i]; ok {
			v = e
		}
		values = append(values, v)
	}
	if left := len(offsets.data) - 1; left > max(zeros, 1) || zeros == 0 && left == 1 && offsets.bits == 0 {
		offsets.t.Fatalf("%d bytes left of the offsets", left)
	}
	return values
}

// plainWords are words of two bytes.
type plainWords []byte

func (w *plainWords) next() uint64 {
	v := uint64(binary.LittleEndian.Uint16(*w))
	*w = (*w)[2:]
	return v
}

// symbol takes a symbol from a state.
func (w *plainWords) symbol(x *uint64, t *PlainTable) (chosen PlainBin) {
	slot := *x % (1 << t.Log)
	for _, b := range t.Bins {
		if b.start <= slot && slot < b.start+b.Freq {
			chosen = b
		}
	}
	if *x = chosen.Freq*(*x>>t.Log) + slot - chosen.start; *x < 1<<16 && len(*w) > 0 {
		*x = *x<<16 | w.next()
	}
	return chosen
}

// PlainDecode decodes a block with a model.
func PlainDecode(t testing.TB, model, block []byte, counts []int) []uint64 {
	t.Helper()
	return decodePlain(&plainReader{t: t, data: block}, parsePlain(&plainReader{t: t, data: model}), counts)
}
