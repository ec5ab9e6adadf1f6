package column

import (
	"bytes"
	"encoding/binary"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

// FuzzParseModel parses any bytes. A model that can be parsed must have the same bytes again and be of use.
func FuzzParseModel(f *testing.F) {
	models, _ := testModels()
	if len(models) == 0 {
		f.Fatal("no seeds")
	}
	for _, m := range models {
		f.Add(m.Append(nil))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := ParseModel(src)
		if err != nil {
			return
		}
		if !bytes.Equal(m.Append(nil), src) {
			t.Fatal("not canonical")
		}
		counts, values := make([]int, m.Contexts()), []uint64(nil)
		for c := range min(m.Contexts(), 50) {
			bins := m.table(c).bins
			last := bins[len(bins)-1]
			values = append(values, bins[0].lo, last.lo, last.lo+1<<last.bits-1, last.lo+1<<last.bits, uint64(c))
			counts[c] = 5
		}
		block := m.Encode(nil, counts, values)
		out := make([]uint64, len(values))
		if !checkDecode(t, m, out, block, counts) {
			t.Fatal("a block of ours cannot be decoded")
		}
		for i := range out {
			if out[i] != values[i] {
				t.Fatalf("value %d: %d became %d", i, values[i], out[i])
			}
		}
	})
}

// FuzzDecodeValues decodes any bytes with one of the test models; counts are two bytes each, of which 12 bits matter.
func FuzzDecodeValues(f *testing.F) {
	models, blocks := testModels()
	if len(models) == 0 {
		f.Fatal("no seeds")
	}
	for i, m := range models {
		b := blocks[i]
		var counts []byte
		for _, n := range b.counts {
			counts = binary.LittleEndian.AppendUint16(counts, uint16(n))
		}
		f.Add(byte(i), counts, m.Encode(nil, b.counts, b.values))
	}
	f.Fuzz(func(t *testing.T, which byte, counts []byte, block []byte) {
		var ns []int
		total := 0
		for ; len(counts) >= 2 && len(ns) < 50; counts = counts[2:] {
			ns = append(ns, int(binary.LittleEndian.Uint16(counts)&0xfff))
			total += ns[len(ns)-1]
		}
		checkDecode(t, models[int(which)%len(models)], make([]uint64, total), block, ns)
	})
}
