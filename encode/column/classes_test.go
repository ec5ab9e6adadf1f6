package column

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/format"
)

// followed makes values each of which is like the one before, more or less.
func followed(t *rapid.T, n int) []uint64 {
	values := make([]uint64, n)
	state, stay := rapid.Uint64().Draw(t, "state")|1, rapid.Uint64Range(0, 50).Draw(t, "stay")
	level := uint64(0)
	for i := range values {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		if state%(stay+1) == 0 {
			level = state >> 20 % 5
		}
		values[i] = state>>30%8 + level*100
		if state>>40%500 == 0 {
			values[i] = state
		}
	}
	return values
}

// Blocks of divided contexts, with one state and with four, beside others, come back.
func TestDividedContextsComeBack(t *testing.T) {
	divided, many := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := NewBuilder(3)
		b.Divide()
		type block struct {
			counts []int
			values []uint64
		}
		var blocks []block
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			counts := []int{rapid.IntRange(0, 20).Draw(t, "n"), rapid.IntRange(0, 3000).Draw(t, "n"), rapid.IntRange(0, 1500).Draw(t, "n")}
			blocks = append(blocks, block{counts, followed(t, counts[0]+counts[1]+counts[2])})
			b.Add(counts, blocks[len(blocks)-1].values)
		}
		m := b.Build()
		read, err := ParseModel(m.Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		dst := AppendDivisions(nil, m.Divisions())
		if len(dst) > 0 {
			r := format.NewDecoder("divisions", dst)
			got := ReadDivisions(r)
			if err := r.Finish(); err != nil || !read.Divide(got) {
				t.Fatal(err, got)
			}
			divided++
		}
		for _, x := range blocks {
			packed := m.Encode(nil, x.counts, x.values)
			out := make([]uint64, len(x.values))
			if err := read.Decode(out, packed, x.counts); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(out, x.values) {
				t.Fatalf("%v is %v", x.values, out)
			}
			if again := read.Encode(nil, x.counts, out); !slices.Equal(again, packed) {
				t.Fatal("another block")
			}
			if len(out) > 2000 && len(dst) > 0 {
				many++
			}
		}
	})
	if divided == 0 || many == 0 {
		t.Fatalf("%d models with divisions, %d blocks with four states", divided, many)
	}
}

// What is not a model's is refused.
func TestDivisionsOfOtherContexts(t *testing.T) {
	b := NewBuilder(3)
	b.Add([]int{1, 1, 1}, []uint64{1, 2, 3})
	m := b.Build()
	for _, d := range [][]Division{{{Context: 1, Thresholds: []uint64{1, 2}}}, {{Context: 0, Thresholds: []uint64{1, 2, 3}}}} {
		if m.Divide(d) {
			t.Errorf("%v divides three contexts", d)
		}
	}
	for _, b := range [][]byte{{0}, {1, 0, 0}, {1, 0, 5, 1, 1, 1, 1, 1}, {2, 0, 1, 1, 0, 1, 1}, {1, 0, 2, 1, 0}, {1, 0, 1, 0}, {1, 0, 2, 1}} {
		r := format.NewDecoder("divisions", b)
		if d := ReadDivisions(r); r.Err() == nil {
			t.Errorf("%v are divisions: %v", b, d)
		}
	}
}
