package column

import (
	"bytes"
	"math/rand/v2"
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
		values[i] = state>>30%(1+level*4) + level*100 // the lowest level is one value
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
	for _, d := range [][]Division{{{Context: 1, Thresholds: []uint64{1, 2}, Order: 1}}, {{Context: 0, Thresholds: []uint64{1, 2, 3}, Order: 1}}} {
		if m.Divide(d) {
			t.Errorf("%v divides three contexts", d)
		}
	}
	for _, b := range [][]byte{{0}, {1, 0, 0}, {1, 0, 5, 1, 1, 1, 1, 1}, {1, 0, 1 | 5<<4, 1}, {1, 0, 2 | 3<<4, 1, 1}, {2, 0, 1, 1, 0, 1, 1}, {1, 0, 2, 1, 0}, {1, 0, 1, 0}, {1, 0, 2, 1}} {
		r := format.NewDecoder("divisions", b)
		if d := ReadDivisions(r); r.Err() == nil {
			t.Errorf("%v are divisions: %v", b, d)
		}
	}
}

// Classes of divisions have no more bins together than a reader takes: the divisions that save least are left out.
func TestBinsOfAllClassesAreBounded(t *testing.T) {
	const contexts = MaxDivisions
	b := NewBuilder(contexts)
	b.Divide()
	var counts []int
	var values []uint64
	r := rand.New(rand.NewPCG(1, 1))
	for range contexts {
		level := uint64(0)
		for range 10_000 {
			values = append(values, level*100_000+r.Uint64N(40)*997)
			level = (2*level + 1 + r.Uint64N(2)) % 5
		}
		counts = append(counts, 10_000)
	}
	b.Add(counts, values)
	var all []Division
	for c := range contexts {
		all = append(all, Division{c, []uint64{100_000, 200_000, 300_000, 400_000}, 2})
	}
	if m := b.fitDivided(all); m != nil {
		t.Fatalf("all are divided into 25 classes, with %d bins", m.classBins(all))
	}
	m := b.Build()
	divided := len(m.Divisions())
	if bins := m.classBins(m.Divisions()); bins > MaxClassBins || divided == 0 || divided == contexts {
		t.Fatalf("%d bins of %d divisions", bins, divided)
	}
	out := make([]uint64, len(values))
	if err := m.Decode(out, m.Encode(nil, counts, values), counts); err != nil || !slices.Equal(out, values) {
		t.Fatal(err, "other values")
	}
	// The same of one that names a table often: a few bytes are not many bins.
	hostile := &Model{tableOf: make([]uint16, contexts*25), tables: m.tables[:1]}
	for i := range hostile.tables {
		hostile.tables[i].bins = make([]bin, maxBins)
	}
	if hostile.Divide(all) {
		t.Error("1,600 classes with 256 bins each")
	}
}

// packed returns a model of one context with some values, the block that it makes of them, and how many bytes both take.
func packed(values []uint64, divide bool) (m *Model, block []byte, size int) {
	b := NewBuilder(1)
	if divide {
		b.Divide()
	}
	b.Add([]int{len(values)}, values)
	m = b.Build()
	block = m.Encode(nil, []int{len(values)}, values)
	return m, block, len(block) + len(m.Append(nil)) + len(AppendDivisions(nil, m.Divisions()))
}

// sawtooth falls from a height to its foot by steps, over and over; what falls from one class into the next has no bin in a class that has not seen it.
func sawtooth(t *rapid.T, n int) []uint64 {
	values := make([]uint64, n)
	fall(values, rapid.Uint64Range(64, 1<<14).Draw(t, "top"), rapid.Uint64Range(1, 40).Draw(t, "step"))
	values[0] = rapid.Uint64().Draw(t, "first")
	return values
}

func fall(values []uint64, top, step uint64) {
	v := top
	for i := range values {
		values[i] = v
		if v -= min(v, step); v == 0 {
			v = top
		}
	}
}

// Of 20,000 values, most exceptions come behind the first 8,192.
func TestDivisionsPayBehindTheSample(t *testing.T) {
	values := make([]uint64, 20_000)
	fall(values, 6709, 3)
	values[0] = 0
	_, _, with := packed(values, true)
	if _, _, without := packed(values, false); with > without {
		t.Errorf("%d bytes with classes, %d without", with, without)
	}
}

// Divided contexts never take much more than others.
func TestDivisionsPay(t *testing.T) {
	divided, smaller := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1000, 20000).Draw(t, "n")
		values := sawtooth(t, n)
		if rapid.Bool().Draw(t, "followed") {
			values = followed(t, n)
		}
		m, _, with := packed(values, true)
		_, _, without := packed(values, false)
		if with > without+without/50+32 {
			t.Fatalf("%d bytes with %v, %d without", with, m.Divisions(), without)
		}
		if len(m.Divisions()) > 0 {
			divided++
		}
		if with < without*9/10 {
			smaller++
		}
	})
	if divided == 0 || smaller == 0 {
		t.Fatalf("%d models divided, %d much smaller", divided, smaller)
	}
}

// Values and the begins of their bins have the same class: bins end at thresholds.
func TestBinsOfClassesEndAtThresholds(t *testing.T) {
	divided := 0
	rapid.Check(t, func(t *rapid.T) {
		values := followed(t, rapid.IntRange(2000, 9000).Draw(t, "n"))
		m, _, _ := packed(values, true)
		for _, d := range m.Divisions() {
			c, symbols := m.classed(d.Context), make([]uint16, len(values))
			c.find(symbols, values, true)
			known := true // a value behind an exception may be one that its class has not seen
			for i, v := range values {
				r := &c.reach[symbols[i]]
				in := v-r.lo <= r.mask
				if a, b := levelOf(v, d.Thresholds), levelOf(r.lo, d.Thresholds); in && known && a != b {
					t.Fatalf("value %d is of class %d, its bin at %d of class %d: %v", v, a, r.lo, b, d)
				}
				known = in
			}
			divided++
		}
	})
	if divided == 0 {
		t.Fatal("no model is divided")
	}
}

// How contexts are looked at has no influence on a model: one after the other, backwards, or beside each other.
func TestBuildBeside(t *testing.T) {
	backwards := func(n int, do func(i int)) {
		for i := range n {
			do(n - 1 - i)
		}
	}
	counts, values := columnsLikeTraces(20, 4, 20_000)
	for i := range values { // what is large comes in turns
		for k := range values[i] {
			values[i][k] *= 1 + uint64(k/64%3)*50
		}
	}
	build := func(each Each) []byte {
		b := builderOf(counts, values)
		b.Divide()
		b.Beside(each)
		m := b.Build()
		if len(m.Divisions()) < 2 {
			t.Fatalf("%d divisions", len(m.Divisions()))
		}
		return m.Append(AppendDivisions(nil, m.Divisions()))
	}
	want := build(InOrder)
	for name, each := range map[string]Each{"backwards": backwards, "beside": beside} {
		if !bytes.Equal(build(each), want) {
			t.Errorf("%s: another model", name)
		}
	}
}
