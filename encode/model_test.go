package encode

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
)

// testModels are models of different kinds with a block for each.
func testModels() (models []*Model, blocks []testBlock) {
	counts, values := columnsLikeTraces(20, 3, 3000)
	samples := []testBlock{
		{[]int{}, nil},
		{[]int{1}, []uint64{0}},
		{[]int{4, 0, 3}, []uint64{1, 1, 2, 1 << 60, 7, 7, 7}},
		{[]int{3}, []uint64{^uint64(0), 0, ^uint64(0)}},
	}
	for _, b := range samples {
		models, blocks = append(models, buildModel(len(b.counts), b)), append(blocks, b)
	}
	return append(models, benchBuilder(counts, values)), append(blocks, testBlock{counts[1], values[1]})
}

// TestForms checks that the test models have both forms, so that tests of them are tests of both.
func TestForms(t *testing.T) {
	models, _ := testModels()
	if models[1].code != nil || models[len(models)-1].code == nil {
		t.Error("a small model should have form 0 and a large one form 1")
	}
}

// TestModelSizes bounds the bytes of small models.
func TestModelSizes(t *testing.T) {
	models, _ := testModels()
	for i, most := range []int{3, 4, 40, 70} {
		if n := len(models[i].Append(nil)); n > most {
			t.Errorf("model %d: %d bytes, more than %d", i, n, most)
		}
	}
}

// TestDamagedModels changes each bit of models, and cuts them: what can still be parsed must be canonical, and must not
// break the decoder.
func TestDamagedModels(t *testing.T) {
	models, blocks := testModels()
	for i, m := range models {
		src, b := m.Append(nil), blocks[i]
		block := m.Encode(nil, b.counts, b.values)
		out := make([]uint64, len(b.values))
		for n := range src {
			if _, err := ParseModel(src[:n]); !format.IsCorrupt(err) {
				t.Errorf("model %d: %d bytes of %d: error %v", i, n, len(src), err)
			}
		}
		if _, err := ParseModel(append(slices.Clone(src), 0)); !format.IsCorrupt(err) {
			t.Errorf("model %d: a byte too many: error %v", i, err)
		}
		for n := range 8 * len(src) {
			bad := slices.Clone(src)
			bad[n/8] ^= 1 << (n % 8)
			if m, err := ParseModel(bad); err == nil {
				if !bytes.Equal(m.Append(nil), bad) {
					t.Fatalf("model %d, bit %d: not canonical", i, n)
				}
				checkDecode(t, m, out, block, b.counts)
			}
		}
	}
}

// checkDecode decodes a block that may be damaged. If it can be decoded it must be canonical.
func checkDecode(t testing.TB, m *Model, out []uint64, block []byte, counts []int) (ok bool) {
	t.Helper()
	if err := m.Decode(out, block, counts); err != nil {
		if !format.IsCorrupt(err) {
			t.Fatalf("error %v is no CorruptError", err)
		}
		return false
	}
	if again := m.Encode(nil, counts, out); !bytes.Equal(again, block) {
		t.Fatalf("block %x is not canonical, should be %x", block, again)
	}
	return true
}

// TestDamagedBlocks does the same with blocks of values.
func TestDamagedBlocks(t *testing.T) {
	models, blocks := testModels()
	for i, m := range models {
		b := blocks[i]
		if i == 2 {
			b.values = []uint64{1, 5, 2, 3, 7, 8, 7} // with exceptions
		}
		block := m.Encode(nil, b.counts, b.values)
		out := make([]uint64, len(b.values))
		for n := range block {
			if checkDecode(t, m, out, block[:n], b.counts) {
				t.Errorf("block %d: decoded from %d bytes of %d", i, n, len(block))
			}
		}
		if checkDecode(t, m, out, append(slices.Clone(block), 0), b.counts) {
			t.Errorf("block %d: decoded with a byte too many", i)
		}
		for n := range 8 * len(block) {
			bad := slices.Clone(block)
			bad[n/8] ^= 1 << (n % 8)
			if checkDecode(t, m, out, bad, b.counts) && slices.Equal(out, b.values) {
				t.Errorf("block %d, bit %d: no difference", i, n)
			}
		}
	}
}

// TestBadExceptions decodes blocks whose exceptions break their rules.
func TestBadExceptions(t *testing.T) {
	m := buildModel(1, testBlock{[]int{3}, []uint64{5, 5, 5}})
	tests := []struct {
		block string
		want  string // part of the error
	}{
		{"\x00", ""},
		{"\x01\x00\x07", ""},
		{"\x02\x00\x07\x01\x08", ""},
		{"\x01\x00\x05", "in a bin"},
		{"\x01\x03\x07", "out of range"},
		{"\x02\x01\x07\x01\x07", "out of range"},
		{"\x04\x00\x07\x00\x07\x00\x07\x00\x07", "too large"},
		{"\x01\x80\x00\x07", "bad integer"},
		{"\x00\x00", "do not end"},
	}
	for _, test := range tests {
		err := m.Decode(make([]uint64, 3), []byte(test.block), []int{3})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: error %v, want %q", test.block, err, test.want)
		}
	}
}

// TestHostileCounts parses models that promise more than their bytes can hold, and bounds the memory it takes.
func TestHostileCounts(t *testing.T) {
	sources := []string{
		"\x80\x80\x04\x80\x10\x80\x80\x80\x01",             // the most of everything, form 0, no data
		"\x80\x80\x04\x80\x10\x81\x80\x80\x01",             // form 1
		"\x80\x80\x04\x80\x10\x80\x80\x80\x01\x00\x00\x00", // data that ends
		"\xff\xff\xff\xff\x0f\x01\x02\xff",
		"\x01\xff\xff\xff\xff\x0f\x02\xff",
		"\x01\x01\xfe\xff\xff\xff\x0f\xff",
	}
	for _, src := range sources {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := ParseModel([]byte(src)); !format.IsCorrupt(err) {
			t.Errorf("%x: error %v", src, err)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%x: %d bytes allocated", src, n)
		}
	}
}

// TestGolden fixes the bytes of a model and its blocks, which must be the same on all machines and for all time.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	b := NewBuilder(30)
	var blocks []testBlock
	for range 4 {
		block := testBlock{}
		for c := range 30 {
			block.counts = append(block.counts, r.IntN(20*(c+1)))
			for range block.counts[c] {
				block.values = append(block.values, uint64(r.IntN(1+r.IntN(10*c+10)))*uint64(1+c%4*3)+r.Uint64()>>(10+r.IntN(1000)))
			}
		}
		b.Add(block.counts, block.values)
		blocks = append(blocks, block)
	}
	m := b.Build()
	all := m.Append(nil)
	for _, block := range blocks {
		all = m.Encode(all, block.counts, block.values)
	}
	if sum := crc32.ChecksumIEEE(all); len(all) != 21425 || sum != 0x380291f2 {
		t.Errorf("%d bytes with checksum %#x", len(all), sum)
	}
}
