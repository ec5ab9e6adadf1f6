package column

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
		{"\x00\x00", ""},
		{"\x01\x00\x07\x00", ""},
		{"\x02\x00\x07\x01\x08\x00", ""},
		{"\x01\x00\x05\x00", "in a bin"},
		{"\x01\x03\x07", "out of range"},
		{"\x02\x01\x07\x01\x07", "out of range"},
		{"\x04\x00\x07\x00\x07\x00\x07\x00\x07", "too large"},
		{"\x01\x80\x00\x07", "bad integer"},
		{"\x00\x01\x01\x00", "do not end with their words"},
		{"\x00\x00\x00", "do not end with the block"},
	}
	for _, test := range tests {
		err := m.Decode(make([]uint64, 3), []byte(test.block), []int{3})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q: error %v, want %q", test.block, err, test.want)
		}
	}
}

// TestBadColumns parses models of form 0 whose columns break a rule.
func TestBadColumns(t *testing.T) {
	type u = []uint64
	tests := []struct {
		name    string
		columns columns
		want    string // part of the error
	}{
		{"good", columns{u{0, 1, 0}, u{0, 1}, u{57, 3, 0}, u{0, 10, 4}, u{1<<20 - 1, 0, 7}}, ""},
		{"offset bits", columns{u{0}, u{0}, u{58}, u{0}, u{0}}, "out of range"},
		{"more offset bits than there are", columns{u{0}, u{0}, u{64}, u{0}, u{0}}, "out of range"},
		{"weight", columns{u{0}, u{0}, u{0}, u{0}, u{1 << 20}}, "out of range"},
		{"begin", columns{u{0}, u{1}, u{4, 0}, u{8, 2*16 - 1}, u{0, 0}}, "out of range"},
		{"same begin", columns{u{0}, u{1}, u{4, 0}, u{8, 2*16 + 1}, u{0, 0}}, "out of range"},
		{"end", columns{u{0}, u{0}, u{2}, u{3}, u{0}}, "out of range"},
		{"another's table", columns{u{0, 2}, u{0}, u{0}, u{0}, u{0}}, "no table"},
		{"too few tables", columns{u{0, 0}, u{0}, u{0}, u{0}, u{0}}, "no table"},
		{"too many tables", columns{u{0, 1}, u{0, 0}, u{0, 0}, u{0, 0}, u{0, 0}}, "without context"},
		{"more tables than contexts", columns{u{0}, u{0, 0}, u{0, 0}, u{0, 0}, u{0, 0}}, "too large"},
		{"too few bins", columns{u{0}, u{1}, u{0}, u{0}, u{0}}, "too many bins"},
		{"too many bins", columns{u{0}, u{0}, u{0, 0}, u{0, 0}, u{0, 0}}, "without table"},
		{"far too many bins", columns{u{0}, u{1 << 63}, u{0}, u{0}, u{0}}, "too many bins"},
	}
	for _, test := range tests {
		_, err := ParseModel(test.columns.appendPlain(test.columns.appendHead(nil, 0)))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

// TestBadStates decodes blocks that would be decoded, with another meaning, if some check of the symbols were missing.
func TestBadStates(t *testing.T) {
	u := func(v ...uint64) []uint64 { return v }
	two := columns{u(0), u(1), u(0, 1), u(10, 4), u(0, 0)} // bins 5, and 8 to 9; the frequencies are 1 and 1
	m, err := ParseModel(two.appendPlain(two.appendHead(nil, 0)))
	if err != nil {
		t.Fatal(err)
	}
	// Four states that begin as 2^16 and take 16 words each: of zeros, 256 times the first bin.
	four := "\x00" + strings.Repeat("\x01\x00\x00\x00", 4) + strings.Repeat("\x00", 120)
	tests := []struct {
		n     int
		block string
		want  string // part of the error
	}{
		{1, "\x00\x00", ""},
		{1, "\x00\x01\x01\x00\x00", ""},
		{1, "\x00\x01\x01\x00\x02", "do not end with the block"},
		{1, "\x00\x01\x00\x00", "a state out of range"},
		{17, "\x00\x02\x01\x00\x01\x00\x00", ""},
		{15, "\x00\x02\x01\x00\x01\x00", "do not end with their words"},
		{1024, four + "\x00\x00\x00\x00\x00\x00\x00\x00", ""},
		{1024, four + "\x00\x80\x00\x00\x00\x00\x00\x00", "do not end with the block"}, // state 0 carries 1, of no offset
		{1024, four + "\x01\x80\x00\x00\x00\x00\x00\x00", ""},                          // the offset of its last symbol but 14
		{1024, four + "\x01\x80\x00\x00\x00\x00\x00\x00\x00", "do not end with the block"},
		{1024, four + "\x00\x00\x00\x00\x00\x00", "do not end with their words"},
		{1024, "\x00\x00\x00" + four[3:] + "\x00\x00\x00\x00\x00\x00\x00\x00", "a state out of range"},
		{1024, four[:16], "a state out of range"},
	}
	for _, test := range tests {
		err := m.Decode(make([]uint64, test.n), []byte(test.block), []int{test.n})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%x: error %v, want %q", test.block, err, test.want)
		}
	}
}

// TestHostileCounts parses models that promise more than their bytes can hold, and bounds the memory it takes.
func TestHostileCounts(t *testing.T) {
	sources := []string{
		"\x80\x80\x04\x80\x10\x80\x80\x40",             // the most of everything, form 0, no data
		"\x80\x80\x04\x80\x10\x81\x80\x40",             // form 1
		"\x80\x80\x04\x80\x10\x80\x80\x40\x00\x00\x00", // data that ends
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

// TestBytesByHand checks a model and blocks that were made by hand from the comments that describe them.
func TestBytesByHand(t *testing.T) {
	// One context with one table. Its bins are 5 with weight 1, and 8 to 15 with weight 0. So M is 6, L is 2, and the
	// frequencies are 2 and 2.
	src := "\x01\x01\x04" + // contexts, tables, 2·bins
		"\xcd\x50\x88\x01" // bits 1 01 1 0011 00001010 000100 01 1: columns 0; 1; 0 3; 10 4; 1 0
	m, err := ParseModel([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if again := m.Append(nil); string(again) != src {
		t.Errorf("model %x became %x", src, again)
	}
	tests := []struct {
		values []uint64
		block  string
	}{
		// Pushing symbol 1 makes a state of 0 to 2, symbol 0 then 4. The only offset is 3.
		{[]uint64{5, 11}, "\x00\x01\x04\x00\x03"},
		// With another symbol 0 in the place of the exception it gets 8.
		{[]uint64{5, 7, 11}, "\x01\x01\x07\x01\x08\x00\x03"},
	}
	for _, test := range tests {
		counts := []int{len(test.values)}
		if block := m.Encode(nil, counts, test.values); string(block) != test.block {
			t.Errorf("%v: block %x, want %x", test.values, block, test.block)
		}
		if got := mustDecode(t, m, []byte(test.block), counts); !slices.Equal(got, test.values) {
			t.Errorf("block %x: %v, want %v", test.block, got, test.values)
		}
	}
}

// TestSameOnAllMachines fixes a checksum of a model and its blocks: what the writer chooses must not depend on the machine.
// It changes when the choice of bins does.
func TestSameOnAllMachines(t *testing.T) {
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
	if sum := crc32.ChecksumIEEE(all); len(all) != 21674 || sum != 0x88719d0c {
		t.Errorf("%d bytes with checksum %#x", len(all), sum)
	}
}
