package slice

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/format"
)

// The parts of a slice block add up to it, and what values cost by their bins' frequencies is what they take.
func TestCosts(t *testing.T) {
	exceptions := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		c, all := cutAll(t, r, encodetest.RandomTrace(seed))
		stats := c.statistics(1+r.IntN(len(all)), all...)
		values := stats.Values.Append(nil)
		plain := encodetest.PlainParse(t, values)
		checkModelSizes(t, stats, len(values))
		for _, s := range all {
			b := s.block(c.dictionary, stats)
			e, err := decodeBlock(b, c.dictionary, stats, format.Limits{}, noLocation)
			if err != nil {
				t.Fatal(err)
			}
			exceptions += checkCosts(t, e, stats, &plain)
			if z := e.Sizes; z.Head+z.Text+z.Structure+z.Values != len(b) || z.Text != e.packed.Stored() || z.Head < 6 || z.Structure < 3 || z.Values < 1 {
				t.Errorf("a block of %d bytes has parts %+v", len(b), z)
			}
			if n, lane, err := BlockName(b); n != e.Number || lane != e.Lane || err != nil {
				t.Errorf("slice %d, lane %d, %v; it is slice %d, lane %d", n, lane, err, e.Number, e.Lane)
			}
		}
	}
	if exceptions < 100 {
		t.Errorf("only %d exceptions: this tests little", exceptions)
	}
}

// checkModelSizes compares the sizes of a block's parts with what the block loses without the contexts of values, clocks and
// predictions: three lists, of which a byte each is left, and so is the length of the dictionary of texts.
func checkModelSizes(t *testing.T, stats *Statistics, values int) {
	t.Helper()
	bare := *stats
	bare.Pairs, bare.Periods, bare.Predictions = nil, nil, nil
	z := stats.Sizes()
	if z.Values != values || z.Tokens < 3 || z.Roster < 2 || 4+z.Tokens+z.Roster+z.Texts+z.Values != len(bare.Append(nil)) {
		t.Errorf("a block of %d bytes, %d of them for values, has parts %+v", len(stats.Append(nil)), values, z)
	}
}

// checkCosts compares the costs of columns with those of each value by itself, and their sum with the bytes that the values
// take. It returns the number of exceptions.
func checkCosts(t *testing.T, e *Events, stats *Statistics, m *encodetest.PlainModel) (exceptions int) {
	t.Helper()
	got, err := e.ColumnCosts(stats)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(got))
	for context, values := range columnsOf(e) {
		c := context
		if context >= len(want) {
			c = int(stats.Pairs[context-len(want)].Column)
		}
		for _, v := range values {
			bits, ok := plainCost(&m.Tables[m.TableOf[context]], v)
			if want[c] += bits; !ok {
				exceptions++
			}
		}
	}
	sum := 0.0
	for c, bits := range want {
		cost := float64(got[c]) / (1 << column.CostBits)
		if sum += cost; cost < bits-0.01 || cost > bits+0.05+64*float64(exceptions) {
			t.Fatalf("column %d costs %.2f bits, want %.2f", c, cost, bits)
		}
	}
	// In each of four blocks, the last symbols take less, as a state ends as 0: nothing, if they are the first of their tables. A block's
	// length, counts of exceptions and of words and what is not full are up to 7 bytes; four states take 8 bytes more than their symbols.
	if bytes := sum / 8; float64(e.Sizes.Values) < bytes-16-bytes/16 || float64(e.Sizes.Values) > bytes+36+bytes/1000 {
		t.Errorf("values that cost %.1f bytes take %d", bytes, e.Sizes.Values)
	}
	return exceptions
}

// plainCost returns the bits that a value takes but for the place of an exception; ok is false for exceptions.
func plainCost(t *encodetest.PlainTable, v uint64) (cost float64, ok bool) {
	heaviest := 0
	for i, b := range t.Bins {
		if b.Weight > t.Bins[heaviest].Weight {
			heaviest = i
		}
		last := i == len(t.Bins)-1
		if v >= b.Lo && v-b.Lo < 1<<b.Digits && (last || v < t.Bins[i+1].Lo) {
			return float64(t.Log) - math.Log2(float64(b.Freq)) + float64(b.Digits), true
		}
	}
	b := t.Bins[heaviest]
	return float64(t.Log) - math.Log2(float64(b.Freq)) + float64(b.Digits) + 8*float64(len(format.AppendUvarint(nil, v))), false
}
