package column

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

// TestFrequencies checks that the frequencies of random weights add up, leave no bin out, and agree with the slots.
func TestFrequencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Max(9), rapid.Uint32Max(maxWeight-1)), 1, maxBins).Draw(t, "weights")
		var bins []bin
		for i, w := range weights {
			bins = append(bins, bin{lo: uint64(i), weight: w})
		}
		tables := []table{{bins: bins}}
		prepare(tables)
		checkFrequencies(t, &tables[0])
	})
}

func checkFrequencies(t *rapid.T, b *table) {
	next := 0
	for i, f := range b.freqs {
		if f.freq() == 0 || int(f.start()) != next {
			t.Fatalf("bin %d: slots %d to %d, after %d", i, f.start(), f.start()+f.freq(), next)
		}
		for s := next; s < next+int(f.freq()); s++ {
			if int(b.slots[s]) != i {
				t.Fatalf("slot %d: bin %d, want %d", s, b.slots[s], i)
			}
		}
		next += int(f.freq())
	}
	if next != 1<<b.log {
		t.Fatalf("frequencies add up to %d, want 1<<%d", next, b.log)
	}
}

// A value's bin is the last one that begins at or before it, or the first, whether it is looked up or searched.
func TestBinsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Uint64Max(20), rapid.Uint64Max(2*lowValues), rapid.Uint64())
		los := rapid.SliceOfNDistinct(value, 1, maxBins, rapid.ID[uint64]).Draw(t, "begins")
		slices.Sort(los)
		tables := []table{{}}
		for _, lo := range los {
			tables[0].bins = append(tables[0].bins, bin{lo: lo})
		}
		prepare(tables)
		values := append(rapid.SliceOfN(value, 1, 50).Draw(t, "values"), los...)
		for range 2 {
			symbols := make([]byte, len(values))
			tables[0].findAll(symbols, values)
			for i, v := range values {
				want := max(0, sort.Search(len(los), func(b int) bool { return los[b] > v })-1)
				if int(symbols[i]) != want {
					t.Fatalf("%d is in bin %d, want %d", v, symbols[i], want)
				}
			}
			setLows(tables)
		}
	})
}

// TestWeightsAreExactEnough compares the cost of values with frequencies made from weights to that with their true shares.
func TestWeightsAreExactEnough(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	bins, values, excess := 0, 0, 0.0
	for range 200 {
		n, total := make([]int, 2+r.IntN(60)), 0
		tables := []table{{}}
		for i := range n {
			n[i] = 1 + int(math.Exp(r.Float64()*7))
			total += n[i]
			tables[0].bins = append(tables[0].bins, bin{lo: uint64(i), weight: weightOf(n[i])})
		}
		prepare(tables)
		for i, f := range tables[0].freqs {
			coded := float64(tables[0].log) - math.Log2(float64(f.freq()))
			excess += float64(n[i]) * (coded - math.Log2(float64(total)/float64(n[i])))
		}
		bins, values = bins+len(n), values+total
	}
	if most := 1.1*float64(bins) + 0.002*float64(values); excess > most {
		t.Errorf("%d values in %d bins: %.1f bits more than the entropy, should be at most %.1f", values, bins, excess, most)
	}
}

// TestCounter compares counting with a map.
func TestCounter(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var c counter
	for _, distinct := range []uint64{1, 2, 40, 200, 1000, 1 << 40, math.MaxUint64} {
		want := map[uint64]int{}
		c.reset()
		for range 3 {
			values := make([]uint64, 700)
			for i := range values {
				values[i] = r.Uint64N(distinct) * 0x10001 // so that bytes differ
				if i%3 == 0 {
					values[i] = r.Uint64N(90)<<57 | 1<<55 // some that are not rare
				}
				want[values[i]]++
			}
			c.add(values)
		}
		cells := slices.Clone(c.cells)
		slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.first, b.first) })
		if len(cells) != len(want) {
			t.Errorf("%d numbers: %d cells, want %d", distinct, len(cells), len(want))
		}
		for _, cell := range cells {
			if cell.first != cell.last || cell.n != want[cell.first] {
				t.Fatalf("%d numbers: cell %v, want %d values", distinct, cell, want[cell.first])
			}
		}
		checkJoined(t, cells, slices.Clone(c.sorted(nil)))
	}
}

// checkJoined checks that joined cells hold the cells in order, rare ones perhaps together with neighbours.
func checkJoined(t *testing.T, cells, joined []cell) {
	t.Helper()
	if len(cells) <= coarseCells && len(joined) != len(cells) {
		t.Errorf("%d cells became %d", len(cells), len(joined))
	}
	for _, j := range joined {
		n := 0
		for len(cells) > 0 && cells[0].first <= j.last {
			if cells[0].first < j.first || j.first < j.last && cells[0].n >= coarseCount {
				t.Fatalf("cell %v is part of %v", cells[0], j)
			}
			n += cells[0].n
			cells = cells[1:]
		}
		if n != j.n {
			t.Fatalf("cell %v should have %d values", j, n)
		}
	}
	if len(cells) > 0 {
		t.Errorf("%d cells left out", len(cells))
	}
}

// TestDivideIsNearBest compares the bins found to the best of all ways to divide few cells into bins and exceptions.
func TestDivideIsNearBest(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var f Fitter
	var found, best int64
	for range 300 {
		cells, v := []cell{}, uint64(r.IntN(1000))
		for range 1 + r.IntN(7) {
			cells = append(cells, cell{v, v, 1 + int(math.Exp(r.Float64()*6))})
			v += 1 + uint64(math.Exp(r.Float64()*5))
		}
		cost := f.divide(cells, nil, binCost)
		least := bestDivision(cells)
		if cost < least {
			t.Fatalf("%v: cost %d is below the least, %d", cells, cost, least)
		}
		found, best = found+cost, best+least
	}
	if found > best+best/200 {
		t.Errorf("cost is %d, more than half a percent above the least, %d", found, best)
	}
}

// bestDivision tries all bins and exceptions for the first cells.
func bestDivision(cells []cell) int64 {
	total := 0
	for _, c := range cells {
		total += c.n
	}
	var try func(from int, before way) int64
	try = func(from int, before way) int64 {
		if from == len(cells) {
			return before.cost
		}
		w := before
		w.cost += exceptions(cells[from])
		least := try(from+1, w)
		n := 0
		for to := from; to < len(cells); to++ {
			n += cells[to].n
			need := bits.Len64(cells[to].last - cells[from].first)
			for k := need; k < need+3; k++ {
				size := uint64(1)<<k - 1
				lo := max(cells[to].last-min(size, cells[to].last), min(before.free, cells[from].first))
				w := way{free: lo + size + 1, cost: before.cost + binCost + gapCost(lo-before.free) + bitio.Log2(n)/4}
				w.cost += int64(n) * (int64(k)*bitio.Bit - bitio.Log2(n) + bitio.Log2(total))
				least = min(least, try(to+1, w))
			}
		}
		return least
	}
	return try(0, way{})
}

// TestTooManyBins fits a context that would like more bins than there can be.
func TestTooManyBins(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	b := testBlock{counts: []int{100000}}
	for range 100000 {
		b.values = append(b.values, uint64(r.IntN(1000))*977)
	}
	m := buildModel(1, b)
	if bins := len(m.tables[0].bins); bins > maxBins {
		t.Errorf("%d bins", bins)
	}
	block := m.Encode(nil, b.counts, b.values)
	if got := mustDecode(t, m, block, b.counts); !slices.Equal(got, b.values) {
		t.Error("values changed")
	}
	if size := float64(8*len(block)) / 100000; size > 20 { // a range of 20 bits, or less
		t.Errorf("%.1f bits per value", size)
	}
}

// TestShare checks that contexts share few tables if their values are alike, and none if they are not.
func TestShare(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	b := testBlock{}
	for c := range 60 {
		b.counts = append(b.counts, 40+r.IntN(400))
		for range b.counts[c] {
			b.values = append(b.values, uint64(c%3)*1000+uint64(math.Abs(r.NormFloat64())*float64(5+c%3)))
		}
	}
	m := buildModel(60, b)
	if len(m.tables) > 10 {
		t.Errorf("%d tables, want 3 or somewhat more", len(m.tables))
	}
	kinds := map[uint16]int{}
	for c := range 60 {
		if kind, ok := kinds[m.tableOf[c]]; ok && kind != c%3 {
			t.Errorf("context %d shares table %d with those of kind %d", c, m.tableOf[c], kind)
		}
		kinds[m.tableOf[c]] = c % 3
	}
}

// TestManyContexts builds a model whose contexts would like more tables than there can be.
func TestManyContexts(t *testing.T) {
	const contexts = maxTables + 500
	b := testBlock{}
	for c := range contexts {
		b.counts = append(b.counts, 20+c%5)
		for range b.counts[c] {
			b.values = append(b.values, uint64(c)*10000)
		}
	}
	m := buildModel(contexts, b)
	if len(m.tables) > maxTables || len(m.tables) < maxTables/2 {
		t.Errorf("%d tables", len(m.tables))
	}
	src := m.Append(nil)
	parsed, err := ParseModel(src)
	if err != nil {
		t.Fatal(err)
	}
	if got := mustDecode(t, parsed, m.Encode(nil, b.counts, b.values), b.counts); !slices.Equal(got, b.values) {
		t.Error("values changed")
	}
}

func TestLog2(t *testing.T) {
	for n := uint64(1); n < 1<<63; n += 1 + n/50 {
		if got, want := float64(bitio.Log2(n))/bitio.Bit, math.Log2(float64(n)); got > want || got < want-2./bitio.Bit {
			t.Fatalf("log2(%d) = %v, want %v", n, got, want)
		}
	}
}

// A crowd of contexts with few values is thinned unseen: the values come back, and take little more than their shares of few tables.
func TestCrowdOfContexts(t *testing.T) {
	const contexts = 3 * crowd
	r := rand.New(rand.NewPCG(7, 8))
	b := testBlock{}
	groups := 0
	for c := range contexts {
		n := r.IntN(4)
		if r.IntN(100) == 0 {
			n += 48
		}
		b.counts = append(b.counts, n)
		for range n {
			b.values = append(b.values, uint64(c)+r.Uint64N(50))
		}
		if n > 0 {
			groups++
		}
	}
	var all []*group
	for c, n := range b.counts {
		if n > 0 {
			all = append(all, newGroup(c, []cell{{uint64(c), uint64(c), n}}, nil))
		}
	}
	if n := len(thin(all)); groups <= crowd || n > crowd*3/4 {
		t.Errorf("%d groups are thinned to %d", groups, n)
	}
	m := buildModel(contexts, b)
	block := m.Encode(nil, b.counts, b.values)
	if got := mustDecode(t, m, block, b.counts); !slices.Equal(got, b.values) {
		t.Error("values changed")
	}
	if most := 13 * len(b.values) / 8; len(block) > most {
		t.Errorf("%d values take %d bytes, should be at most %d", len(b.values), len(block), most)
	}
}
