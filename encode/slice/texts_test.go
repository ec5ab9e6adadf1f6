package slice

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pandotrace/pando/encode/text"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
)

// textsOf cuts a trace of comments into slices whose statistics have a dictionary of texts.
func textsOf(t testing.TB) (*cutter, []*sliced, *Statistics) {
	t.Helper()
	c, all := cutAll(t, rand.New(rand.NewPCG(1, 1)), tracegen.Comments(2, 300, 1))
	stats := c.statistics(len(all), all...)
	if stats.Texts == nil {
		t.Fatal("no dictionary of texts: this tests little")
	}
	return c, all, stats
}

// Slices of a group share a dictionary of texts, which saves bytes, and come back.
func TestTextsShareADictionary(t *testing.T) {
	c, all, stats := textsOf(t)
	parsed, err := ParseStatistics(stats.Append(nil), format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	raw, stored, alone := 0, len(parsed.Texts.Append(nil)), 0
	for _, s := range all {
		checkSlice(t, s.block(c.dictionary, stats), c.dictionary, parsed, s)
		raw, stored = raw+len(s.draft.Text), stored+s.draft.packed.Stored()
		packed, _ := text.Pack([][]byte{s.draft.Text})
		alone += packed[0].Stored()
	}
	if len(all) < 5 || stored >= alone || alone >= raw {
		t.Errorf("%d slices with %d bytes of texts take %d, and %d without a dictionary", len(all), raw, stored, alone)
	}
}

// Times need no text: only batches say that one is damaged.
func TestTimesNeedNoText(t *testing.T) {
	c, all, stats := textsOf(t)
	block := all[0].block(c.dictionary, stats)
	at := strings.Index(string(block), string(all[0].draft.packed.Append(nil)))
	block[at+len(all[0].draft.packed.Append(nil))-1] ^= 0xff
	var e Events
	if err := e.Decode(block, c.dictionary, stats, format.Limits{}, noLocation); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Batch(0); !format.IsCorrupt(err) {
		t.Errorf("a damaged text: %v", err)
	}
}

// columnsOf takes decoded values apart again.
func columnsOf(e *Events) [][]uint64 {
	columns := make([][]uint64, e.contexts.all)
	for g := range e.blocks {
		parts, n := e.contexts.parts(nil, g, e.counts, e.Dictionary.ColumnInfos())
		values := make([]uint64, n)
		if n == 0 {
			continue
		}
		if err := e.model.DecodeParts(values, e.blocks[g], parts); err != nil {
			panic(err) // it was decoded before
		}
		for _, p := range parts {
			columns[p.Context] = values[p.At:][:p.Count]
		}
	}
	return columns
}

// draftOf makes a draft of a decoded slice.
func draftOf(e *Events) *Draft {
	w := &workspace{counts: e.counts}
	for _, values := range columnsOf(e) {
		w.values = append(w.values, values...)
	}
	return &Draft{Block: e.Block, packed: e.packed, workspace: w}
}
