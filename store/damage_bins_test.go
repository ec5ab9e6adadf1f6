package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// Bins that can be read, but are not what the slices add up to, are found by verifying, at all levels.
func TestWrongBins(t *testing.T) {
	t.Parallel()
	k := tracegen.RandomKnobs(3)
	k.Processes, k.Threads, k.Length, k.Regions, k.Messages, k.Any, k.Contexts = 4, 1, 400, 5, 400, 0.4, false
	opt := store.Options{SliceEvents: 100, Fanout: 2, LaneLocations: 2, SummaryFactor: 1000}
	b := write(t, tracegen.Random(3, k), opt)
	file, err := damage.Plain(b)
	if err != nil {
		t.Fatal(err)
	}
	blocks := damage.Blocks(file)
	tried := map[int]int{}
	for i, block := range blocks {
		if block.Kind != format.BlockBins {
			continue
		}
		for what, wrong := range wrongBins(t, block.Payload) {
			changed := slices.Clone(blocks)
			changed[i].Payload = wrong.Encode()
			problems := verify(t, damage.Join(file, changed))
			if !slices.ContainsFunc(problems, func(err error) bool { return strings.Contains(err.Error(), "bins block") }) {
				t.Errorf("%s of node %v: %v", what, wrong.Node, problems)
			}
			tried[wrong.Node.Level]++
		}
		if tried[1] > 12 && tried[2] > 5 {
			break
		}
	}
	for level := 1; level <= 2; level++ {
		if tried[level] == 0 {
			t.Errorf("no bins of level %d were tried", level)
		}
	}
}

// wrongBins returns bins with one thing changed.
func wrongBins(t *testing.T, payload []byte) map[string]*tables.Bins {
	t.Helper()
	read := func() *tables.Bins {
		b, err := tables.ReadBins(payload)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	all := map[string]*tables.Bins{}
	change := func(what string, f func(b *tables.Bins) bool) {
		if b := read(); f(b) {
			all[what] = b
		}
	}
	change("a tick less", func(b *tables.Bins) bool {
		at := slices.IndexFunc(b.Ticks, func(v uint64) bool { return v > 1 })
		if at >= 0 {
			b.Ticks[at]--
		}
		return at >= 0
	})
	change("a later end", func(b *tables.Bins) bool { b.End++; return b.Cells() == read().Cells() })
	change("another region", func(b *tables.Bins) bool {
		if n := len(b.Lines); n > 0 {
			b.Lines[n-1].Region += 1000
		}
		return len(b.Lines) > 0
	})
	change("another lane", func(b *tables.Bins) bool { b.Lane++; return true })
	change("another node", func(b *tables.Bins) bool { b.Node.Index++; return true })
	change("another location", func(b *tables.Bins) bool {
		if n := len(b.Lines); n > 0 {
			b.Lines[n-1].Location += 1000
		}
		return len(b.Lines) > 0
	})
	return all
}
