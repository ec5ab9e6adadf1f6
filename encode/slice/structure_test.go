package slice

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/encode/internal/encodetest"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
)

// Structure is what events have besides values: the same runs, whose tokens expand to the same leaves.
func TestStructure(t *testing.T) {
	tokens := 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 6))
		c, all := cutAll(t, r, encodetest.RandomTrace(seed))
		built := c.statistics(len(all), all...)
		model := built.Append(nil)
		stats, err := ParseTokenStatistics(model, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		full, err := ParseStatistics(model, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*stats, full.TokenStatistics) {
			t.Fatal("statistics of tokens by themselves are not those of all")
		}
		var s Structure // used again
		for _, part := range all {
			b := part.block(c.dictionary, built)
			e, err := decodeBlock(b, c.dictionary, full, format.Limits{}, noLocation)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Decode(b, c.dictionary, stats, format.Limits{}); err != nil {
				t.Fatal(err)
			}
			checkStructure(t, &s, e)
			for i := range s.Runs {
				tokens += len(s.Runs[i].Tokens)
			}
			checkNoValues(t, b, c, stats, &s, e.Sizes.Values)
		}
	}
	if tokens < 1000 {
		t.Errorf("only %d tokens: this tests little", tokens)
	}
}

func checkStructure(t *testing.T, s *Structure, e *Events) {
	t.Helper()
	want := slices.Clone(e.Runs)
	for i := range want {
		want[i].ID, want[i].Period, want[i].Phases, want[i].Residuals = s.Runs[i].ID, 0, nil, nil // of values
	}
	if s.Number != e.Number || s.Lane != e.Lane || s.Start != e.Start || s.End != e.End || !reflect.DeepEqual(s.Runs, want) {
		t.Fatalf("structure\n%+v, want\n%+v", s.Block, e.Block)
	}
	at := 0
	for i := range s.Runs {
		got := s.Dictionary.Expand(nil, s.Runs[i].Tokens)
		if !slices.Equal(got, e.Leaves[at:at+s.Runs[i].Events]) {
			t.Fatalf("run %d has other events", i)
		}
		at += s.Runs[i].Events
	}
}

// checkNoValues decodes a block again whose values are others, and compares.
func checkNoValues(t *testing.T, b []byte, c *cutter, stats *TokenStatistics, want *Structure, values int) {
	t.Helper()
	b = bytes.Clone(b)
	for i := len(b) - values; i < len(b); i++ {
		b[i] ^= 0x55
	}
	var got Structure
	if err := got.Decode(b, c.dictionary, stats, format.Limits{}); err != nil || !reflect.DeepEqual(got.Block, want.Block) {
		t.Fatalf("with other values: %v", err)
	}
}

// Structure is decoded under the same limits as events.
func TestStructureRefuses(t *testing.T) {
	for _, levels := range []int{25, 64} {
		d := bomb(levels)
		one := pretended(shape.Token{Shape: uint32(levels), Count: 1})
		stats := statisticsOf(d, one)
		b := AppendBlock(nil, &one.draft, stats, d.ColumnInfos())
		var s Structure
		if err := s.Decode(b, d, &stats.TokenStatistics, format.Limits{}); !format.IsCorrupt(err) {
			t.Errorf("2^%d events in place of one: %v", levels, err)
		}
	}
}
